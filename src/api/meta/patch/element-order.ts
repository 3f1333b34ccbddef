/** The order of a list that a strategic merge patch has merged. */
import { isJsonObject, type JsonArray, type JsonValue, stringifyJson } from "../json.ts";

/** What makes two items the same: the value of the merge key, or the item itself among scalars. */
export function identityOf(item: JsonValue, mergeKey: string | undefined): string {
  return stringifyJson(mergeKey !== undefined && isJsonObject(item) ? item[mergeKey] : item) ?? "";
}

/**
 * Puts the items that `order` names into that order, keeps the others in the order of `original`, and weaves both: an item
 * of the others goes first where it stood before the next ordered one in `original`; new items go before the others.
 */
export function reorder(
  items: JsonArray,
  order: JsonArray,
  original: JsonArray,
  mergeKey: string | undefined,
): JsonArray {
  const wanted = positions(order, mergeKey);
  const stood = positions(original, mergeKey);
  const place = (item: JsonValue, among: ReadonlyMap<string, number>) => among.get(identityOf(item, mergeKey)) ?? -1;
  const by = (among: ReadonlyMap<string, number>) => (a: JsonValue, b: JsonValue) => place(a, among) - place(b, among);
  const ordered = items.filter((item) => place(item, wanted) >= 0).sort(by(wanted));
  const others = items.filter((item) => place(item, wanted) < 0).sort(by(stood));

  const woven: JsonValue[] = [];
  let next = 0;
  const nextStood = () => (next < others.length ? place(others[next] as JsonValue, stood) : -1);
  for (const item of ordered) {
    const before = place(item, stood);
    while (nextStood() >= 0 && nextStood() < before) woven.push(others[next++] as JsonValue);
    woven.push(item);
  }
  woven.push(...others.slice(next));
  return woven.length === original.length && woven.every((item, position) => item === original[position])
    ? original
    : woven;
}

/** True when all items are in `order`, one after the other. */
export function isOrderedAs(items: JsonArray, order: JsonArray, mergeKey: string | undefined): boolean {
  const wanted = positions(order, mergeKey);
  let last = -1;
  return items.every((item) => {
    const position = wanted.get(identityOf(item, mergeKey)) ?? -1;
    const follows = position >= last && position >= 0;
    last = position;
    return follows;
  });
}

/** The first position of each identity. */
function positions(list: JsonArray, mergeKey: string | undefined): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [position, item] of list.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!found.has(identity)) found.set(identity, position);
  }
  return found;
}
