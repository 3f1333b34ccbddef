import type { AggregatedPlayerStatus, AggregatedStatus } from "#api/agones/common.ts";
import { addAggregates, saturatingAdd } from "#api/agones/counters-and-lists.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServerSet, GameServerSetStatus } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isActive, isBeingDeleted } from "#api/agones/predicates.ts";

type Sums = Map<string, AggregatedStatus>;
const zero: AggregatedStatus = { allocatedCount: 0n, allocatedCapacity: 0n, count: 0n, capacity: 0n };

function addTo(sums: Sums, name: string, count: bigint, capacity: bigint, allocated: boolean): void {
  const own = allocated ? { count, capacity, allocatedCount: count, allocatedCapacity: capacity } : { count, capacity };
  sums.set(name, addAggregates(sums.get(name) ?? zero, own));
}

/** Every key of the template is there, at zero, before the first server. */
const seeded = (template: Readonly<Record<string, unknown>> | null | undefined): Sums =>
  new Map(Object.keys(template ?? {}).map((name) => [name, zero]));

/** The status of a set from its servers. Sums of counters, lists and players saturate. */
export function decideStatus(
  set: GameServerSet,
  servers: readonly GameServer[],
  gates: FeatureGates,
): GameServerSetStatus {
  const living = servers.filter((server) => !isBeingDeleted(server));
  const inState = (state: string) => living.filter(({ status }) => status?.state === state).length;
  const status: GameServerSetStatus = {
    replicas: living.length,
    readyReplicas: inState("Ready"),
    reservedReplicas: inState("Reserved"),
    allocatedReplicas: inState("Allocated"),
    shutdownReplicas: servers.length - living.length,
  };
  return {
    ...status,
    ...(gates.PlayerTracking && { players: players(living) }),
    ...(gates.CountsAndLists && counts(set, living)),
  };
}

function players(living: readonly GameServer[]): AggregatedPlayerStatus {
  let count = 0n;
  let capacity = 0n;
  for (const server of living.filter(isActive)) {
    count = saturatingAdd(count, server.status?.players?.count ?? 0n);
    capacity = saturatingAdd(capacity, server.status?.players?.capacity ?? 0n);
  }
  return { count, capacity };
}

function counts(set: GameServerSet, living: readonly GameServer[]): Pick<GameServerSetStatus, "counters" | "lists"> {
  const counters = seeded(set.spec.template.spec.counters);
  const lists = seeded(set.spec.template.spec.lists);
  for (const { status } of living) {
    const allocated = status?.state === "Allocated";
    for (const [name, counter] of Object.entries(status?.counters ?? {}))
      addTo(counters, name, counter.count ?? 0n, counter.capacity ?? 0n, allocated);
    for (const [name, list] of Object.entries(status?.lists ?? {}))
      addTo(lists, name, BigInt(list.values?.length ?? 0), list.capacity ?? 0n, allocated);
  }
  return {
    ...(counters.size > 0 && { counters: Object.fromEntries(counters) }),
    ...(lists.size > 0 && { lists: Object.fromEntries(lists) }),
  };
}
