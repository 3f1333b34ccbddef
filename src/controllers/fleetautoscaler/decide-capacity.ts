import type { AggregatedStatus, Priority } from "#api/agones/common.ts";
import { deletionOrder, type NodeCounts } from "#api/agones/deletion-order.ts";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeingDeleted, isDeletable } from "#api/agones/predicates.ts";
import type { CapacityPolicy } from "#api/autoscaling/policy.ts";
import { ceilDiv, PolicyError, percentOf, replicasOf, type Size } from "./decide-size.ts";

/** A fleet as a policy sees it. */
export interface FleetView {
  readonly fleet: Fleet;
  /** The fleet's servers, asked for only where a policy takes servers away. */
  readonly servers: () => readonly GameServer[];
  /** By node name. */
  readonly nodes: ReadonlyMap<string, NodeCounts>;
}

export type CapacityKind = "counter" | "list";

/** How full one server is: a counter's count, or the number of a list's values. */
interface Fill {
  readonly count: bigint;
  readonly capacity: bigint;
}

/** What the rules of both directions look at. */
interface Situation {
  readonly replicas: bigint;
  /** Of all servers together. */
  readonly count: bigint;
  readonly capacity: bigint;
  /** Of a new server. */
  readonly fresh: Fill;
  /** The room to keep free. */
  readonly buffer: bigint;
  readonly min: bigint;
  readonly max: bigint;
  /** The servers that may be taken away, the first to go first. */
  readonly leaving: () => readonly Fill[];
}

/**
 * As many servers as keep the buffer free in a counter or list, summed over the fleet, with the capacity of all of them within the
 * policy's limits. Servers go in the order in which the fleet's sets will delete them, and only those that they may delete.
 *
 * Where no number of servers fits between the limits the maximum holds, with at least one server. Throws `PolicyError`.
 */
export function decideCapacity(kind: CapacityKind, policy: CapacityPolicy, view: FleetView): Size {
  const { fleet } = view;
  const { key, minCapacity: min = 0n, maxCapacity: max, bufferSize } = policy;
  const fresh = freshFill(fleet, kind, key);
  const totals = totalsOf(fleet, kind, key);
  const { count = 0n, capacity = 0n, allocatedCount = 0n } = totals;
  let buffer: bigint;
  if (typeof bufferSize === "string") {
    const percent = percentOf(bufferSize);
    if (allocatedCount <= 0n && fresh.capacity >= min) return { replicas: 1, limit: "minimum" };
    buffer = ceilDiv(allocatedCount * 100n, 100n - percent) - allocatedCount;
  } else buffer = BigInt(bufferSize);

  const leaving = () => leavingFills(kind, key, view);
  const replicas = BigInt(fleet.status?.replicas ?? 0);
  const situation: Situation = { replicas, count, capacity, fresh, buffer, min, max, leaving };
  const free = capacity - count;
  if (free > buffer) return capacity < min ? upToMinimum(situation) : shrunk(situation);
  if (capacity < min) return upToMinimum(situation);
  if (capacity > max) return downToMaximum(situation);
  return free === buffer ? { replicas: replicasOf(replicas) } : grown(situation, buffer - free);
}

function upToMinimum({ replicas, capacity, fresh, min, max }: Situation): Size {
  if (fresh.capacity <= 0n) throw new PolicyError("cannot reach the minimum capacity: a new server has no capacity");
  const needed = ceilDiv(min - capacity, fresh.capacity);
  const most = capacity > max ? 0n : (max - capacity) / fresh.capacity;
  return needed <= most
    ? { replicas: atLeastOne(replicas + needed), limit: "minimum" }
    : { replicas: atLeastOne(replicas + most), limit: "maximum" };
}

function downToMaximum({ replicas, capacity, max, leaving }: Situation): Size {
  let [left, held] = [replicas, capacity];
  for (const server of leaving()) {
    if (held <= max) break;
    held -= server.capacity;
    left--;
  }
  return { replicas: atLeastOne(left), limit: "maximum" };
}

function grown({ replicas, capacity, fresh, max }: Situation, missing: bigint): Size {
  const gain = fresh.capacity - fresh.count;
  if (gain <= 0n) {
    throw new PolicyError("cannot scale up as adding additional replicas does not increase available Capacity");
  }
  const wanted = ceilDiv(missing, gain);
  if (capacity + wanted * fresh.capacity <= max) return { replicas: atLeastOne(replicas + wanted) };
  return { replicas: atLeastOne(replicas + (max - capacity) / fresh.capacity), limit: "maximum" };
}

/** The maximum is not asked: every step leads towards it. */
function shrunk(situation: Situation): Size {
  const { buffer, min, leaving } = situation;
  let { replicas, count, capacity } = situation;
  if (capacity === min) return { replicas: atLeastOne(replicas), limit: "minimum" };
  for (const server of leaving()) {
    replicas--;
    if (server === NOTHING) continue;
    count -= server.count;
    capacity -= server.capacity;
    const free = capacity - count;
    if (free < buffer) return { replicas: atLeastOne(replicas + 1n) };
    if (capacity < min) return { replicas: atLeastOne(replicas + 1n), limit: "minimum" };
    if (free === buffer) return { replicas: atLeastOne(replicas) };
    if (capacity === min) return { replicas: atLeastOne(replicas), limit: "minimum" };
  }
  return { replicas: atLeastOne(replicas) };
}

const atLeastOne = (replicas: bigint): number => replicasOf(replicas < 1n ? 1n : replicas);

/** A server without the key. */
const NOTHING: Fill = { count: 0n, capacity: 0n };

function leavingFills(kind: CapacityKind, key: string, { fleet, servers, nodes }: FleetView): readonly Fill[] {
  const { scheduling, priorities } = fleet.spec;
  const candidates = servers().filter((server) => isDeletable(server) && !isBeingDeleted(server));
  const ordered = deletionOrder(scheduling, (priorities ?? []) as readonly Priority[], candidates, nodes);
  return ordered.map(({ status }) => fillOf(kind, status, key) ?? NOTHING);
}

function freshFill({ spec }: Fleet, kind: CapacityKind, key: string): Fill {
  const fill = fillOf(kind, spec.template.spec, key);
  if (!fill) throw new PolicyError(`the fleet's template has no ${kind} ${JSON.stringify(key)}`);
  return fill;
}

/** Without servers there may be no totals yet; with servers, what is not there cannot be reckoned with. */
function totalsOf({ status }: Fleet, kind: CapacityKind, key: string): AggregatedStatus {
  const totals = entryOf(kind === "counter" ? status?.counters : status?.lists, key);
  if (totals) return totals;
  if ((status?.replicas ?? 0) === 0) return {};
  throw new PolicyError(`the fleet's status has no ${kind} ${JSON.stringify(key)}`);
}

function fillOf(
  kind: CapacityKind,
  from: Pick<NonNullable<GameServer["status"]>, "counters" | "lists"> | undefined,
  key: string,
): Fill | undefined {
  if (kind === "counter") {
    const counter = entryOf(from?.counters, key);
    return counter && { count: counter.count ?? 0n, capacity: counter.capacity ?? 0n };
  }
  const list = entryOf(from?.lists, key);
  return list && { count: BigInt(list.values?.length ?? 0), capacity: list.capacity ?? 0n };
}

function entryOf<T>(map: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined {
  return map && Object.hasOwn(map, key) ? map[key] : undefined;
}
