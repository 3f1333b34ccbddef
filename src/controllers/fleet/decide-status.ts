import type { AggregatedStatus } from "#api/agones/common.ts";
import { addAggregates, saturatingAdd } from "#api/agones/counters-and-lists.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { Fleet, FleetStatus, GameServerSet, GameServerSetStatus } from "#api/agones/fleet.ts";

type Aggregates = Readonly<Record<string, AggregatedStatus>> | null | undefined;

const zero: AggregatedStatus = { allocatedCount: 0n, allocatedCapacity: 0n, count: 0n, capacity: 0n };

function merged(
  all: readonly Aggregates[],
  template: Readonly<Record<string, unknown>> | null | undefined,
): Readonly<Record<string, AggregatedStatus>> | undefined {
  const sums = new Map<string, AggregatedStatus>(Object.keys(template ?? {}).map((name) => [name, zero]));
  for (const aggregates of all) {
    for (const [name, each] of Object.entries(aggregates ?? {}))
      sums.set(name, addAggregates(sums.get(name) ?? {}, each));
  }
  return sums.size > 0 ? Object.fromEntries(sums) : undefined;
}

/**
 * The status of a fleet: sums over all its sets, active and not. Every counter and list of the template is there, at zero, before
 * the first set: an autoscaler has something to go by.
 */
export function decideStatus(fleet: Fleet, sets: readonly GameServerSet[], gates: FeatureGates): FleetStatus {
  const statuses = sets.map(({ status }) => status ?? {});
  const total = (of: "replicas" | "readyReplicas" | "reservedReplicas" | "allocatedReplicas"): number =>
    statuses.reduce((sum, status: GameServerSetStatus) => sum + (status[of] ?? 0), 0);
  const template = gates.CountsAndLists ? fleet.spec.template.spec : undefined;
  const counters = merged(
    statuses.map((status) => status.counters),
    template?.counters,
  );
  const lists = merged(
    statuses.map((status) => status.lists),
    template?.lists,
  );
  const withPlayers = statuses.flatMap(({ players }) => (players ? [players] : []));
  return {
    replicas: total("replicas"),
    readyReplicas: total("readyReplicas"),
    reservedReplicas: total("reservedReplicas"),
    allocatedReplicas: total("allocatedReplicas"),
    ...(counters && { counters }),
    ...(lists && { lists }),
    ...(withPlayers.length > 0 && {
      players: {
        count: withPlayers.reduce((sum, { count }) => saturatingAdd(sum, count ?? 0n), 0n),
        capacity: withPlayers.reduce((sum, { capacity }) => saturatingAdd(sum, capacity ?? 0n), 0n),
      },
    }),
  };
}
