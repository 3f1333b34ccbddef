/** Fleets with counters and lists, as policies see them. */
import { addAggregates } from "#api/agones/counters-and-lists.ts";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { buildFleet, buildGameServer } from "../fixtures.ts";
import type { CapacityKind, FleetView } from "./decide-capacity.ts";

/** A server's count and capacity under the key `key`; none: it lacks the key. */
export type Filled = readonly [count: number, capacity: number, state?: GameServerState] | "none";

const listOf = (count: number, capacity: number) => ({
  capacity: BigInt(capacity),
  values: Array.from({ length: count }, (_, at) => `value-${at}`),
});
const counterOf = (count: number, capacity: number) => ({ count: BigInt(count), capacity: BigInt(capacity) });

const held = (kind: CapacityKind, count: number, capacity: number) =>
  kind === "counter" ? { counters: { key: counterOf(count, capacity) } } : { lists: { key: listOf(count, capacity) } };

function serverOf(kind: CapacityKind, filled: Filled, at: number): GameServer {
  const [count, capacity, state = "Ready"] = filled === "none" ? [0, 0] : filled;
  const status = { nodeName: "node-1", ...(filled !== "none" && held(kind, count, capacity)) };
  return buildGameServer(`arena-${String(at).padStart(3, "0")}`, state, { status });
}

/** A fleet of these servers, whose template has the key with `fresh`; its status is the sum over the servers. */
export function viewOf(kind: CapacityKind, fresh: readonly [number, number], filled: readonly Filled[]): FleetView {
  const servers = filled.map((each, at) => serverOf(kind, each, at));
  let totals = addAggregates({}, {});
  for (const each of filled) {
    if (each === "none") continue;
    const { count, capacity } = counterOf(each[0], each[1]);
    const allocated = each[2] === "Allocated" ? { allocatedCount: count, allocatedCapacity: capacity } : {};
    totals = addAggregates(totals, { count, capacity, ...allocated });
  }
  const fleet = buildFleet(filled.length, {
    spec: { template: { spec: { ...held(kind, ...fresh), template: { spec: { containers: [] } } } } },
    status: {
      replicas: filled.length,
      allocatedReplicas: filled.filter((each) => each[2] === "Allocated").length,
      ...(kind === "counter" ? { counters: { key: totals } } : { lists: { key: totals } }),
    },
  });
  return { fleet, servers: () => servers, nodes: new Map([["node-1", { ready: filled.length, allocated: 0 }]]) };
}
