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
  const { replicas = 0, allocatedReplicas = 0, reservedReplicas = 0 } = status ?? {};
  return {
    spec: set?.spec.replicas ?? 0,
    replicas,
    ready: status?.readyReplicas ?? 0,
    allocated: allocatedReplicas,
    /** In use: they stay whatever the set is asked for. */
    busy: allocatedReplicas + reservedReplicas,
    shutdown: status?.shutdownReplicas ?? 0,
  };
}
type Numbers = ReturnType<typeof numbersOf>;

const sum = (all: readonly Numbers[], of: (numbers: Numbers) => number): number =>
  all.reduce((total, each) => total + of(each), 0);

/** Whatever the strategy, servers in use of old sets stay and count towards the fleet. */
export function decideRollout(snapshot: RolloutSnapshot): Rollout {
  const { fleet, inactive } = snapshot;
  const desired = fleet.spec.replicas ?? 0;
  const rest = inactive.map(numbersOf);
  const left = Math.max(0, desired - sum(rest, ({ busy }) => busy));
  if (desired === 0 || fleet.spec.strategy?.type === "Recreate" || sum(rest, ({ spec }) => spec) === 0) {
    const toZero = new Map(inactive.filter(({ spec }) => spec.replicas !== 0).map((set) => [set, 0]));
    return { active: left, inactive: toZero };
  }
  return { active: activeTarget(snapshot, desired, left, rest), inactive: shrunk(snapshot, desired) };
}

/** One step of at most the surge, and no more servers over all sets than the fleet's number and the surge. */
function activeTarget(
  { fleet, active }: RolloutSnapshot,
  desired: number,
  left: number,
  rest: readonly Numbers[],
): number {
  const now = numbersOf(active);
  if (now.spec !== now.replicas) return now.spec;
  const surge = scaledValue(fleet.spec.strategy?.rollingUpdate?.maxSurge ?? DEFAULT_STEP, desired, true);
  const held = sum(rest, ({ spec, replicas }) => Math.max(spec, replicas));
  const step = Math.max(0, Math.min(surge, desired + surge - held - now.spec));
  return Math.min(left, now.spec + step);
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
  const comingUp = fix ? now.spec - now.ready - now.busy - now.shutdown : now.spec - now.ready - now.allocated;
  let budget = (fix ? ready : sum(all, ({ spec }) => spec)) - minAvailable - comingUp;
  const next = new Map<GameServerSet, number>(fix ? inactive.filter(isAllBusy).map((set) => [set, 0]) : []);
  if (budget <= 0) return next;

  const specOf = (set: GameServerSet): number => next.get(set) ?? set.spec.replicas;
  for (const set of inactive) {
    const numbers = numbersOf(set);
    const healthy = fix ? numbers.ready + numbers.busy : numbers.ready;
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
    if (numbers.shutdown > 0) continue;
    const cut = Math.min(spec, surplus);
    next.set(set, spec - cut);
    surplus -= cut;
  }
  return next;
}

/** All servers it has are in use. Asked for none it loses none, holds nobody up, and makes no more of the old version. */
function isAllBusy(set: GameServerSet): boolean {
  const { spec, replicas, busy } = numbersOf(set);
  return spec > 0 && busy > 0 && replicas === busy;
}
