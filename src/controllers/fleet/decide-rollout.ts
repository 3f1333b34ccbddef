import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import { conditionOf } from "#api/meta/conditions.ts";
import { decideShrink, maxSurge, type Numbers, numbersOf, type RolloutSnapshot, sum } from "./decide-shrink.ts";

/** How many servers each set of a fleet should have now. */
export interface Rollout {
  readonly active: number;
  /** Only the inactive sets whose number changes. */
  readonly inactive: ReadonlyMap<GameServerSet, number>;
}

/** Whatever the strategy, servers in use of old sets stay and count towards the fleet. */
export function decideRollout(snapshot: RolloutSnapshot): Rollout {
  const { fleet, active, inactive } = snapshot;
  const desired = fleet.spec.replicas ?? 0;
  const rest = inactive.map(numbersOf);
  /** What servers in use of old sets leave to the active one. */
  const left = Math.max(0, desired - sum(rest, ({ busy }) => busy));
  if (desired === 0 || fleet.spec.strategy?.type === "Recreate") {
    const toZero = new Map(inactive.filter(({ spec }) => spec.replicas !== 0).map((set) => [set, 0]));
    return { active: left, inactive: toZero };
  }
  const now = numbersOf(active);
  if (inactive.length > 0 && [...inactive, ...(active ? [active] : [])].some(isBehind))
    return { active: Math.min(left, now.spec), inactive: new Map() };
  return { active: Math.min(left, activeTarget(fleet, now, rest, left)), inactive: decideShrink(snapshot) };
}

/** No more servers over all sets than the fleet's number and the surge; one surge a step while old sets still want servers. */
function activeTarget(fleet: Fleet, now: Numbers, rest: readonly Numbers[], left: number): number {
  const desired = fleet.spec.replicas ?? 0;
  const surge = maxSurge(fleet);
  const rolling = sum(rest, ({ spec }) => spec) > 0;
  // A step is in flight.
  if (rolling && now.spec > now.replicas) return now.spec;
  const room = desired + surge - sum(rest, ({ spec, replicas }) => Math.max(spec, replicas));
  return Math.max(now.spec, Math.min(rolling ? now.spec + surge : left, room));
}

/** Its status tells of an earlier number: what it has now nobody knows, and the sets are weighed against one another. */
function isBehind({ metadata, status }: GameServerSet): boolean {
  const observed = conditionOf(status?.conditions, "Available")?.observedGeneration;
  return observed !== undefined && metadata.generation !== undefined && observed < metadata.generation;
}
