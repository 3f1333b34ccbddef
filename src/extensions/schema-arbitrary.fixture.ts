/** Values that a structural schema takes, made from the schema; and changes to any value. */
import fc from "fast-check";
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "#api/meta/json.ts";

/** Deeper members that are not required are left out: the schema of a Pod has no end. */
const DEPTH = 5;
const MOST_MEMBERS = 4;

export function validValues(schema: JsonObject, depth = DEPTH): fc.Arbitrary<JsonValue> {
  const value = plainValues(schema, depth);
  return schema.nullable === true ? fc.oneof({ weight: 9, arbitrary: value }, fc.constant(null)) : value;
}

function plainValues(schema: JsonObject, depth: number): fc.Arbitrary<JsonValue> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as readonly string[]));
  if (schema["x-kubernetes-int-or-string"]) return fc.oneof(fc.nat(100), fc.constantFrom("10%", "25%", "7"));
  switch (schema.type) {
    case "object":
      return objectOf(schema, depth);
    case "array":
      return itemsOf(schema, depth);
    case "integer":
      return integerOf(schema);
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "boolean":
      return fc.boolean();
    default:
      return textOf(schema);
  }
}

function objectOf(schema: JsonObject, depth: number): fc.Arbitrary<JsonObject> {
  const { additionalProperties, maxProperties } = schema;
  if (isJsonObject(additionalProperties)) {
    const key = fc.stringMatching(/^[a-z][-a-z0-9]{0,6}[a-z0-9]$/);
    const maxKeys = depth > 0 ? Math.min(3, Number(maxProperties ?? 3)) : 0;
    return fc.dictionary(key, validValues(additionalProperties, depth - 1), { maxKeys });
  }
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = (schema.required ?? []) as readonly string[];
  const optional = depth > 0 ? Object.keys(properties).filter((name) => !required.includes(name)) : [];
  return fc.subarray(optional, { maxLength: Math.min(MOST_MEMBERS, optional.length) }).chain((chosen) => {
    const members = [...required, ...chosen].map((name) => [
      name,
      validValues(properties[name] as JsonObject, depth - 1),
    ]);
    return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<JsonValue>>);
  });
}

function itemsOf(schema: JsonObject, depth: number): fc.Arbitrary<JsonArray> {
  const item = validValues(schema.items as JsonObject, depth - 1);
  const bounds = { minLength: Number(schema.minItems ?? 0), maxLength: Math.max(Number(schema.minItems ?? 0), 3) };
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return fc.uniqueArray(item, bounds);
    case "map": {
      const keys = schema["x-kubernetes-list-map-keys"] as readonly string[];
      const selector = (each: JsonValue) => JSON.stringify(keys.map((key) => (each as JsonObject)[key]));
      return fc.uniqueArray(item, { ...bounds, selector });
    }
    default:
      return fc.array(item, bounds);
  }
}

function integerOf({ format, minimum, maximum, exclusiveMinimum }: JsonObject): fc.Arbitrary<number | bigint> {
  const least = Number(minimum ?? -5) + (exclusiveMinimum ? 1 : 0);
  // The schema's own maxima go beyond 32 bits, which no value may.
  const most = Math.min(Number(maximum ?? 2 ** 31 - 1), 2 ** 31 - 1);
  const small = fc.integer({ min: least, max: Math.min(most, least + 1000) });
  if (format !== "int64" || maximum !== undefined) return fc.oneof(small, fc.constantFrom(least, most));
  return fc.oneof(small, fc.constantFrom(2n ** 63n - 1n, 2n ** 53n + 1n));
}

function textOf({ format, pattern, minLength, maxLength }: JsonObject): fc.Arbitrary<string> {
  if (format === "date-time")
    return fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString());
  if (format === "byte") return fc.base64String({ maxLength: 12 });
  if (typeof pattern === "string") {
    const [least, most] = [Number(minLength ?? 0), Number(maxLength ?? 100)];
    return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length >= least && length <= most);
  }
  const most = Math.min(Number(maxLength ?? 20), 20);
  return fc.oneof(
    fc.constantFrom("a", "duel", "default"),
    fc.string({ minLength: Number(minLength ?? 0), maxLength: most }),
  );
}

/** Anything, with the odd values that writers of JSON come up with. */
const { anything } = fc.letrec<{ anything: JsonValue }>((tie) => ({
  anything: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<JsonValue>(
      null,
      true,
      "",
      "duel",
      "None",
      "-1",
      0,
      -1,
      1.5,
      1e300,
      65536,
      2 ** 31,
      2n ** 63n - 1n,
      2n ** 64n,
    ),
    fc.string({ maxLength: 80 }),
    fc.array(tie("anything"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("name", "type", "labels", "__proto__", "constructor", ""), tie("anything"), {
      maxKeys: 3,
    }) as fc.Arbitrary<JsonObject>,
  ),
}));

/** One change somewhere in a value: a member or item replaced by anything, taken away, or added. */
export interface Change {
  /** Picks the place: a number for each step down. */
  readonly steps: readonly number[];
  readonly how: "replace" | "remove" | "add";
  readonly key: string;
  readonly value: JsonValue;
}

// A key with dots or brackets cannot be told from steps of a path.
export const change: fc.Arbitrary<Change> = fc.record({
  steps: fc.array(fc.nat(30), { minLength: 1, maxLength: 9 }),
  how: fc.constantFrom("replace" as const, "replace" as const, "remove" as const, "add" as const),
  key: fc.oneof(
    fc.constantFrom("future", "__proto__", "constructor", "ports", "template", "spec"),
    fc.string({ maxLength: 8 }).filter((key) => !/[.[\]]/.test(key)),
  ),
  value: anything,
});

/** The value with the change made; a step that leads nowhere ends the way there. */
export function changed(value: JsonValue, { steps, how, key, value: other }: Change): JsonValue {
  const [step = 0, ...rest] = steps;
  if (value === null || typeof value !== "object") return how === "replace" ? other : value;
  const names = Object.keys(value);
  const name = names[step % Math.max(1, names.length)];
  if (name === undefined || (rest.length === 0 && how === "add")) return withMember(value, key, other);
  const inner = (value as Readonly<Record<string, JsonValue>>)[name] as JsonValue;
  if (rest.length > 0) return withMember(value, name, changed(inner, { steps: rest, how, key, value: other }));
  if (how === "replace") return withMember(value, name, other);
  if (Array.isArray(value)) return value.filter((_: JsonValue, position: number) => position !== Number(name));
  return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
}

function withMember(value: JsonArray | JsonObject, name: string, member: JsonValue): JsonValue {
  if (Array.isArray(value))
    return Number(name) < value.length && /^\d+$/.test(name) ? value.with(Number(name), member) : [...value, member];
  const copy: Record<string, JsonValue | undefined> = { ...(value as JsonObject) };
  Object.defineProperty(copy, name, { value: member, enumerable: true, configurable: true, writable: true });
  return copy;
}
