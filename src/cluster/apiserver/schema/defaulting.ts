/**
 * Structural defaulting. A default appears only where its parent exists. A null where null is not allowed gives way to the
 * default, or is dropped when there is none.
 */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { copyBefore, type MutableObject, memberOf, setMember } from "./members.ts";
import type { SchemaNode } from "./node.ts";
import { MAX_DEPTH } from "./values.ts";

/** The value with defaults filled in; the very value when nothing was missing. */
export function fillValue(value: JsonValue, node: SchemaNode, depth = MAX_DEPTH): JsonValue {
  if (typeof value !== "object" || value === null || depth === 0) return value;
  return Array.isArray(value) ? fillArray(value, node.items, depth) : fillObject(value as JsonObject, node, depth);
}

function fillArray(value: readonly JsonValue[], items: SchemaNode | undefined, depth: number): JsonValue {
  if (!items) return value;
  let copy: JsonValue[] | undefined;
  for (let position = 0; position < value.length; position++) {
    const before = value[position] as JsonValue;
    // An item cannot be dropped: without a default a null stays, and validation speaks of it.
    const after = fillMember(before, items, depth) ?? null;
    if (after === before) continue;
    copy ??= value.slice();
    copy[position] = after;
  }
  return copy ?? value;
}

function fillObject(value: JsonObject, node: SchemaNode, depth: number): JsonObject {
  let copy: MutableObject | undefined;
  for (const key in value) {
    const before = value[key];
    const child = (key === "metadata" ? node.metadata : undefined) ?? node.child(key);
    const after = before === undefined || !child ? before : fillMember(before, child, depth);
    if (after !== before) copy ??= copyBefore(value, key);
    if (copy && after !== undefined) setMember(copy, key, after);
  }
  for (const [key, child] of node.defaulted) {
    if (memberOf(copy ?? value, key) !== undefined) continue;
    copy ??= { ...value };
    setMember(copy, key, child.completeDefault);
  }
  return copy ?? value;
}

/** The filled member; `undefined` drops it. */
function fillMember(value: JsonValue, node: SchemaNode, depth: number): JsonValue | undefined {
  if (value === null) return node.nullable ? null : node.completeDefault;
  return fillValue(value, node, depth - 1);
}
