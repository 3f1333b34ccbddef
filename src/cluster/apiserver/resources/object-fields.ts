/** Typed looks into objects of any kind, and copies with one part changed. */
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";
import type { ObjectMeta } from "#api/meta/object.ts";

/** The metadata of an object whose shape has been checked. */
export const metaOf = (object: JsonObject): ObjectMeta => (object.metadata ?? {}) as ObjectMeta;

/** A copy with some members of metadata replaced; `undefined` removes one. */
export function withMeta(
  object: JsonObject,
  changes: Partial<ObjectMeta> & Readonly<Record<string, unknown>>,
): JsonObject {
  const metadata = { ...(object.metadata as JsonObject | undefined), ...(changes as JsonObject) };
  return { ...object, metadata: withoutUndefined(metadata) };
}

/** A copy with a member replaced; `undefined` removes it. */
export function withMember(object: JsonObject, name: string, value: JsonValue | undefined): JsonObject {
  if (object[name] === value) return object;
  return value === undefined ? withoutUndefined({ ...object, [name]: undefined }) : { ...object, [name]: value };
}

function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** Fills members that are absent (not those that are null); the same object when none was. */
export function withDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  const missing = Object.entries(defaults).filter(([name, value]) => value !== undefined && object[name] === undefined);
  return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) };
}

/** The member as an object; an empty one when it is anything else. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** The objects of a member that is a list; none when it is anything else. */
export function objectsAt(object: JsonObject, name: string): readonly JsonObject[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The text at a path of members, `""` when there is none; for field selectors. */
export function textAt(object: JsonObject, ...path: readonly string[]): string {
  let value: JsonValue | undefined = object;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return value === undefined || value === null ? "" : asText(value);
}

/** Any value as text: strings as they are, anything else as JSON. */
export const asText = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : stringifyJson(value ?? null);

/** A copy with the objects of a list member changed one by one; the same object when none changed. */
export function mapObjectsAt(object: JsonObject, name: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const value = object[name];
  if (!Array.isArray(value)) return object;
  const changed = value.map((item: JsonValue) => (isJsonObject(item) ? change(item) : item));
  return changed.every((item, position) => item === value[position]) ? object : { ...object, [name]: changed };
}

/** A copy with an object member changed; the same object when it did not change or is no object. */
export function mapObjectAt(object: JsonObject, name: string, change: (member: JsonObject) => JsonObject): JsonObject {
  const value = object[name];
  if (!isJsonObject(value)) return object;
  const changed = change(value);
  return changed === value ? object : { ...object, [name]: changed };
}
