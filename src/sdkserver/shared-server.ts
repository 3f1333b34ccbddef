/**
 * One SDK server for all game servers of a machine: each has a gRPC and an HTTP port of its own, all share handlers,
 * routes, the watch and the client. The node agent runs it in place of the container `agones-gameserver-sidecar`.
 */
import { GRPC_PORT_ENV, HTTP_PORT_ENV } from "#api/agones/constants.ts";
import type { Pod } from "#api/core/pod.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { controllerOf } from "#api/meta/object.ts";
import type { Writer } from "#kube/client.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import type { Clock } from "#runtime/clock.ts";
import { MOST_CONNECTIONS } from "#runtime/grpc/door.ts";
import type { Logger } from "#runtime/logger.ts";
import { beginLife } from "./begin-life.ts";
import type { DoorPair, OpenOptions, PortRange, SdkDoors } from "./doors.ts";
import { GameServerSession } from "./game-server-session.ts";
import type { GameServerSource } from "./game-server-source.ts";
import { answerProbe, type ProbeAnswer } from "./health-probe.ts";
import { type KeptChanges, keptAsJson } from "./kept-changes.ts";
import { levelLogger } from "./level-logger.ts";
import { settingsOf } from "./settings.ts";

/** What is known of the container that this stands for; the node agent's `HandlerContainerContext` has it all. */
export interface SdkServerContext {
  readonly pod: Pod;
  readonly environment: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** What `save` kept last; absent at the first start of this pod. */
  readonly saved: JsonObject | undefined;
  save(state: JsonObject): Promise<void>;
}

/** One running SDK server; a `HandlerContainer` of the node agent. */
export interface SdkServer {
  /** Where the game finds its SDK server. */
  readonly environment: Readonly<Record<string, string>>;
  probe(port: number, path: string): Promise<ProbeAnswer>;
  /** Writes what waits, for a second at most, keeps the rest for the next life, and closes the ports. */
  stop(): Promise<void>;
}

export interface SdkServersOptions {
  readonly source: GameServerSource;
  readonly client: Pick<Writer, "patch">;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the ports are bound. Default `127.0.0.1`: only games of this machine may call. */
  readonly host?: string;
  /** Default `SDK_PORT_RANGE`. */
  readonly portRange?: PortRange;
  readonly random?: () => number;
}

/**
 * Below the ports that systems give to outgoing connections: while an agent is down, no such connection, and above all
 * no game that tries to reach its SDK server again, can come to own a port that a game was told.
 */
const SDK_PORT_RANGE: PortRange = { first: 20_000, last: 29_999 };

/** How long a stop waits for what a game asked for last. */
const STOP_BUDGET_MS = 1000;

/** The ports of an earlier life cannot be bound again; the game knows no others. */
class SdkPortsLostError extends Error {
  override readonly name = "SdkPortsLostError";
  readonly code = "SdkPortsLost";
}

/**
 * `start` serves one game server. A first start chooses two free ports and keeps them with `save`; a later one binds
 * the kept ports, or rejects with `SdkPortsLostError`. It rejects, too, when the container's settings cannot be taken.
 */
export function createSdkServers(options: SdkServersOptions): {
  start(context: SdkServerContext): Promise<SdkServer>;
  /** Loads what the first `start` would have to load, 50 ms of work and more: for an agent that waits anyway. */
  load(): Promise<void>;
} {
  const { host = "127.0.0.1", portRange = SDK_PORT_RANGE, random = Math.random, clock, log } = options;
  let doors: Promise<SdkDoors> | undefined;
  const loadDoors = async (): Promise<SdkDoors> => {
    const { SdkDoors } = await import("./doors.ts");
    return new SdkDoors({ host, portRange, clock, random });
  };

  return {
    load: async () => {
      doors ??= loadDoors();
      await doors;
    },
    start: async (context) => {
      const { namespace, name, intervalMs, gates, logLevel } = settingsOf(context.environment, context.args);
      const gsKey = `${namespace}/${name}`;
      const ownLog = levelLogger(log.child({ gsKey }), logLevel);
      const kept = beginLife(context.saved, ownLog);
      let ports = portsIn(context.saved);
      const resumed = ports !== undefined;
      const keep = (content: KeptChanges) => context.save({ ...ports, ...keptAsJson(content) });
      // Before anything is written, so that no mark of this life is used by a later one, too.
      if (resumed)
        await keep(kept).catch((error: unknown) => ownLog.error({ error }, "the SDK server cannot keep changes"));
      const session = new GameServerSession({
        namespace,
        name,
        uid: controllerOf(context.pod)?.uid,
        source: options.source,
        writer: options.client,
        recorder: options.recorder,
        clock,
        log: ownLog,
        intervalMs,
        resumed,
        kept,
        keep,
        random,
      });
      doors ??= loadDoors();
      let isCrowded = false;
      const onCrowded = (): void => {
        if (isCrowded) return;
        isCrowded = true;
        ownLog.warn(
          { limit: MOST_CONNECTIONS },
          "the game has too many connections to its SDK server open: those without a request are closed",
        );
      };
      const pair = await openDoors(await doors, ports, { session, gates, onCrowded }, gsKey);
      ports = { grpcPort: pair.grpcPort, httpPort: pair.httpPort };
      try {
        if (!resumed) await keep(kept);
      } catch (error) {
        await pair.close();
        throw error;
      }
      session.start();
      ownLog.debug(ports, "SDK server started");
      return serverOf(session, pair);
    },
  };
}

async function openDoors(
  doors: SdkDoors,
  ports: Pick<DoorPair, "grpcPort" | "httpPort"> | undefined,
  options: OpenOptions,
  gsKey: string,
): Promise<DoorPair> {
  try {
    return await doors.open({ ...options, ports });
  } catch (error) {
    if (!ports) throw error;
    throw new SdkPortsLostError(
      `the SDK server of ${gsKey} cannot be reached by its game any more: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

function serverOf(session: GameServerSession, pair: DoorPair): SdkServer {
  return {
    environment: { [GRPC_PORT_ENV]: String(pair.grpcPort), [HTTP_PORT_ENV]: String(pair.httpPort) },
    probe: async (_port, path) => answerProbe(session, path),
    stop: async () => {
      await session.stop(STOP_BUDGET_MS);
      await pair.close();
    },
  };
}

function portsIn(saved: JsonObject | undefined): { grpcPort: number; httpPort: number } | undefined {
  const { grpcPort, httpPort } = saved ?? {};
  return typeof grpcPort === "number" && typeof httpPort === "number" ? { grpcPort, httpPort } : undefined;
}
