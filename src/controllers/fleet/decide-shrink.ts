/** How far the sets of older templates may shrink while those of the new one come up. */
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import { type IntOrString, scaledValue } from "#api/meta/int-or-string.ts";

const DEFAULT_STEP: IntOrString = "25%";

/** The numbers of a set that the arithmetic needs, absent as zero. */
export function numbersOf(set: GameServerSet | undefined) {
  const status = set?.status;
  const { replicas = 0, allocatedReplicas = 0, reservedReplicas = 0 } = status ?? {};
  return {
    spec: set?.spec.replicas ?? 0,
    replicas,
    ready: status?.readyReplicas ?? 0,
    /** In use: they stay whatever the set is asked for. */
    busy: allocatedReplicas + reservedReplicas,
    shutdown: status?.shutdownReplicas ?? 0,
  };
}
export type Numbers = ReturnType<typeof numbersOf>;

export const sum = (all: readonly Numbers[], of: (numbers: Numbers) => number): number =>
  all.reduce((total, each) => total + of(each), 0);

export interface RolloutSnapshot {
  readonly fleet: Fleet;
  /** The set with the fleet's template; undefined before it is made. */
  readonly active: GameServerSet | undefined;
  /** All other sets of the fleet, oldest first: they are drained in this order. */
  readonly inactive: readonly GameServerSet[];
  /** The gate RollingUpdateFix. Without it an old set keeps a number while its servers are in use, as far as the fleet's goes. */
  readonly fix: boolean;
}

/** Servers above the fleet's number while a rolling update goes on. */
export const maxSurge = ({ spec }: Fleet): number =>
  scaledValue(spec.strategy?.rollingUpdate?.maxSurge ?? DEFAULT_STEP, spec.replicas ?? 0, true);

/** Of so many; at least 1, and no more than the fleet wants. */
function maxUnavailable({ spec }: Fleet, of: number): number {
  const share = scaledValue(spec.strategy?.rollingUpdate?.maxUnavailable ?? DEFAULT_STEP, of, false);
  return Math.min(Math.max(1, share), spec.replicas ?? 0);
}

/**
 * The Ready servers a set has left once it has come to `spec`, at worst. Which servers go the set decides later, by node
 * (`deletion-order.ts`), so that a Ready one may go before one that is still starting, or that was made since the status was told.
 */
const readyLeft = ({ spec, replicas, busy, ready }: Numbers, to: number): number =>
  ready - Math.min(ready, Math.max(0, Math.max(spec, replicas) - Math.max(to, busy)));

/**
 * New numbers of the inactive sets; only those that change. Two floors hold: for the servers that are Ready, and for all that live.
 * What sets were asked for and have not done yet counts as done. Servers that serve nobody go first: a set without any Ready
 * server makes room at once, whatever the new ones do. Ready servers go only while the new ones come up.
 */
export function decideShrink(snapshot: RolloutSnapshot): ReadonlyMap<GameServerSet, number> {
  const { fleet, active, inactive, fix } = snapshot;
  const now = numbersOf(active);
  const rest = inactive.map(numbersOf);
  const all = [...rest, now];
  const surplus = sum(all, (each) => readyLeft(each, each.spec)) - leastReady(fleet, rest, now, fix);
  const comingUp = now.spec - now.ready - now.busy - now.shutdown;
  const desired = fleet.spec.replicas ?? 0;
  const least = desired - maxUnavailable(fleet, desired);
  let ready = surplus > comingUp ? Math.max(0, surplus) : 0;
  let living = Math.max(0, sum(all, asked) - least);
  let wanted = Math.max(0, sum(all, ({ spec }) => spec) - least);

  const next = new Map<GameServerSet, number>();
  inactive.forEach((set, at) => {
    const numbers = rest[at] ?? now;
    const { spec, busy, replicas } = numbers;
    const before = readyLeft(numbers, spec);
    const lowest = Math.max(busy, spec - living);
    const lower = before <= ready ? lowest : Math.max(lowest, spec - ready);
    const kept = Math.min(spec, lower);
    ready -= before - readyLeft(numbers, kept);
    living -= asked(numbers) - Math.max(kept, busy);
    let settled = kept;
    // All that is left is in use: asked for none it loses none, holds nobody up, and makes no more of the old version.
    if (fix && (kept <= busy || (busy > 0 && replicas === busy))) settled = 0;
    else if (kept <= busy) settled = Math.min(kept, Math.max(0, spec - wanted));
    wanted -= spec - settled;
    if (settled !== spec) next.set(set, settled);
  });
  return next;
}

/** Servers of a set once it has come to its number. */
const asked = ({ spec, busy }: Numbers): number => Math.max(spec, busy);

/**
 * How many servers must stay Ready: of the fleet's number what is left beside the servers in use and those that may be
 * unavailable; with `fix` also all of those that are Ready but a share. Where old sets with Ready servers have so many others
 * that nothing could move any more, it gives way by as few as it takes.
 */
function leastReady(fleet: Fleet, rest: readonly Numbers[], now: Numbers, fix: boolean): number {
  const desired = fleet.spec.replicas ?? 0;
  const unavailable = maxUnavailable(fleet, desired);
  const inTheWay = sum(rest, (each) => {
    const ready = readyLeft(each, each.spec);
    return ready === 0 ? 0 : asked(each) - each.busy - ready;
  });
  const stuck = Math.max(0, inTheWay - (maxSurge(fleet) + unavailable - 1));
  const left = desired - sum([...rest, now], ({ busy }) => busy) - unavailable - stuck;
  if (!fix) return left;
  const fleetReady = fleet.status?.readyReplicas ?? 0;
  return Math.max(left, Math.min(fleetReady - maxUnavailable(fleet, fleetReady), desired));
}
