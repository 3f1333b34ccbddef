import { ERRORED_AT_ANNOTATION } from "#api/agones/constants.ts";
import { deletionOrder, type NodeCounts } from "#api/agones/deletion-order.ts";
import type { GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeingDeleted, isDeletable } from "#api/agones/predicates.ts";

/** How much one pass may do, so that a large set neither floods the API nor starves others. */
export interface ScaleLimits {
  readonly maxCreations: number;
  readonly maxDeletions: number;
  /** Most servers of a set that may be on their way to Ready. */
  readonly maxPending: number;
}

export interface ScaleSnapshot {
  readonly set: GameServerSet;
  /** The set's servers with its own creations and deletions in flight laid over them. */
  readonly servers: readonly GameServer[];
  readonly nodes: ReadonlyMap<string, NodeCounts>;
  readonly limits: ScaleLimits;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Most servers that may be created now; less than needed while a template keeps failing (`start-failures.ts`). */
  readonly creationBudget: number;
}

export interface ScaleDecision {
  readonly create: number;
  readonly remove: readonly GameServer[];
  /** A batch limit cut the work short: decide again at once. */
  readonly again: boolean;
  /** When to look again though nothing happens; a server in Error grows old. */
  readonly recheckAfterMs?: number;
}

/** How long a server in Error stands in the way of a new one, so that a template the API refuses is not tried in a loop. */
export const ERROR_HOLD_MS = 30_000;

/** What is left of the hold; 0 when it is over, also when the annotation is missing or unreadable. */
function errorHoldLeft(server: GameServer, now: number): number {
  const since = Date.parse(server.metadata.annotations?.[ERRORED_AT_ANNOTATION] ?? "");
  return Number.isNaN(since) ? 0 : Math.max(0, since + ERROR_HOLD_MS - now);
}

const isPending = (server: GameServer): boolean => {
  switch (server.status?.state) {
    case "PortAllocation":
    case "Creating":
    case "Starting":
    case "Scheduled":
    case "Error":
      return true;
    default:
      return false;
  }
};

/**
 * What brings a set nearer to its number of servers.
 * Allocated and Reserved servers count and are never removed; those being deleted do not count; Unhealthy ones and old Errors go.
 */
export function decideScale({ set, servers, nodes, limits, now, creationBudget }: ScaleSnapshot): ScaleDecision {
  const target = set.spec.replicas;
  const forced: GameServer[] = [];
  const candidates: GameServer[] = [];
  let up = 0;
  let pending = 0;
  let recheckAfterMs: number | undefined;

  for (const server of servers) {
    if (!isDeletable(server)) up++;
    else if (isBeingDeleted(server)) continue;
    else if (server.status?.state === "Unhealthy") forced.push(server);
    else {
      const hold = server.status?.state === "Error" ? errorHoldLeft(server, now) : 0;
      if (server.status?.state === "Error" && hold === 0) forced.push(server);
      else {
        if (hold > 0) recheckAfterMs = Math.min(recheckAfterMs ?? hold, hold);
        if (isPending(server)) pending++;
        up++;
        // One whose creation was asked for but not answered has no UID: it counts, but cannot be written yet.
        if (server.metadata.uid) candidates.push(server);
      }
    }
  }

  const missing = set.metadata.deletionTimestamp ? 0 : Math.max(0, target - up);
  const allowed = Math.min(missing, limits.maxCreations);
  const create = Math.max(0, Math.min(allowed, limits.maxPending - pending, creationBudget));

  const surplus = Math.max(0, Math.min(candidates.length, up - target));
  const voluntary =
    surplus === 0
      ? []
      : deletionOrder(set.spec.scheduling, set.spec.priorities ?? [], candidates, nodes).slice(0, surplus);
  const wanted = [...forced, ...voluntary];
  const remove = wanted.slice(0, limits.maxDeletions);

  return {
    create,
    remove,
    again: (missing > allowed && create === allowed) || wanted.length > remove.length,
    ...(recheckAfterMs !== undefined && { recheckAfterMs }),
  };
}
