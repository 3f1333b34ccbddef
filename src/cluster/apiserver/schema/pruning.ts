/** Structural pruning: members a schema does not know are dropped and their paths told. */
import type { JsonArray, JsonObject, JsonValue } from "#api/meta/json.ts";
import { copyBefore, type MutableObject, setMember } from "./members.ts";
import type { SchemaNode } from "./node.ts";
import { MAX_DEPTH } from "./values.ts";

/** Paths of what was dropped, each with a leading dot, relative to the value in hand; callers put their own step before them. */
export type Dropped = string[];

/** A value without what `node` does not know (no node: knows nothing); the very value when there was nothing to drop. */
export function pruneValue(
  value: JsonValue,
  node: SchemaNode | undefined,
  dropped: Dropped,
  preserve = node?.preserveUnknown ?? false,
  depth = MAX_DEPTH,
): JsonValue {
  if (typeof value !== "object" || value === null || depth === 0) return value;
  if (!Array.isArray(value)) return pruneObject(value as JsonObject, node, dropped, preserve, depth);
  const items = node?.items;
  if (preserve && !items) return value;
  return pruneArray(value, items, dropped, preserve || (items?.preserveUnknown ?? false), depth);
}

function pruneArray(
  value: JsonArray,
  items: SchemaNode | undefined,
  dropped: Dropped,
  preserve: boolean,
  depth: number,
): JsonArray {
  let copy: JsonValue[] | undefined;
  for (let position = 0; position < value.length; position++) {
    const before = value[position] as JsonValue;
    const mark = dropped.length;
    const after = pruneValue(before, items, dropped, preserve, depth - 1);
    if (after === before) continue;
    copy ??= value.slice();
    copy[position] = after;
    within(dropped, mark, `[${position}]`);
  }
  return copy ?? value;
}

function pruneObject(
  value: JsonObject,
  node: SchemaNode | undefined,
  dropped: Dropped,
  preserve: boolean,
  depth: number,
): JsonObject {
  let copy: MutableObject | undefined;
  for (const key in value) {
    const before = value[key];
    const mark = dropped.length;
    const after = before === undefined ? before : pruneMember(key, before, node, dropped, preserve, depth);
    if (after !== before) {
      copy ??= copyBefore(value, key);
      if (after !== undefined) within(dropped, mark, `.${key}`);
    }
    if (copy && after !== undefined) setMember(copy, key, after);
  }
  return copy ?? value;
}

/** The pruned member, or `undefined` when it is dropped altogether. */
function pruneMember(
  key: string,
  value: JsonValue,
  node: SchemaNode | undefined,
  dropped: Dropped,
  preserve: boolean,
  depth: number,
): JsonValue | undefined {
  if (node?.metadata) {
    if (key === "metadata") return pruneValue(value, node.metadata, dropped, false, depth - 1);
    if (key === "apiVersion" || key === "kind") return value;
  }
  const child = node?.child(key);
  if (child) return pruneValue(value, child, dropped, child.preserveUnknown, depth - 1);
  if (node?.additional !== undefined) {
    // A map of anything keeps its keys, but what lies deeper has no schema.
    return node.context.typed ? value : pruneValue(value, undefined, dropped, false, depth - 1);
  }
  if (preserve) return value;
  dropped.push(`.${key}`);
  return undefined;
}

function within(dropped: Dropped, from: number, step: string): void {
  for (let each = from; each < dropped.length; each++) dropped[each] = step + dropped[each];
}
