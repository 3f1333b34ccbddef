import { isJsonObject, type JsonValue } from "#api/meta/json.ts";

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
  if (!isJsonObject(value)) return value;

  let changed = false;
  const members: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(value)) {
    const wire = member === undefined ? undefined : wireValue(member);
    changed ||= wire === undefined || wire !== member;
    if (wire !== undefined) members.push([name, wire]);
  }
  return changed ? Object.fromEntries(members) : value;
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
