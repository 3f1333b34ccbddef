import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import { type IntOrString, scaledValue } from "#api/meta/int-or-string.ts";

/** How many servers each set of a fleet should have now. */
export interface Rollout {
  readonly active: number;
  /** Only the inactive sets whose number changes. */
  readonly inactive: ReadonlyMap<GameServerSet, number>;
}

export interface RolloutSnapshot {
  readonly fleet: Fleet;
  /** The set with the fleet's template; undefined before it is made. */
  readonly active: GameServerSet | undefined;
  /** All other sets of the fleet, oldest first. */
  readonly inactive: readonly GameServerSet[];
  /** The gate RollingUpdateFix. */
  readonly fix: boolean;
}

const DEFAULT_STEP: IntOrString = "25%";

/** The numbers of a set that the arithmetic needs, absent as zero. */
function numbersOf(set: GameServerSet | undefined) {
  const status = set?.status;
  return {
    spec: set?.spec.replicas ?? 0,
    replicas: status?.replicas ?? 0,
    ready: status?.readyReplicas ?? 0,
    allocated: status?.allocatedReplicas ?? 0,
    reserved: status?.reservedReplicas ?? 0,
    shutdown: status?.shutdownReplicas ?? 0,
  };
}
type Numbers = ReturnType<typeof numbersOf>;

const sum = (all: readonly Numbers[], of: (numbers: Numbers) => number): number =>
  all.reduce((total, each) => total + of(each), 0);

/** Whatever the strategy, allocated servers of old sets stay and count towards the fleet. */
export function decideRollout(snapshot: RolloutSnapshot): Rollout {
  const { fleet, inactive } = snapshot;
  const desired = fleet.spec.replicas ?? 0;
  const unchanged = new Map<GameServerSet, number>();
  if (inactive.length === 0) return { active: desired, inactive: unchanged };

  const rest = inactive.map(numbersOf);
  if (sum(rest, ({ spec }) => spec) === 0) {
    const held = sum(rest, ({ reserved, allocated }) => reserved + allocated);
    return { active: Math.max(0, desired - held), inactive: unchanged };
  }
  if (fleet.spec.strategy?.type === "Recreate") {
    const toZero = new Map(inactive.filter(({ spec }) => spec.replicas !== 0).map((set) => [set, 0]));
    return { active: Math.max(0, desired - sum(rest, ({ allocated }) => allocated)), inactive: toZero };
  }
  return { active: activeTarget(snapshot, desired, rest), inactive: shrunk(snapshot, desired) };
}

function activeTarget({ fleet, active }: RolloutSnapshot, desired: number, rest: readonly Numbers[]): number {
  const now = numbersOf(active);
  const allocated = sum(rest, (each) => each.allocated);
  if (now.spec !== now.replicas) return now.spec;
  if (desired === 0) return 0;
  if (now.spec >= desired - allocated) return Math.max(0, desired - allocated);
  const surge = scaledValue(fleet.spec.strategy?.rollingUpdate?.maxSurge ?? DEFAULT_STEP, desired, true);
  let target = Math.min(now.spec + surge, desired);
  const total = sum(rest, ({ replicas }) => replicas) + target;
  if (total > desired + surge) target = Math.max(0, target - (total - desired - surge));
  return target + allocated > desired ? Math.max(0, desired - allocated) : target;
}

/** New numbers of the inactive sets: first what never became healthy, then as many as may be unavailable. */
function shrunk(
  { fleet, active, inactive, fix }: RolloutSnapshot,
  desired: number,
): ReadonlyMap<GameServerSet, number> {
  const now = numbersOf(active);
  const all = [...inactive.map(numbersOf), now];
  const ready = sum(all, (each) => each.ready);
  const fleetReady = fleet.status?.readyReplicas ?? 0;
  const share = scaledValue(
    fleet.spec.strategy?.rollingUpdate?.maxUnavailable ?? DEFAULT_STEP,
    fix ? fleetReady : desired,
    false,
  );
  const unavailable = Math.min(Math.max(1, share), desired);
  const minAvailable = fix ? Math.min(fleetReady - unavailable, desired) : desired - unavailable;
  const comingUp = fix
    ? now.spec - now.ready - now.reserved - now.allocated - now.shutdown
    : now.spec - now.ready - now.allocated;
  let budget = (fix ? ready : sum(all, ({ spec }) => spec)) - minAvailable - comingUp;
  const next = new Map<GameServerSet, number>();
  if (budget <= 0) return next;

  const specOf = (set: GameServerSet): number => next.get(set) ?? set.spec.replicas;
  for (const set of inactive) {
    const numbers = numbersOf(set);
    const healthy = fix ? numbers.ready + numbers.allocated + numbers.reserved : numbers.ready;
    const cut = Math.min(budget, specOf(set) - healthy);
    if (specOf(set) === 0 || cut <= 0) continue;
    next.set(set, specOf(set) - cut);
    budget -= cut;
  }

  let surplus = ready - minAvailable;
  for (const set of inactive) {
    if (surplus <= 0) break;
    const numbers = numbersOf(set);
    const spec = specOf(set);
    if (spec <= 0) continue;
    if (spec !== numbers.replicas) break;
    const cut = numbers.shutdown === 0 ? Math.min(spec, surplus) : 0;
    const target = fix && numbers.replicas === numbers.allocated ? 0 : spec - cut;
    if (target === spec) continue;
    next.set(set, target);
    surplus -= cut;
  }
  return next;
}
