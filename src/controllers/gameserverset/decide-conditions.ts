import type { GAMESERVERSET_CONDITIONS } from "#api/agones/condition-types.ts";
import type { GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isActive, isBeingDeleted } from "#api/agones/predicates.ts";
import { type Condition, setCondition } from "#api/meta/conditions.ts";
import { anyOf, byAge, byName } from "#api/meta/object-order.ts";
import { withPause } from "../decide-pause.ts";

/** How long a server may take to become Ready before it is said to be stuck. */
export const STUCK_MS = 120_000;

/** So many of the oldest servers are asked what keeps them from starting: those that nothing keeps become Ready, and are not among them. */
const LOOKED_AT = 64;

export interface ConditionsSnapshot {
  readonly set: GameServerSet;
  readonly servers: readonly GameServer[];
  /** What the API server said when it refused to make a server of the set; undefined when it did not. */
  readonly refusal: string | undefined;
  /** How servers are made while they fail to start; undefined when they do not. */
  readonly backOff: BackOff | undefined;
  /** What a server waits for, in words for people. */
  readonly why: (server: GameServer) => string;
  /** What keeps a server from starting and does not pass by itself; undefined when nothing of the kind is known. */
  readonly obstacleOf: (server: GameServer) => Obstacle | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What keeps a server from starting, and does not pass by itself. */
export interface Obstacle {
  readonly reason: "ServersUnschedulable" | "ContainersWaiting";
  /** In words for people. */
  readonly message: string;
}

export interface BackOff {
  /** Milliseconds between two tries. */
  readonly pauseMs: number;
  /** Why a server failed, in words for people. */
  readonly cause: string;
  /** Its game had called Ready. */
  readonly afterReady: boolean;
}

type Types = typeof GAMESERVERSET_CONDITIONS;
interface Verdict<T extends keyof Types> {
  readonly status: "True" | "False";
  readonly reason: Types[T][number];
  readonly message: string;
}

/** When the server was made; now, for one whose creation was not answered yet. */
const madeAt = ({ metadata }: GameServer, now: number): number => Date.parse(metadata.creationTimestamp ?? "") || now;

/** Servers that live and are neither Ready nor in use. */
const starting = (servers: readonly GameServer[]): readonly GameServer[] =>
  servers.filter((server) => !isBeingDeleted(server) && !isActive(server));

/** Milliseconds until a server will be stuck that is not yet; undefined when none will be. */
export function stuckAfter(servers: readonly GameServer[], now: number): number | undefined {
  const left = starting(servers)
    .map((server) => madeAt(server, now) + STUCK_MS - now)
    .filter((ms) => ms > 0);
  return left.length > 0 ? Math.min(...left) : undefined;
}

/** What a set says of itself; the very list it has when nothing changed. */
export function decideConditions(snapshot: ConditionsSnapshot): readonly Condition[] {
  const { set, now } = snapshot;
  const { generation } = set.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const withAvailable = setCondition(
    set.status?.conditions,
    { type: "Available", ...available(snapshot), ...observed },
    now,
  );
  return setCondition(withAvailable, { type: "BackingOff", ...backingOff(snapshot), ...observed }, now);
}

function available({ set, servers, refusal, why, obstacleOf, now }: ConditionsSnapshot): Verdict<"Available"> {
  const wanted = set.spec.replicas;
  const living = servers.filter((server) => !isBeingDeleted(server)).length;
  if (wanted === 0 && living === 0) return { status: "True", reason: "NoServersWanted", message: "" };
  if (refusal !== undefined && living < wanted)
    return { status: "False", reason: "CreationRefused", message: `the API server refuses more servers: ${refusal}` };

  const notReady = starting(servers).toSorted(anyOf(byAge, byName));
  const [oldest] = notReady;
  if (oldest && madeAt(oldest, now) + STUCK_MS <= now) {
    const stuck = notReady.filter((server) => madeAt(server, now) + STUCK_MS <= now).length;
    const message = `${oldest.metadata.name}: ${why(oldest)}; ${stuck} of ${wanted} servers take longer than ${STUCK_MS / 1000} s to become Ready`;
    return { status: "False", reason: "ServersStuck", message };
  }
  if (living < wanted)
    return { status: "False", reason: "ServersMissing", message: `${living} of ${wanted} servers are there` };
  if (oldest) {
    const message = `${living - notReady.length} of ${wanted} servers have become Ready`;
    for (const server of notReady.slice(0, LOOKED_AT)) {
      const obstacle = obstacleOf(server);
      if (obstacle)
        return {
          status: "False",
          reason: obstacle.reason,
          message: `${server.metadata.name}: ${obstacle.message}; ${message}`,
        };
    }
    return { status: "False", reason: "ServersStarting", message };
  }
  return { status: "True", reason: "EnoughServers", message: `${living} servers, ${wanted} wanted` };
}

function backingOff({ backOff }: ConditionsSnapshot): Verdict<"BackingOff"> {
  if (!backOff) return { status: "False", reason: "StartsSucceed", message: "" };
  const what = backOff.afterReady ? "servers are Ready, and fail at once" : "servers end before they are Ready";
  const message = withPause(`${backOff.cause}; ${what}`, backOff.pauseMs);
  return { status: "True", reason: backOff.afterReady ? "FailsAfterReady" : "StartsFail", message };
}
