/** Finds a JSON Patch between two values. */
import { deepEqual } from "../equality.ts";
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue, stringifyJson } from "../json.ts";
import type { JsonPatchOperation } from "./json-patch.ts";
import { pointerTo } from "./json-pointer.ts";

/** Of more items that differ, no shorter patch is looked for. */
const MOST_ITEMS = 64;

/**
 * Operations that turn `from` into `to`; none when they are equal as JSON. Objects are compared member by member.
 * Arrays are compared between their common head and tail, or replaced as a whole where that is the shorter patch or many items differ.
 */
export function diffJson(from: JsonValue, to: JsonValue): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diffAt(operations, "", from, to);
  return operations;
}

function diffAt(operations: JsonPatchOperation[], path: string, from: JsonValue, to: JsonValue): void {
  if (from === to) return;
  if (Array.isArray(from) && Array.isArray(to)) diffArrays(operations, path, from, to);
  else if (isJsonObject(from) && isJsonObject(to)) diffObjects(operations, path, from, to);
  else if (!deepEqual(from, to)) operations.push({ op: "replace", path, value: to });
}

function diffObjects(operations: JsonPatchOperation[], path: string, from: JsonObject, to: JsonObject): void {
  for (const [name, before] of Object.entries(from)) {
    if (before === undefined) continue;
    const after = Object.hasOwn(to, name) ? to[name] : undefined;
    if (after === before) continue;
    if (after === undefined) operations.push({ op: "remove", path: pointerTo(path, name) });
    else diffAt(operations, pointerTo(path, name), before, after);
  }
  for (const [name, value] of Object.entries(to))
    if (value !== undefined && (!Object.hasOwn(from, name) || from[name] === undefined))
      operations.push({ op: "add", path: pointerTo(path, name), value });
}

function diffArrays(operations: JsonPatchOperation[], path: string, from: JsonArray, to: JsonArray): void {
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && deepEqual(from[head], to[head])) head++;
  let tail = 0;
  while (tail < most - head && deepEqual(from.at(-1 - tail), to.at(-1 - tail))) tail++;
  if (from.length === to.length && head === to.length) return;

  const whole: JsonPatchOperation = { op: "replace", path, value: to };
  const byItem =
    Math.max(from.length, to.length) - head - tail > MOST_ITEMS ? [whole] : diffItems(path, from, to, { head, tail });
  const isShorter = byItem.length <= 1 || stringifyJson(byItem).length <= stringifyJson([whole]).length;
  for (const operation of isShorter ? byItem : [whole]) operations.push(operation);
}

function diffItems(
  path: string,
  from: JsonArray,
  to: JsonArray,
  { head, tail }: { readonly head: number; readonly tail: number },
): readonly JsonPatchOperation[] {
  const shared = Math.min(from.length, to.length) - tail;
  const operations: JsonPatchOperation[] = [];
  for (let position = head; position < shared; position++)
    diffAt(operations, pointerTo(path, position), from[position] as JsonValue, to[position] as JsonValue);
  for (let position = from.length - tail - 1; position >= shared; position--)
    operations.push({ op: "remove", path: pointerTo(path, position) });
  for (let position = shared; position < to.length - tail; position++)
    operations.push({ op: "add", path: pointerTo(path, position), value: to[position] as JsonValue });
  return operations;
}
