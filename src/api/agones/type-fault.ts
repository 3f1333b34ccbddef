/** Whether JSON can be read as the type that a schema describes: kinds of values, ranges of integers, times. No rule beyond that. */
import { child, index, key } from "../meta/field.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.ts";
import { isTime } from "../meta/time.ts";
import { INT64_MAX, INT64_MIN } from "./counters-and-lists.ts";

/**
 * The first fault, as a sentence with its path; undefined when there is none. `null` stands for an absent member, but not
 * for an item of a list (unless it is nullable) or a value of a map. Members that the schema does not know are passed over.
 * `told` is how a value of another kind is shown; by its kind alone unless it says more.
 */
export function typeFault(schema: JsonObject, value: JsonValue, path = "", told: Telling = kindOf): string | undefined {
  const expected = schema["x-kubernetes-int-or-string"] ? "integer or string" : schema.type;
  if (typeof expected !== "string") return undefined;
  if (!fits(expected, value)) return `${path || "the object"}: expected ${expected}, found ${told(value)}`;
  if (isJsonObject(value)) return memberFault(schema, value, path, told);
  if (Array.isArray(value)) return itemFault(schema, value, path, told);
  if (typeof value === "number" || typeof value === "bigint") return integerFault(schema, value, path);
  if (schema.format === "date-time" && !isTime(value as string)) {
    return `${path}: ${JSON.stringify(value)} is not a time of RFC 3339`;
  }
  return undefined;
}

type Telling = (value: JsonValue) => string;

function fits(expected: string, value: JsonValue): boolean {
  switch (expected) {
    case "integer or string":
      return typeof value === "string" || isInteger(value);
    case "integer":
      return isInteger(value);
    case "object":
      return isJsonObject(value);
    case "array":
      return Array.isArray(value);
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    default:
      return typeof value === expected;
  }
}

const isInteger = (value: JsonValue): boolean => typeof value === "bigint" || Number.isInteger(value);

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" ? "integer" : typeof value;
}

function memberFault(schema: JsonObject, object: JsonObject, path: string, told: Telling): string | undefined {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const others = schema.additionalProperties;
  for (const name of (schema.required ?? []) as readonly string[]) {
    if (object[name] === undefined) return `${child(path, name)}: is required`;
  }
  for (const [name, value] of Object.entries(object)) {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (value === undefined || (value === null && !isJsonObject(others))) continue;
    const at = isJsonObject(member) ? child(path, name) : key(path, name);
    const known = isJsonObject(member) ? member : others;
    const fault = isJsonObject(known) ? typeFault(known, value, at, told) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function itemFault(
  { items }: JsonObject,
  array: readonly JsonValue[],
  path: string,
  told: Telling,
): string | undefined {
  if (!isJsonObject(items)) return undefined;
  for (const [position, item] of array.entries()) {
    if (item === null && items.nullable === true) continue;
    const fault = typeFault(items, item, index(path, position), told);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const INT32_MAX = 2n ** 31n - 1n;

/** An int-or-string holds an int32; an integer without a format is as wide as any. */
function integerFault(schema: JsonObject, value: number | bigint, path: string): string | undefined {
  const format = schema["x-kubernetes-int-or-string"] ? "int32" : schema.format;
  const [least, most] = format === "int32" ? [-INT32_MAX - 1n, INT32_MAX] : [INT64_MIN, INT64_MAX];
  return value < least || value > most ? `${path}: ${value} does not fit in ${format ?? "int64"}` : undefined;
}
