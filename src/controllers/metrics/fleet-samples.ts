import type { Fleet, FleetStatus, GameServerSet } from "#api/agones/fleet.ts";
import type { Sample } from "./sample.ts";

type FleetSample<L extends string = never> = Sample<"name" | "namespace" | "type" | L>;

const labelsOf = ({ metadata: { name = "", namespace = "" } }: Fleet) => ({ name, namespace });

/** Servers of each Fleet by what they are doing, and how many are wanted. */
export function replicaSamples(fleets: readonly Fleet[]): readonly FleetSample[] {
  return fleets.flatMap((fleet) => {
    const { replicas, allocatedReplicas, readyReplicas, reservedReplicas } = fleet.status ?? {};
    const values = {
      total: replicas,
      allocated: allocatedReplicas,
      ready: readyReplicas,
      reserved: reservedReplicas,
      desired: fleet.spec.replicas,
    };
    return Object.entries(values).map(([type, value = 0]) => ({ labels: { ...labelsOf(fleet), type }, value }));
  });
}

/** How far a rollout is: the servers with the Fleet's template, and how many the Fleet wants. */
export function rolloutSamples(
  fleets: readonly Fleet[],
  activeSetOf: (fleet: Fleet) => GameServerSet | undefined,
): readonly FleetSample[] {
  return fleets.flatMap((fleet) => [
    {
      labels: { ...labelsOf(fleet), type: "current_replicas" },
      value: activeSetOf(fleet)?.status?.replicas ?? 0,
    },
    { labels: { ...labelsOf(fleet), type: "desired_replicas" }, value: fleet.spec.replicas ?? 0 },
  ]);
}

/** Sums of the counters, or of the lists, of each Fleet. Beyond 2^53 the nearest double. */
export function aggregateSamples<K extends "counter" | "list">(
  fleets: readonly Fleet[],
  kind: K,
): readonly FleetSample<K>[] {
  return fleets.flatMap((fleet) =>
    Object.entries(aggregatesOf(fleet.status, kind)).flatMap(
      ([key, { allocatedCount, allocatedCapacity, count, capacity }]) =>
        Object.entries({
          allocated_count: allocatedCount,
          allocated_capacity: allocatedCapacity,
          total_count: count,
          total_capacity: capacity,
        }).map(([type, value = 0n]) => ({
          labels: { ...labelsOf(fleet), type, [kind]: key } as FleetSample<K>["labels"],
          value: Number(value),
        })),
    ),
  );
}

const aggregatesOf = (status: FleetStatus | undefined, kind: "counter" | "list") =>
  (kind === "counter" ? status?.counters : status?.lists) ?? {};
