/** The SDK server without a cluster, for a developer's desk and for testing clients. */
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import { aborted } from "#runtime/runnable.ts";
import { type DoorPair, SdkDoors } from "../doors.ts";
import { GameServerSession } from "../game-server-session.ts";
import { firstLife } from "../kept-changes.ts";
import { levelLogger } from "../level-logger.ts";
import { callLog } from "./call-log.ts";
import { defaultGameServer } from "./default-game-server.ts";
import { type FileListener, GameServerFile } from "./game-server-file.ts";
import { LocalGameServer } from "./local-game-server.ts";
import { servePage } from "./page.ts";
import { readableLog } from "./readable-log.ts";
import { checkNames, RequestRecord } from "./request-record.ts";
import { type CallListener, toldMethods } from "./told-methods.ts";

export interface LocalModeOptions {
  /** Where the GameServer stands; empty for the default one. */
  readonly file: string;
  /** The requests that a client under test is to make; absent: none is tested. */
  readonly expected?: readonly string[];
  /** The client, as lines name it; empty for none. */
  readonly sdkName: string;
  /** Milliseconds until it ends by itself; 0 for never. */
  readonly timeoutMs: number;
  readonly gates: FeatureGates;
  readonly host: string;
  readonly grpcPort: number;
  readonly httpPort: number;
  /** Least severity of a line, unless the file's `spec.sdkServer.logLevel` says otherwise. */
  readonly logLevel: string;
  readonly clock: Clock;
  /** A line for whoever looks on. */
  readonly write: (line: string) => void;
  readonly random?: () => number;
}

/** A client under test did not make the requests that were expected; the log says which. */
export class ConformanceError extends Error {
  override readonly name = "ConformanceError";
  readonly code = "UnexpectedRequests";
}

/**
 * Serves until `signal` aborts or the time is over. Rejects with `GameServerFileError`, with `PortInUseError`, and, where requests
 * are expected, with `ConformanceError`, or with `ConfigError` when there are none of such a name.
 */
export async function runLocalMode(options: LocalModeOptions, signal: AbortSignal): Promise<void> {
  const { clock, gates, expected, random = Math.random } = options;
  if (expected) checkNames(expected);
  const all = readableLog({ ...options, fields: { sdkName: options.sdkName || undefined } });
  const uid = expected && String(Math.floor(random() * 2 ** 53));
  const file = options.file && !expected ? new GameServerFile(options.file, options) : undefined;
  const content = await file?.read();
  const world = new LocalGameServer(content?.gameServer ?? defaultGameServer({ uid, now: clock.now(), gates }));
  const log = followingLog(world, all, options.logLevel);
  const record = expected && new RequestRecord({ gameServer: () => world.current, log });
  tellStates(world, log, () => record?.ready());

  const session = openSession(world, options, log);
  const pair = await openDoors(session, options, [callLog(log), ...(record ? [record] : [])]);
  const stop = new AbortController();
  const following = file?.follow(followed(file, world, log), stop.signal);
  log.info(
    { gameServer: nameOf(world.current), state: world.current.status?.state || "none", file: file?.path },
    "Stadion's SDK server, without a cluster",
  );
  for (const fault of content?.faults ?? []) log.warn({}, fault);
  log.info({ grpcPort: pair.grpcPort, httpPort: pair.httpPort }, "SDK server serves");
  if (!expected) log.info({}, `look at it, and change it, at http://${hostOf(options.host)}:${pair.httpPort}/`);

  const { promise: timedOut, resolve } = Promise.withResolvers<void>();
  const cancel = options.timeoutMs > 0 ? clock.after(options.timeoutMs, resolve) : () => {};
  await Promise.race([aborted(signal), timedOut]);
  cancel();
  stop.abort();
  await following;
  await session.stop(0);
  await pair.close();
  if (record && expected && !record.matches(expected))
    throw new ConformanceError("the requests that came are not those that were expected");
}

function openSession(world: LocalGameServer, options: LocalModeOptions, log: Logger): GameServerSession {
  const { clock, random = Math.random } = options;
  const { name = "", namespace = "" } = world.current.metadata;
  const session = new GameServerSession({
    name,
    namespace,
    source: world,
    writer: world,
    recorder: { event: (_object, _type, reason, message) => log.debug({ reason }, `Event: ${message}`) },
    clock,
    log,
    intervalMs: 0,
    resumed: false,
    kept: firstLife(),
    // There is nothing to outlive: a call is answered when it has taken effect.
    keep: async () => {},
    random,
    endless: true,
  });
  session.start();
  return session;
}

function openDoors(
  session: GameServerSession,
  { host, clock, gates, expected, random = Math.random, grpcPort, httpPort }: LocalModeOptions,
  listeners: readonly CallListener[],
): Promise<DoorPair> {
  const doors = new SdkDoors({ host, portRange: { first: 0, last: 0 }, clock, random });
  return doors.open({
    session,
    gates,
    ports: { grpcPort, httpPort },
    around: (methods) => toldMethods(methods, listeners),
    ...(!expected && { page: servePage }),
  });
}

function followed(file: GameServerFile, world: LocalGameServer, log: Logger): FileListener {
  return {
    changed: () => reload(file, world, log),
    gone: () => log.error({ file: file.path }, "the file is gone: the GameServer stays as it is"),
  };
}

async function reload(file: GameServerFile, world: LocalGameServer, log: Logger): Promise<void> {
  try {
    const { gameServer, faults } = await file.read();
    world.replace(gameServer);
    log.info({ file: file.path }, "the file has changed: the GameServer is what it says now");
    for (const fault of faults) log.warn({}, fault);
  } catch (error) {
    log.error({ error }, "the file has changed and cannot be read: the GameServer stays as it is");
  }
}

/** As quiet as the GameServer's spec wants it at the moment. */
function followingLog(world: LocalGameServer, all: Logger, level: string): Logger {
  const levels = new Map<string, Logger>();
  const now = (): Logger => {
    const wanted = world.current.spec.sdkServer?.logLevel ?? level;
    const known = levels.get(wanted) ?? levelLogger(all, wanted);
    levels.set(wanted, known);
    return known;
  };
  const from = (child: (log: Logger) => Logger): Logger => ({
    trace: (fields, message) => child(now()).trace(fields, message),
    debug: (fields, message) => child(now()).debug(fields, message),
    info: (fields, message) => child(now()).info(fields, message),
    warn: (fields, message) => child(now()).warn(fields, message),
    error: (fields, message) => child(now()).error(fields, message),
    child: (fields) => from((log) => child(log).child(fields)),
  });
  return from((log) => log);
}

function tellStates(world: LocalGameServer, log: Logger, onReady: () => void): void {
  let before = world.current.status?.state || undefined;
  world.subscribe("", "", (gameServer) => {
    const state = gameServer?.status?.state || undefined;
    if (state !== before)
      log.info(
        {},
        `GameServer ${state ? `is ${state}` : "has no state"}, ${before ? `was ${before}` : "had no state"}`,
      );
    if (state === "Ready" && before !== state) onReady();
    before = state;
  });
}

const nameOf = ({ metadata: { namespace, name = "" } }: GameServer): string =>
  namespace ? `${namespace}/${name}` : name;

/** For a URL of this machine. */
const hostOf = (host: string): string => (host === "" || host === "0.0.0.0" || host === "::" ? "localhost" : host);
