import { type Command, InvalidArgumentError } from "commander";
import { systemClock } from "#runtime/clock.ts";
import { applyManifest } from "../apply.ts";
import { CliError } from "../errors.ts";
import { waitForFleet } from "../fleet-progress.ts";
import { readManifests } from "../manifests.ts";
import type { Session } from "../session.ts";
import { openDataFolder, writeKubeconfig } from "../start/data-folder.ts";
import type { Installation } from "../start/installation.ts";
import { Supervisor } from "../start/supervisor.ts";

interface StartOptions {
  readonly apiPort: number;
  readonly nodeAddress?: string;
  readonly nodeCpu?: string;
  readonly nodeMemory?: string;
  readonly gamePorts: string;
  readonly featureGates?: string;
  readonly keepServers?: boolean;
  readonly quickStart: boolean;
}

export const DEFAULT_API_PORT = 8643;
const DEFAULT_GAME_PORTS = "7000-8000";
const QUICK_START_FLEET = "simple-game-server";
const QUICK_START_TIMEOUT_MS = 120_000;

function port(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65535)
    throw new InvalidArgumentError(`must be a port from 0 to 65535, found ${JSON.stringify(text)}`);
  return number;
}

/** `start`: the whole cluster on this machine, in the foreground. */
export function addStart(program: Command, session: Session, installation: Installation): void {
  program
    .command("start")
    .description("run the cluster on this machine until Ctrl-C")
    .option("--api-port <port>", "where kubectl reaches the API; 0 chooses one", port, DEFAULT_API_PORT)
    .option(
      "--node-address <address>",
      "a LAN or public address of this machine, for game traffic; players on this machine alone by default",
    )
    .option("--node-cpu <quantity>", "how much CPU game servers may ask for; all of the machine's by default")
    .option("--node-memory <quantity>", "how much memory game servers may ask for; all of the machine's by default")
    .option("--game-ports <first-last>", "host ports given to game servers", DEFAULT_GAME_PORTS)
    .option("--feature-gates <query>", "such as PlayerTracking=true&CountsAndLists=false")
    .option("--keep-servers", "leave the game servers running at the end; the next start finds them")
    .option("--no-quick-start", "do not make the quick-start fleet in a new data folder")
    .action((options: StartOptions) => start(session, options, installation));
}

async function start(session: Session, options: StartOptions, installation: Installation): Promise<void> {
  const { terminal, signal } = session;
  const [minPort, maxPort, ...more] = options.gamePorts.split("-").map(Number);
  if (!(minPort && maxPort) || more.length > 0 || minPort > maxPort || maxPort > 65535)
    throw new CliError(
      "Usage",
      `--game-ports must be two ports FIRST-LAST, found ${JSON.stringify(options.gamePorts)}`,
    );

  const folder = await openDataFolder(session.dataDir);
  const flags = (given: Readonly<Record<string, string | number | undefined>>): string[] =>
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
  const supervisor = new Supervisor({
    folder,
    agent: session.agent,
    version: installation.version,
    terminal,
    clock: systemClock,
    env: { ...process.env, NODE_COMPILE_CACHE: installation.compileCache },
    apiPort: options.apiPort,
    controlPlane: (apiPort) => [
      installation.controlPlane,
      ...flags({
        "data-dir": folder.path,
        "api-port": apiPort,
        "min-port": minPort,
        "max-port": maxPort,
        "feature-gates": options.featureGates,
      }),
    ],
    nodeAgent: [
      installation.nodeAgent,
      ...flags({
        "data-dir": folder.path,
        "node-address": options.nodeAddress,
        "node-cpu": options.nodeCpu,
        "node-memory": options.nodeMemory,
        "feature-gates": options.featureGates,
      }),
    ],
  });

  try {
    terminal.err(`${folder.isNew ? "Starting a new cluster" : "Starting the cluster"} in ${folder.path} …`);
    const address = await supervisor.start();
    writeKubeconfig(folder, address);
    if (folder.isNew && options.quickStart) await quickStart(session, installation.quickStart);
    welcome(session, address, folder.kubeconfig);
    if (!signal.aborted)
      await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
    terminal.err(
      options.keepServers ? "Stopping; the game servers go on …" : "Stopping the game servers and the cluster …",
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await supervisor.stop(options.keepServers === true);
  }
  terminal.err("Stopped.");
}

async function quickStart(session: Session, manifest: string): Promise<void> {
  await using connection = session.connect();
  for (const object of await readManifests(manifest)) await applyManifest(connection.transport, object, "default");
  await waitForFleet({
    client: connection.client,
    namespace: "default",
    fleet: QUICK_START_FLEET,
    terminal: session.terminal,
    clock: systemClock,
    signal: session.signal,
    timeoutMs: QUICK_START_TIMEOUT_MS,
  });
}

function welcome({ terminal }: Session, address: string, kubeconfig: string): void {
  terminal.out(
    `
Stadion is running.
  API         ${address}
  kubeconfig  ${kubeconfig}

Next, in another shell:
  export KUBECONFIG=${kubeconfig}
  kubectl get fleets,gameservers          or  npx stadion get gameservers
  npx stadion allocate ${QUICK_START_FLEET}

Ctrl-C stops it.`,
  );
}
