import { describe, expect, test } from "vitest";
import type { FieldError } from "#api/meta/field.ts";
import { type JsonObject, type JsonValue, parseJson } from "#api/meta/json.ts";
import { compileSchema } from "./compile.ts";

const compile = (schema: JsonObject) =>
  compileSchema(schema, { groupVersionKind: { group: "example.com", version: "v1", kind: "Thing" } });

const shown = ({ field, reason, body }: FieldError) => `${reason} ${field}: ${body}`;

/** Faults of a value at `spec.x`. */
function faultsAt(schema: JsonObject, value: JsonValue): string[] {
  const root = { type: "object", properties: { spec: { type: "object", properties: { x: schema } } } };
  return compile(root)
    .validate({ spec: { x: value } })
    .map(shown);
}

const cases: readonly [title: string, schema: JsonObject, value: JsonValue, ...faults: string[]][] = [
  [
    "a string where an integer is wanted",
    { type: "integer" },
    "ten",
    `FieldValueTypeInvalid spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"`,
  ],
  [
    "a fraction where an integer is wanted",
    { type: "integer" },
    1.5,
    `FieldValueTypeInvalid spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"`,
  ],
  [
    "an integer beyond int64",
    { type: "integer" },
    9223372036854775808n,
    `FieldValueTypeInvalid spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"`,
  ],
  ["the largest int64", { type: "integer", format: "int64" }, 9223372036854775807n],
  ["a small bigint", { type: "integer", format: "int32", minimum: 0, maximum: 10, enum: [5] }, 5n],
  ["an integer where a number is wanted", { type: "number" }, 3],
  [
    "an object where a string is wanted",
    { type: "string" },
    {},
    `FieldValueTypeInvalid spec.x: Invalid value: "object": spec.x in body must be of type string: "object"`,
  ],
  [
    "an array where an object is wanted",
    { type: "object" },
    [],
    `FieldValueTypeInvalid spec.x: Invalid value: "array": spec.x in body must be of type object: "array"`,
  ],
  [
    "a boolean where an array is wanted",
    { type: "array", items: { type: "string" } },
    true,
    `FieldValueTypeInvalid spec.x: Invalid value: "boolean": spec.x in body must be of type array: "boolean"`,
  ],
  [
    "a null that is not allowed",
    { type: "object" },
    null,
    `FieldValueTypeInvalid spec.x: Invalid value: "null": spec.x in body must be of type object: "null"`,
  ],
  ["a null that is allowed", { type: "object", nullable: true, required: ["a"] }, null],
  [
    "a null against an enum, even where allowed",
    { type: "string", nullable: true, enum: ["a"] },
    null,
    `FieldValueNotSupported spec.x: Unsupported value: null: supported values: "a"`,
  ],
  ["an int-or-string", { "x-kubernetes-int-or-string": true }, "25%"],
  [
    "neither int nor string",
    { "x-kubernetes-int-or-string": true },
    true,
    `FieldValueTypeInvalid spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"`,
  ],
  [
    "a value outside an enum",
    { type: "string", enum: ["Dynamic", "Static"] },
    "Foo",
    `FieldValueNotSupported spec.x: Unsupported value: "Foo": supported values: "Dynamic", "Static"`,
  ],
  [
    "a number outside an enum",
    { type: "integer", enum: [1, 2] },
    3,
    `FieldValueNotSupported spec.x: Unsupported value: 3: supported values: "1", "2"`,
  ],
  ["an object inside an enum, members in another order", { enum: [{ a: 1, b: [2] }] }, { b: [2], a: 1n }],
  [
    "below the minimum",
    { type: "integer", minimum: 0 },
    -1,
    "FieldValueInvalid spec.x: Invalid value: -1: spec.x in body should be greater than or equal to 0",
  ],
  [
    "a bigint below the minimum",
    { type: "integer", minimum: 0 },
    -9223372036854775808n,
    "FieldValueInvalid spec.x: Invalid value: -9223372036854775808: spec.x in body should be greater than or equal to 0",
  ],
  [
    "at the exclusive minimum",
    { type: "number", minimum: 0.5, exclusiveMinimum: true },
    0.5,
    "FieldValueInvalid spec.x: Invalid value: 0.5: spec.x in body should be greater than 0.5",
  ],
  [
    "above the maximum",
    { type: "integer", maximum: 65535 },
    65536,
    "FieldValueInvalid spec.x: Invalid value: 65536: spec.x in body should be less than or equal to 65535",
  ],
  [
    "at the exclusive maximum",
    { type: "integer", maximum: 3, exclusiveMaximum: true },
    3,
    "FieldValueInvalid spec.x: Invalid value: 3: spec.x in body should be less than 3",
  ],
  [
    "bounds in Go's notation",
    { type: "number", minimum: 0.00001 },
    0,
    "FieldValueInvalid spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1e-05",
  ],
  [
    "not a multiple",
    { type: "integer", multipleOf: 3 },
    7,
    "FieldValueInvalid spec.x: Invalid value: 7: spec.x in body should be a multiple of 3",
  ],
  ["a multiple of a fraction", { type: "number", multipleOf: 0.1 }, 0.3],
  ["a huge multiple", { type: "integer", multipleOf: 7 }, 9223372036854775807n],
  [
    "too long, in code points",
    { type: "string", maxLength: 2 },
    "a🎮b",
    "FieldValueTooLong spec.x: Too long: may not be more than 2 bytes",
  ],
  ["long enough for its limit in code points", { type: "string", maxLength: 2, minLength: 2 }, "🎮🎮"],
  [
    "too short, in code points",
    { type: "string", minLength: 3 },
    "🎮🎮",
    `FieldValueInvalid spec.x: Invalid value: "🎮🎮": spec.x in body should be at least 3 chars long`,
  ],
  [
    "against the pattern",
    { type: "string", pattern: "^[a-z]+$" },
    "A1",
    `FieldValueInvalid spec.x: Invalid value: "A1": spec.x in body should match '^[a-z]+$'`,
  ],
  [
    "only the first of length and pattern",
    { type: "string", minLength: 3, pattern: "^[a-z]+$" },
    "A",
    `FieldValueInvalid spec.x: Invalid value: "A": spec.x in body should be at least 3 chars long`,
  ],
  [
    "too few items",
    { type: "array", items: { type: "string" }, minItems: 1 },
    [],
    "FieldValueInvalid spec.x: Invalid value: 0: spec.x in body should have at least 1 items",
  ],
  [
    "too many items",
    { type: "array", items: { type: "string" }, maxItems: 2 },
    ["a", "b", "c"],
    "FieldValueTooMany spec.x: Too many: 3: must have at most 2 items",
  ],
  [
    "a repeated item",
    { type: "array", items: { type: "string" }, uniqueItems: true },
    ["a", "a"],
    `FieldValueInvalid spec.x: Invalid value: "": spec.x in body shouldn't contain duplicates`,
  ],
  [
    "a set with repetitions, each told once",
    { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ["a", "b", "a", "a", "b"],
    `FieldValueDuplicate spec.x[2]: Duplicate value: "a"`,
    `FieldValueDuplicate spec.x[4]: Duplicate value: "b"`,
  ],
  [
    "a map with two equal keys",
    {
      type: "array",
      items: { type: "object", properties: { name: { type: "string" } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    [{ name: "a" }, { name: "b" }, { name: "a" }],
    `FieldValueDuplicate spec.x[2]: Duplicate value: {"name":"a"}`,
  ],
  [
    "a map with two items without the key",
    {
      type: "array",
      items: { type: "object" },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    [{}, {}],
    "FieldValueDuplicate spec.x[1]: Duplicate value: {}",
  ],
  [
    "a scalar in a map",
    { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    ["a"],
    `FieldValueInvalid spec.x[0]: Invalid value: "a": must be an object for an array of list-type map`,
  ],
  [
    "too few properties",
    { type: "object", additionalProperties: { type: "string" }, minProperties: 1 },
    {},
    "FieldValueInvalid spec.x: Invalid value: 0: spec.x in body should have at least 1 properties",
  ],
  [
    "too many properties",
    { type: "object", additionalProperties: { type: "string" }, maxProperties: 1 },
    { a: "", b: "" },
    "FieldValueTooMany spec.x: Too many: 2: must have at most 1 item",
  ],
  [
    "a forbidden property",
    { type: "object", properties: { a: {} }, additionalProperties: false },
    { a: 1, b: 2 },
    `FieldValueInvalid spec.x: Invalid value: "b": spec.x.b in body is a forbidden property`,
  ],
  [
    "missing members",
    { type: "object", required: ["a", "toString", "__proto__"] },
    {},
    "FieldValueRequired spec.x.a: Required value",
    "FieldValueRequired spec.x.toString: Required value",
    "FieldValueRequired spec.x.__proto__: Required value",
  ],
  [
    "an item's fault",
    { type: "array", items: { type: "object", properties: { port: { type: "integer" } } } },
    [{ port: 1 }, { port: "2" }],
    `FieldValueTypeInvalid spec.x[1].port: Invalid value: "string": spec.x[1].port in body must be of type integer: "string"`,
  ],
  [
    "a map value's fault",
    { type: "object", additionalProperties: { type: "string" } },
    { "a.b": 1 },
    `FieldValueTypeInvalid spec.x.a.b: Invalid value: "integer": spec.x.a.b in body must be of type string: "integer"`,
  ],
  [
    "a set below a map key",
    {
      type: "object",
      additionalProperties: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    },
    { players: ["a", "a"] },
    `FieldValueDuplicate spec.x[players][1]: Duplicate value: "a"`,
  ],
  [
    "none of anyOf",
    { type: "object", anyOf: [{ required: ["a", "b"] }, { required: ["c"] }] },
    {},
    `FieldValueInvalid <nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)`,
    "FieldValueRequired spec.x.c: Required value",
  ],
  ["one of anyOf", { type: "object", anyOf: [{ required: ["a"] }, { required: ["c"] }] }, { c: 1 }],
  [
    "none of oneOf",
    { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    {},
    `FieldValueInvalid <nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid`,
    "FieldValueRequired spec.x.a: Required value",
  ],
  [
    "both of oneOf",
    { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    { a: 1, b: 1 },
    `FieldValueInvalid <nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives`,
  ],
  [
    "a part of allOf",
    { type: "string", allOf: [{ minLength: 1 }, { maxLength: 2 }] },
    "abc",
    "FieldValueTooLong spec.x: Too long: may not be more than 2 bytes",
    `FieldValueInvalid <nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf)`,
  ],
  [
    "not",
    { type: "string", not: { enum: ["a"] } },
    "a",
    `FieldValueInvalid <nil>: Invalid value: "": "spec.x" must not validate the schema (not)`,
  ],
  ["an int32 out of range, which only a range says", { type: "integer", format: "int32" }, 2147483648],
  ["a date-time", { type: "string", format: "date-time" }, "2024-02-29T23:59:59.5+02:00"],
  [
    "no date-time",
    { type: "string", format: "date-time" },
    "2023-02-29T00:00:00Z",
    `FieldValueTypeInvalid spec.x: Invalid value: "2023-02-29T00:00:00Z": spec.x in body must be of type date-time: "2023-02-29T00:00:00Z"`,
  ],
  [
    "a number where a date-time is wanted",
    { type: "string", format: "date-time" },
    5,
    `FieldValueTypeInvalid spec.x: Invalid value: "int64": spec.x in body must be of type date-time: "int64"`,
  ],
  [
    "broken base64",
    { type: "string", format: "byte" },
    "abc",
    `FieldValueTypeInvalid spec.x: Invalid value: "abc": spec.x in body must be of type byte: "abc"`,
  ],
  ["a format nobody knows", { type: "string", format: "unheard-of" }, "anything"],
  [
    "an embedded resource without its type",
    { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    { kind: 1, metadata: { labels: { a: 5 } } },
    `FieldValueTypeInvalid spec.x.metadata.labels.a: Invalid value: "integer": spec.x.metadata.labels.a in body must be of type string: "integer"`,
    "FieldValueRequired spec.x.apiVersion: Required value",
    "FieldValueInvalid spec.x.kind: Invalid value: 1: must be a string",
  ],
];

describe("validation", () => {
  test.for(cases)("%s", ([, schema, value, ...faults]) => {
    expect(faultsAt(schema, value)).toEqual(faults);
  });

  test("faults of the root name its members without a leading dot", () => {
    const schema = compile({ type: "object", required: ["spec"], additionalProperties: { type: "string" } });
    expect(schema.validate({ apiVersion: "v1", kind: "Thing", other: 1 }).map(shown)).toEqual([
      `FieldValueTypeInvalid other: Invalid value: "integer": other in body must be of type string: "integer"`,
      "FieldValueRequired spec: Required value",
    ]);
  });

  test("the metadata every object has is checked whatever the schema says, and so is what it adds", () => {
    const schema = compile({
      type: "object",
      properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 3 } } } },
    });
    expect(schema.validate({ metadata: { name: "toolong", generation: "1" } }).map(shown)).toEqual([
      "FieldValueTooLong metadata.name: Too long: may not be more than 3 bytes",
      `FieldValueTypeInvalid metadata.generation: Invalid value: "string": metadata.generation in body must be of type integer: "string"`,
    ]);
  });

  test("faults of one kind at one place are told once", () => {
    expect(faultsAt({ type: "string", minLength: 2, allOf: [{ minLength: 2 }] }, "a")).toEqual(
      [
        `FieldValueInvalid <nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated`,
        `FieldValueInvalid spec.x: Invalid value: "a": spec.x in body should be at least 2 chars long`,
      ].toReversed(),
    );
  });

  test("a value nested beyond all reason is refused, not followed", () => {
    let value: JsonValue = 1;
    let schema: JsonObject = { type: "integer" };
    for (let depth = 0; depth < 20_000; depth++) {
      value = [value];
      schema = { type: "array", items: schema };
    }
    const [fault, ...more] = faultsAt(schema, value);
    expect(more).toEqual([]);
    expect(fault).toMatch(/is nested too deeply$/);
    expect(faultsAt({ type: "array", items: {}, "x-kubernetes-list-type": "set" }, [value, value])).toEqual([
      `FieldValueInvalid spec.x: Invalid value: "": is nested too deeply`,
    ]);
    expect(faultsAt({ enum: [1] }, value)).toEqual([
      `FieldValueInvalid spec.x: Invalid value: "": is nested too deeply`,
    ]);
  });

  test("int64 values out of JSON text are compared exactly", () => {
    const value = parseJson('{"spec":{"x":9007199254740993}}') as JsonObject;
    const schema = {
      type: "object",
      properties: { spec: { type: "object", properties: { x: { maximum: 9007199254740993n } } } },
    };
    expect(compile(schema).validate(value)).toEqual([]);
    expect(compile(schema).validate({ spec: { x: 9007199254740994n } })).toHaveLength(1);
  });

  test("a date is a day of the calendar", () => {
    const days = [0, 1, 28, 29, 30, 31, 32].map((day) => String(day).padStart(2, "0"));
    const months = Array.from({ length: 14 }, (_, month) => String(month).padStart(2, "0"));
    const dates = ["0000", "1900", "2000", "2023", "2024"].flatMap((year) =>
      months.flatMap((month) => days.map((day) => `${year}-${month}-${day}`)),
    );
    const exists = (date: string) => {
      const time = new Date(`${date}T00:00:00Z`);
      return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date);
    };
    const refused = dates.filter((date) => faultsAt({ type: "string", format: "date" }, date).length > 0);
    expect(refused).toEqual(dates.filter((date) => !exists(date)));
  });
});
