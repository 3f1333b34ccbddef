/** From wire JSON to memory: the members that a schema calls int64 become `bigint`. */
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "./json.ts";

type Convert = (value: JsonValue) => JsonValue;

/**
 * Compiles, once, a function that turns the integers at `format: int64` of a schema into `bigint`s.
 * It looks through `properties`, `additionalProperties` and `items`. Everything else is shared untouched, values that are
 * no integers included; a value in which nothing changes is returned itself.
 */
export function int64Decoder(schema: JsonObject): (json: JsonValue) => JsonValue {
  return converterOf(schema) ?? ((json) => json);
}

/** `undefined` when there is no int64 below: then nothing need be looked at. */
function converterOf(schema: JsonValue | undefined): Convert | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (schema.format === "int64") return toBigInt;
  const items = converterOf(schema.items);
  if (items) return (value) => (Array.isArray(value) ? convertItems(value, items) : value);
  const members = new Map<string, Convert>();
  for (const [name, member] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {})) {
    const convert = converterOf(member);
    if (convert) members.set(name, convert);
  }
  const others = converterOf(schema.additionalProperties);
  if (members.size === 0 && !others) return undefined;
  return (value) => (isJsonObject(value) ? convertMembers(value, members, others) : value);
}

function toBigInt(value: JsonValue): JsonValue {
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
}

function convertItems(items: JsonArray, convert: Convert): JsonArray {
  const converted = items.map(convert);
  return converted.some((item, position) => item !== items[position]) ? converted : items;
}

function convertMembers(object: JsonObject, members: ReadonlyMap<string, Convert>, others?: Convert): JsonObject {
  const changed: [string, JsonValue][] = [];
  for (const name of others ? Object.keys(object) : members.keys()) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value === undefined) continue;
    const converted = (members.get(name) ?? others)?.(value) ?? value;
    if (converted !== value) changed.push([name, converted]);
  }
  return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
}
