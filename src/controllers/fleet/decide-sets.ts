import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import { semanticEqual } from "#api/meta/equality.ts";
import { anyOf, byAge, byName } from "#api/meta/object-order.ts";
import { decideRollout, type Rollout } from "./decide-rollout.ts";

export interface FleetDecision {
  /** The set with the fleet's template; undefined: it must be made. */
  readonly active: GameServerSet | undefined;
  readonly inactive: readonly GameServerSet[];
  readonly rollout: Rollout;
  /** Inactive sets that want no server and have none left. */
  readonly remove: readonly GameServerSet[];
}

/** Templates are the same when they mean the same: `1000m` and `1`, absent and empty. */
export const hasTemplateOf = (fleet: Fleet, set: GameServerSet): boolean =>
  semanticEqual(fleet.spec.template, set.spec.template);

/**
 * Which set of a fleet is the active one, how many servers each should have, and which are empty.
 * When several sets have the fleet's template the oldest is active and the others are drained like old versions.
 */
export function decideSets(fleet: Fleet, sets: readonly GameServerSet[], fix: boolean): FleetDecision {
  const ordered = sets.toSorted(anyOf(byAge, byName));
  const active = ordered.find((set) => !set.metadata.deletionTimestamp && hasTemplateOf(fleet, set));
  const inactive = ordered.filter((set) => set !== active && !set.metadata.deletionTimestamp);
  const rollout = decideRollout({ fleet, active, inactive, fix });
  const remove = inactive.filter(
    ({ spec, status }) =>
      spec.replicas === 0 &&
      status !== undefined &&
      (status.replicas ?? 0) === 0 &&
      (status.shutdownReplicas ?? 0) === 0,
  );
  return { active, inactive, rollout, remove };
}
