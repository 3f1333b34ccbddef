/**
 * Counters and lists of a GameServer: the clamping and truncation rules, and the actions with their error texts.
 * The SDK server, allocation and the controllers call the same functions. All values are exact int64.
 */
import type { AggregatedStatus, CounterStatus, ListStatus } from "./common.ts";
import { LIST_MAX_ITEMS } from "./constants.ts";
import type { GameServer } from "./gameserver.ts";

export const INT64_MAX = 2n ** 63n - 1n;
export const INT64_MIN = -(2n ** 63n);

/** The sum, held within int64. */
export function saturatingAdd(a: bigint, b: bigint): bigint {
  const sum = a + b;
  return sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : sum;
}

/** Member-wise saturating sum, for totals over servers and over sets. Absent members count as zero. */
export function addAggregates(a: AggregatedStatus, b: AggregatedStatus): Required<AggregatedStatus> {
  const sum = (name: keyof AggregatedStatus) => saturatingAdd(a[name] ?? 0n, b[name] ?? 0n);
  return {
    allocatedCount: sum("allocatedCount"),
    allocatedCapacity: sum("allocatedCapacity"),
    count: sum("count"),
    capacity: sum("capacity"),
  };
}

/** Sets the count, clamped to 0..capacity. */
export function withCount(counter: CounterStatus, count: bigint): CounterStatus {
  const capacity = counter.capacity ?? 0n;
  return { ...counter, count: count < 0n ? 0n : count > capacity ? capacity : count };
}

/** Sets the capacity; a count above it is lowered to fit. */
function withCounterCapacity(counter: CounterStatus, capacity: bigint): CounterStatus {
  return withCount({ ...counter, capacity }, counter.count ?? 0n);
}

/** Sets the capacity; values beyond it are cut from the end. */
function withListCapacity(list: ListStatus, capacity: bigint): ListStatus {
  return { ...list, capacity, values: (list.values ?? []).slice(0, Number(capacity)) };
}

/** Appends the values that are not there yet, in order, removes duplicates, and cuts to the capacity from the end. */
export function withValues(list: ListStatus, values: readonly string[]): ListStatus {
  return withListCapacity({ ...list, values: [...new Set([...(list.values ?? []), ...values])] }, list.capacity ?? 0n);
}

/** Removes every occurrence of the values; those that are not there are ignored. */
export function withoutValues(list: ListStatus, values: readonly string[]): ListStatus {
  const removed = new Set(values);
  return { ...list, values: (list.values ?? []).filter((value) => !removed.has(value)) };
}

/** What an action made of a server: the changed one, or the same one and why nothing changed. */
export interface ActionOutcome {
  readonly gameServer: GameServer;
  readonly error?: string;
}

/** Fails for a negative capacity and for a counter the server does not have. */
export function updateCounterCapacity(gameServer: GameServer, name: string, capacity: bigint): ActionOutcome {
  const refuse = refusal(gameServer, `unable to UpdateCounterCapacity: Name ${name}, Capacity ${capacity}.`);
  if (capacity < 0n) return refuse("Capacity must be greater than or equal to 0");
  return changeCounter(gameServer, name, (counter) => withCounterCapacity(counter, capacity), refuse);
}

/** `Increment` or `Decrement` by `amount`, clamped. Fails for another word, a negative amount and an unknown counter. */
export function updateCount(gameServer: GameServer, name: string, action: string, amount: bigint): ActionOutcome {
  const refuse = refusal(gameServer, `unable to UpdateCount with Name ${name}, Action ${action}, Amount ${amount}.`);
  if (action !== "Increment" && action !== "Decrement") {
    return refuse("Allocation action must be one of Increment or Decrement");
  }
  if (amount < 0n) return refuse("Amount must be greater than 0");
  const change = action === "Increment" ? amount : -amount;
  return changeCounter(gameServer, name, (counter) => withCount(counter, (counter.count ?? 0n) + change), refuse);
}

/** Fails for a capacity outside 0..1000 and for a list the server does not have. */
export function updateListCapacity(gameServer: GameServer, name: string, capacity: bigint): ActionOutcome {
  const refuse = refusal(gameServer, `unable to UpdateListCapacity: Name ${name}, Capacity ${capacity}.`);
  if (capacity < 0n || capacity > BigInt(LIST_MAX_ITEMS)) {
    return refuse(`Capacity must be between 0 and ${LIST_MAX_ITEMS}, inclusive`);
  }
  return changeList(gameServer, name, (list) => withListCapacity(list, capacity), refuse);
}

/** Appends values (see `withValues`). Fails for a list the server does not have. */
export function appendListValues(gameServer: GameServer, name: string, values: readonly string[]): ActionOutcome {
  const refuse = refusal(gameServer, `unable to AppendListValues: Name ${name}, Values [${values.join(" ")}].`);
  return changeList(gameServer, name, (list) => withValues(list, values), refuse);
}

/** Deletes values (see `withoutValues`). Fails for a list the server does not have. */
export function deleteListValues(gameServer: GameServer, name: string, values: readonly string[]): ActionOutcome {
  const refuse = refusal(gameServer, `unable to DeleteListValues: Name ${name}, Values [${values.join(" ")}].`);
  return changeList(gameServer, name, (list) => withoutValues(list, values), refuse);
}

type Refuse = (why: string) => ActionOutcome;

const refusal =
  (gameServer: GameServer, head: string): Refuse =>
  (why) => ({ gameServer, error: `${head} ${why}` });

const notFoundIn = (what: string, { metadata }: GameServer): string =>
  `${what} not found in GameServer ${metadata.name}`;

function changeCounter(
  gameServer: GameServer,
  name: string,
  change: (counter: CounterStatus) => CounterStatus,
  refuse: Refuse,
): ActionOutcome {
  const counters = gameServer.status?.counters;
  if (!counters || !Object.hasOwn(counters, name)) return refuse(notFoundIn("Counter", gameServer));
  const changed = { ...counters, [name]: change(counters[name] ?? {}) };
  return { gameServer: { ...gameServer, status: { ...gameServer.status, counters: changed } } };
}

function changeList(
  gameServer: GameServer,
  name: string,
  change: (list: ListStatus) => ListStatus,
  refuse: Refuse,
): ActionOutcome {
  const lists = gameServer.status?.lists;
  if (!lists || !Object.hasOwn(lists, name)) return refuse(notFoundIn("List", gameServer));
  const changed = { ...lists, [name]: change(lists[name] ?? {}) };
  return { gameServer: { ...gameServer, status: { ...gameServer.status, lists: changed } } };
}
