import type { Fleet } from "#api/agones/fleet.ts";
import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import type { Finding } from "./decide-status.ts";

/**
 * Why an autoscaler leaves its fleet alone, whatever its policy says; undefined when nothing stands in its way. Of several
 * autoscalers of one fleet the oldest acts: otherwise they would set its size by turns.
 *
 * @param autoscalers all of the fleet, itself among them
 */
export function decideObstacle(
  autoscaler: FleetAutoscaler,
  fleet: Fleet | undefined,
  autoscalers: readonly FleetAutoscaler[],
): Finding | undefined {
  if (!fleet) return { type: "fleetNotFound" };
  if (fleet.metadata.deletionTimestamp) return { type: "fleetBeingDeleted" };
  const [oldest] = autoscalers.filter(({ metadata }) => !metadata.deletionTimestamp).toSorted(byAge);
  if (!oldest || oldest.metadata.uid === autoscaler.metadata.uid) return undefined;
  return { type: "fleetTaken", by: oldest.metadata.name ?? "" };
}

/** RFC 3339 in UTC with whole seconds sorts as text. */
const byAge = (a: FleetAutoscaler, b: FleetAutoscaler): number =>
  order(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
  order(a.metadata.name ?? "", b.metadata.name ?? "");

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
