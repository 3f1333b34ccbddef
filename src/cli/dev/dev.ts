import type { GameServer, GameServerProtocol } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { expandVariables } from "#api/core/expand-variables.ts";
import type { Client } from "#kube/client.ts";
import { TransportError } from "#kube/transport.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { aborted } from "#runtime/runnable.ts";
import { resolveCommand } from "../commands/images.ts";
import { programName } from "../commands/run.ts";
import { ProgramEnded } from "../errors.ts";
import type { Session } from "../session.ts";
import type { Installation } from "../start/installation.ts";
import { announceDev } from "./dev-presence.ts";
import { developmentServer, portVariables } from "./development-server.ts";
import { runGame } from "./game-process.ts";
import { nodeAddress, numberedPorts } from "./placement.ts";
import { allFree, connectionLeft, portsLeft } from "./port-watch.ts";
import { connectionsTo } from "./sdk-connection.ts";
import { choosePorts, SdkProcess } from "./sdk-process.ts";
import { removeServer, ServerLife } from "./server-life.ts";

export interface DevOptions {
  readonly name?: string;
  readonly namespace: string;
  readonly fleet?: string;
  readonly port?: number;
  readonly protocol: GameServerProtocol;
  readonly address?: string;
}

interface Setting {
  readonly session: Session;
  readonly client: Client;
  readonly sdk: SdkProcess;
  /** Absent: the person starts the game. */
  readonly command?: readonly string[];
  /** What the game is started with beside the person's environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly manifest: GameServer;
}

/** Runs the game as a GameServer until it ends; without a command, one GameServer after the other until Ctrl-C. */
export async function dev(
  session: Session,
  installation: Installation,
  command: readonly string[],
  options: DevOptions,
): Promise<void> {
  const resolved = command.length > 0 ? resolveCommand(command, session.path) : undefined;
  await using connection = session.connect();
  const { client, dataDir } = connection;
  const { items: servers } = await client.list(GAMESERVERS);
  const fleet = options.fleet === undefined ? undefined : await client.get(FLEETS, options.namespace, options.fleet);
  const ports = await numberedPorts({ ...options, fleet, servers, mustBeFree: resolved !== undefined });
  const sdkPorts = await choosePorts();
  // Of the person's environment nothing else: names such as TEST and FILE are settings of the SDK server.
  const env = { PATH: session.path, NODE_COMPILE_CACHE: installation.compileCache };
  const featureGates = await featureGatesOf(session);
  const sdk = new SdkProcess({ program: installation.sdkServer, dataDir, featureGates, env }, sdkPorts);
  const setting: Setting = {
    session,
    client,
    sdk,
    ...(resolved && { command: resolved }),
    variables: {
      ...portVariables(ports, fleet),
      AGONES_SDK_GRPC_PORT: String(sdkPorts.grpc),
      AGONES_SDK_HTTP_PORT: String(sdkPorts.http),
    },
    manifest: developmentServer({
      ...(options.name !== undefined && { name: options.name }),
      program: resolved ? programName(resolved[0] ?? "") : "game",
      namespace: options.namespace,
      address: options.address ?? (await nodeAddress(client)),
      ports,
      ...(fleet && { fleet }),
      pid: process.pid,
    }),
  };
  if (!resolved)
    for (const [name, value] of Object.entries(setting.variables)) session.terminal.out(`${name}=${value}`);
  await using _present = await announceDev(dataDir, clock);
  const exitCode = await runLives(setting);
  if (exitCode !== 0) throw new ProgramEnded(exitCode);
}

/** Resolves with the game's exit code; 0 without a command, once Ctrl-C was pressed. */
async function runLives(setting: Setting): Promise<number> {
  if (setting.command) return runLife(setting);
  const { interrupted } = setting.session;
  try {
    while (!interrupted.aborted) await runLife(setting);
  } catch (error) {
    if (!interrupted.aborted) throw error;
  }
  return 0;
}

/** One GameServer, from its creation to its end. */
async function runLife({ session, client, sdk, command, variables, manifest }: Setting): Promise<number> {
  const { interrupted, terminal, divertSignals } = session;
  interrupted.throwIfAborted();
  const server = await client.create(GAMESERVERS, manifest);
  const { namespace = "", name = "" } = server.metadata;
  const tell = (text: string): void => terminal.err(`${name}: ${text}`);
  const life = new ServerLife(client, server, tell);
  try {
    await sdk.serve(namespace, name, interrupted);
    const { address, ports } = server.status ?? {};
    const places = (ports ?? []).map(({ name, port }) => `${name} ${address}:${port}`).join(", ");
    tell(`at ${places}; it is Ready when your game calls Ready${command ? "" : ". Ctrl-C removes it"}`);
    if (!command) {
      await Promise.race([life.gone, aborted(interrupted), gameEnd(manifest, life, sdk, tell)]);
      return 0;
    }
    const env = { ...process.env, PATH: session.path, ...variables };
    const [file = "", ...args] = command;
    return await runGame({
      command: [file, ...args.map((arg) => expandVariables(arg, env as Readonly<Record<string, string>>))],
      env,
      isTerminal: process.stdin.isTTY === true,
      divertSignals,
      over: life.going,
      tell,
      clock,
    });
  } finally {
    life.close();
    await Promise.all([remove(client, server, tell), sdk.stop()]);
  }
}

/** Resolves once a game that was not started here has ended without a word, and its GameServer is to go. */
async function gameEnd(
  { spec }: GameServer,
  life: ServerLife,
  sdk: SdkProcess,
  tell: (text: string) => void,
): Promise<void> {
  const ports = spec.ports ?? [];
  const numbers = ports.map(({ protocol, hostPort }) => `${protocol ?? "UDP"} ${hostPort}`).join(", ");
  const first = (free: boolean): void =>
    tell(
      free
        ? `nobody listens at ${numbers}: players do not reach your game, and its end is seen when it calls Shutdown or closes its gRPC connection`
        : `your game listens at ${numbers}`,
    );
  const watch = { areFree: () => allFree(ports), up: life.up, clock };
  const connections = () => connectionsTo(sdk.ports.grpc);
  tell(
    await Promise.race([
      portsLeft({ ...watch, tell: first }, life.closed).then(() => "nobody listens at its port any more"),
      connectionLeft({ ...watch, connections }, life.closed).then(() => "it has left its SDK server, and has no port"),
    ]).then((why) => `${why}: your game has ended`),
  );
}

async function remove(client: Client, server: GameServer, tell: (text: string) => void): Promise<void> {
  try {
    await removeServer(client, server);
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    tell("the cluster does not answer: its node agent removes this GameServer once it does");
  }
}

/** As the cluster was started with. */
async function featureGatesOf({ agent }: Session): Promise<string> {
  const flag = "--feature-gates=";
  const settings = (await agent.identity())?.settings ?? [];
  return settings.find((setting) => setting.startsWith(flag))?.slice(flag.length) ?? "";
}
