/** Which of two servers a list of priorities prefers. */
import type { Priority } from "./common.ts";
import type { GameServer } from "./gameserver.ts";

/**
 * Room left under a priority's key: capacity minus count, or capacity minus the number of values.
 * Undefined when the server does not have that counter or list. Negative when it holds more than its capacity.
 */
export function availableCapacity({ status }: GameServer, { type, key = "" }: Priority): bigint | undefined {
  if (type === "Counter") {
    const counter = own(status?.counters, key);
    return counter && (counter.capacity ?? 0n) - (counter.count ?? 0n);
  }
  if (type === "List") {
    const list = own(status?.lists, key);
    return list && (list.capacity ?? 0n) - BigInt(list.values?.length ?? 0);
  }
  return undefined;
}

/**
 * Negative when `a` comes first, positive when `b` does, zero when the priorities do not tell them apart.
 * The first priority that tells them apart decides. `Ascending` puts less room first, `Descending` more;
 * a server without the key comes after one that has it in both orders. An order left out is `Ascending`
 * (also where only one has the key, so that this is an order and sorts agree).
 */
export function comparePriorities(priorities: readonly Priority[], a: GameServer, b: GameServer): number {
  for (const priority of priorities) {
    const first = availableCapacity(a, priority);
    const second = availableCapacity(b, priority);
    if (first === second) continue;
    if (first === undefined) return 1;
    if (second === undefined) return -1;
    return first < second === (priority.order !== "Descending") ? -1 : 1;
  }
  return 0;
}

function own<T>(map: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined {
  return map && Object.hasOwn(map, key) ? map[key] : undefined;
}
