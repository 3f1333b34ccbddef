/** Finds a JSON Patch between two values. */
import { deepEqual } from "../equality.ts";
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue, stringifyJson } from "../json.ts";
import type { JsonPatchOperation } from "./json-patch.ts";
import { pointerTo } from "./json-pointer.ts";

/**
 * Operations that turn `from` into `to`; none when they are equal as JSON. Objects are compared member by member.
 * Arrays are compared between their common head and tail, or replaced as a whole where that is the shorter patch.
 */
export function diffJson(from: JsonValue, to: JsonValue): JsonPatchOperation[] {
  return diffAt("", from, to);
}

function diffAt(path: string, from: JsonValue, to: JsonValue): JsonPatchOperation[] {
  if (from === to) return [];
  if (Array.isArray(from) && Array.isArray(to)) return diffArrays(path, from, to);
  if (isJsonObject(from) && isJsonObject(to)) return diffObjects(path, from, to);
  return deepEqual(from, to) ? [] : [{ op: "replace", path, value: to }];
}

function diffObjects(path: string, from: JsonObject, to: JsonObject): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  for (const [name, before] of Object.entries(from)) {
    if (before === undefined) continue;
    const after = Object.hasOwn(to, name) ? to[name] : undefined;
    if (after === undefined) operations.push({ op: "remove", path: pointerTo(path, name) });
    else operations.push(...diffAt(pointerTo(path, name), before, after));
  }
  for (const [name, value] of Object.entries(to))
    if (value !== undefined && (!Object.hasOwn(from, name) || from[name] === undefined))
      operations.push({ op: "add", path: pointerTo(path, name), value });
  return operations;
}

function diffArrays(path: string, from: JsonArray, to: JsonArray): JsonPatchOperation[] {
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && deepEqual(from[head], to[head])) head++;
  let tail = 0;
  while (tail < most - head && deepEqual(from.at(-1 - tail), to.at(-1 - tail))) tail++;
  if (from.length === to.length && head === to.length) return [];

  const shared = most - tail;
  const operations: JsonPatchOperation[] = [];
  for (let position = head; position < shared; position++)
    operations.push(...diffAt(pointerTo(path, position), from[position] as JsonValue, to[position] as JsonValue));
  for (let position = from.length - tail - 1; position >= shared; position--)
    operations.push({ op: "remove", path: pointerTo(path, position) });
  for (let position = shared; position < to.length - tail; position++)
    operations.push({ op: "add", path: pointerTo(path, position), value: to[position] as JsonValue });

  const whole: JsonPatchOperation[] = [{ op: "replace", path, value: to }];
  return operations.length > 1 && stringifyJson(operations).length > stringifyJson(whole).length ? whole : operations;
}
