import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";

/**
 * The value that a JSON round trip would give, without the round trip: members that are `undefined` are gone, and a `bigint`
 * that fits a double exactly is a `number`. What needs no change is returned as it is, not copied.
 */
export function wireValue(value: JsonValue): JsonValue {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (Array.isArray(value)) return wireArray(value);
  return isJsonObject(value) ? wireObject(value) : value;
}

function wireObject(value: JsonObject): JsonObject {
  const names = Object.keys(value);
  let members: [string, JsonValue | undefined][] | undefined;
  for (const [position, name] of names.entries()) {
    const member = value[name];
    const wire = member === undefined ? undefined : wireValue(member);
    if (members === undefined && wire !== undefined && wire === member) continue;
    members ??= names.slice(0, position).map((each) => [each, value[each]]);
    if (wire !== undefined) members.push([name, wire]);
  }
  return members === undefined ? value : Object.fromEntries(members);
}

function wireArray(values: readonly JsonValue[]): JsonValue {
  let copy: JsonValue[] | undefined;
  for (const [position, value] of values.entries()) {
    const wire = wireValue(value ?? null);
    if (wire === value) continue;
    copy ??= [...values];
    copy[position] = wire;
  }
  return copy ?? values;
}
