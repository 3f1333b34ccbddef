/** The SDK server of one game server: a sidecar on Kubernetes, or, with `--local`, by itself on a desk. */
import { parseFeatureGates } from "#api/agones/feature-gates.ts";
import { createClient } from "#kube/api-client.ts";
import { httpsTransport } from "#kube/transport-https.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { type Config, ConfigError } from "#runtime/config.ts";
import { PortInUseError } from "#runtime/grpc/door.ts";
import { createLineLogger } from "#runtime/line-logger.ts";
import { levelLogger } from "#sdkserver/level-logger.ts";
import { runSidecar, SIDECAR_CONNECTIONS } from "#sdkserver/sidecar.ts";
import { clusterAccess } from "./wiring/cluster-access.ts";
import { tellStart } from "./wiring/first-lines.ts";
import { isSettingFault, runProgram } from "./wiring/program.ts";
import { SDK_SERVER } from "./wiring/settings-sdk-server.ts";

type Settings = Config<typeof SDK_SERVER.options>;

const DEFAULT_INTERVAL_MS = 500;

async function main(config: Settings): Promise<void> {
  // The first word to end is to be followed when the game is done, the second at once.
  const [told, forced] = [new AbortController(), new AbortController()];
  // Whoever started it with a channel, and is gone, needs it no more.
  for (const signal of ["SIGINT", "SIGTERM", "disconnect"] as const)
    process.on(signal, () => (told.signal.aborted ? forced : told).abort());
  await clock.sleep(config.delay * 1000);
  try {
    if (config.local || config.test) await local(config, told.signal);
    else await sidecar(config, told.signal, forced.signal);
  } catch (error) {
    throw error instanceof PortInUseError ? portTaken(error, config) : error;
  }
}

/** Which setting to change. */
function portTaken({ port, message }: PortInUseError, { grpcPort, httpPort }: Settings): ConfigError {
  const flag = port === grpcPort ? "--grpc-port" : port === httpPort ? "--http-port" : "--health-port";
  return new ConfigError([
    `${message}: end that process, or choose another port with ${flag}; 0 lets the system choose one`,
  ]);
}

async function local(config: Settings, signal: AbortSignal): Promise<void> {
  const { runLocalMode } = await import("#sdkserver/local/local-mode.ts");
  await runLocalMode(
    {
      file: config.file,
      ...(!config.local && { expected: config.test.split(",").map((name) => name.trim()) }),
      sdkName: config.sdkName,
      timeoutMs: config.timeout * 1000,
      gates: parseFeatureGates(config.featureGates),
      host: config.address,
      grpcPort: config.grpcPort,
      httpPort: config.httpPort,
      logLevel: config.logLevel,
      clock,
      write: (line) => process.stdout.write(`${line}\n`),
    },
    signal,
  );
}

async function sidecar(config: Settings, told: AbortSignal, forced: AbortSignal): Promise<void> {
  const { gameserverName: name, podNamespace: namespace } = config;
  const missing = [
    ...(name ? [] : ["--gameserver-name must name the game server to serve, and is empty"]),
    ...(namespace ? [] : ["--pod-namespace must be the namespace of the game server, and is empty"]),
  ];
  if (missing.length > 0) throw new ConfigError([...missing, "without a cluster, start with --local"]);
  const gates = parseFeatureGates(config.featureGates);
  const log = levelLogger(
    createLineLogger({ source: "sdk-server", clock }).child({ gsKey: `${namespace}/${name}` }),
    config.logLevel,
  );
  tellStart(log, "Starting sdk sidecar", config, gates);
  const access = await clusterAccess(config.kubeconfig, clock);
  const transport = httpsTransport(access, { connections: SIDECAR_CONNECTIONS });
  try {
    await runSidecar(
      {
        namespace,
        name,
        gates,
        intervalMs: config.requestRateLimit ?? config.requestsRateLimit ?? DEFAULT_INTERVAL_MS,
        host: config.address,
        grpcPort: config.grpcPort,
        httpPort: config.httpPort,
        healthPort: config.healthPort,
        outlivesSignal: config.gracefulTermination && !gates.SidecarContainers,
        stateFile: config.stateFile,
        client: createClient(transport),
        clock,
        log,
      },
      told,
      forced,
    );
  } finally {
    await transport.close();
  }
}

/** Without a cluster all that it writes is for a person. */
const isLocal = (argv: readonly string[]): boolean => argv.some((word) => /^--(local|test)\b/.test(word));

/** As a command of `stadion`, whose launcher calls it so, it speaks and ends as its other commands do. */
const COMMAND = "stadion sdk-server";
const isCommand = process.argv[1] === COMMAND;

function endAsCommand(error: unknown): void {
  const isFile = error instanceof Error && "code" in error && error.code === "GameServerFile";
  if (isSettingFault(error) || isFile) process.exitCode = 2;
}

runProgram(
  isCommand ? { ...SDK_SERVER, name: COMMAND } : SDK_SERVER,
  main,
  isCommand ? endAsCommand : () => {},
  (argv) => isCommand || isLocal(argv),
);
