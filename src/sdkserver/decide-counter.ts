/** What a call does to a counter. */
import type { CounterStatus } from "#api/agones/common.ts";
import { withCount } from "#api/agones/counters-and-lists.ts";
import type { GameServer } from "#api/agones/gameserver.ts";

/**
 * The stored count, or `count` in its place, plus `diff`, at most `ceiling`; then within 0 and the capacity. So it means the same on
 * whatever object it comes to be written: what others add meanwhile stays.
 */
export interface CounterChange {
  readonly type: "counter";
  readonly key: string;
  readonly capacity?: bigint;
  readonly count?: bigint;
  readonly diff: bigint;
  /** What a lower capacity has cut the count to, by now. */
  readonly ceiling?: bigint;
}

export interface CounterRequest {
  readonly name: string;
  readonly capacity?: bigint | undefined;
  readonly count?: bigint | undefined;
  readonly countDiff: bigint;
}

/** The counter of that name, or `undefined`. */
export function counterOf({ status }: GameServer, name: string): CounterStatus | undefined {
  const counters = status?.counters;
  return counters && Object.hasOwn(counters, name) ? counters[name] : undefined;
}

/** Capacity, then count, then difference, on the counter as it is; or why nothing of it is done. */
export function decideCounter(
  gameServer: GameServer,
  { name, capacity, count, countDiff }: CounterRequest,
): { readonly change: CounterChange } | { readonly refused: string } {
  if (capacity === undefined && count === undefined && countDiff === 0n)
    return { refused: `invalid argument. Malformed CounterUpdateRequest: name:${JSON.stringify(name)}` };
  const counter = counterOf(gameServer, name);
  if (!counter) return { refused: `counter not found: ${name}` };
  if (capacity !== undefined && capacity < 0n)
    return { refused: `out of range. Capacity must be greater than or equal to 0. Found Capacity: ${capacity}` };
  const most = capacity ?? counter.capacity ?? 0n;
  const asked = [
    ...(count === undefined ? [] : [count]),
    ...(countDiff === 0n ? [] : [(count ?? counter.count ?? 0n) + countDiff]),
  ];
  const found = asked.find((value) => value < 0n || value > most);
  if (found !== undefined)
    return {
      refused: `out of range. Count must be within range [0,Capacity]. Found Count: ${found}, Capacity: ${most}`,
    };
  return {
    change: {
      type: "counter",
      key: name,
      diff: countDiff,
      ...(count !== undefined && { count }),
      ...(capacity !== undefined && { capacity, ceiling: capacity }),
    },
  };
}

export function applyToCounter(counter: CounterStatus, { capacity, count, diff, ceiling }: CounterChange) {
  const sum = (count ?? counter.count ?? 0n) + diff;
  return withCount(
    { ...counter, capacity: capacity ?? counter.capacity ?? 0n },
    ceiling === undefined ? sum : least(sum, ceiling),
  );
}

/** One change that does what the two do one after the other. */
export function mergeCounterChanges(older: CounterChange, newer: CounterChange): CounterChange {
  const { type, key } = newer;
  const capacity = newer.capacity ?? older.capacity;
  const begins: Pick<CounterChange, "count" | "diff" | "ceiling"> =
    newer.count === undefined ? older : { count: newer.count, diff: 0n };
  const ceilings = [
    ...(begins.ceiling === undefined ? [] : [begins.ceiling + newer.diff]),
    ...(newer.ceiling === undefined ? [] : [newer.ceiling]),
  ];
  return {
    type,
    key,
    diff: begins.diff + newer.diff,
    ...(capacity !== undefined && { capacity }),
    ...(begins.count !== undefined && { count: begins.count }),
    ...(ceilings.length > 0 && { ceiling: ceilings.reduce(least) }),
  };
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
