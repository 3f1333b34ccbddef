import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { compileSchema } from "./compile.ts";

const names = ["a", "b", "__proto__", "constructor", "metadata"] as const;
const name = fc.constantFrom(...names);

/** A schema with a default that it accepts, if it has one. */
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonObject>(
      { type: "string" },
      { type: "string", nullable: true, pattern: "^[a-z]*$", default: "abc" },
      { type: "string", enum: ["x", "y"], default: "x" },
      { type: "integer", minimum: 0, default: 3 },
      { type: "integer", format: "int64" },
      { type: "number", maximum: 10 },
      { type: "boolean", default: true },
      { "x-kubernetes-int-or-string": true },
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", default: [] },
    ),
    fc.record(
      { type: fc.constant("array"), items: tie("schema"), maxItems: fc.nat(3) },
      { requiredKeys: ["type", "items"] },
    ),
    fc.record({ type: fc.constant("object"), additionalProperties: tie("schema"), nullable: fc.boolean() }),
    fc
      .array(fc.tuple(name, tie("schema")), { maxLength: 3 })
      .map((properties) => ({ type: "object", properties: Object.fromEntries(properties) })),
    fc.record({
      type: fc.constant("object"),
      properties: fc.record({ a: tie("schema"), b: tie("schema") }, { requiredKeys: [] }),
      anyOf: fc.constant([{ required: ["a"] }, { required: ["b"] }]),
    }),
  ),
}));

const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<JsonValue>(null, true, "x", "abc", "ABC", 0, -1, 3.5, 1e300, 5n, 2n ** 63n),
    fc.string(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(name, fc.string()), tie("value")), { maxLength: 4 })
      .map((all) => Object.fromEntries(all)),
  ),
})).value;

const object = fc.record({
  apiVersion: fc.constant("example.com/v1"),
  kind: fc.constant("Thing"),
  spec: value,
  metadata: value,
});

const compile = (spec: JsonObject) =>
  compileSchema(
    { type: "object", properties: { spec } },
    { groupVersionKind: { group: "example.com", version: "v1", kind: "Thing" } },
  );

const text = (each: unknown) =>
  JSON.stringify(each, (_key, member) => (typeof member === "bigint" ? `${member}n` : member));
const check = (promise: (spec: JsonObject, given: JsonObject) => void) =>
  fc.assert(fc.property(schema, object, promise), { numRuns: 500 });

test("pruning twice is pruning once", () => {
  check((spec, given) => {
    const { prune } = compile(spec);
    const once = prune(given);
    const twice = prune(once.object);
    expect(twice.unknown).toEqual([]);
    expect(twice.object).toBe(once.object);
  });
});

test("defaulting twice is defaulting once", () => {
  check((spec, given) => {
    const { applyDefaults } = compile(spec);
    const once = applyDefaults(given);
    expect(applyDefaults(once)).toBe(once);
  });
});

test("nothing throws and nothing changes its input", () => {
  check((spec, given) => {
    const before = text(given);
    const compiled = compile(spec);
    compiled.prune(given);
    compiled.applyDefaults(given);
    for (const fault of compiled.validate(given)) expect(fault.body).not.toBe("");
    expect(text(given)).toBe(before);
  });
});

/** Values that the schema mostly takes; members are left out at random. */
function valueFor({
  type,
  properties,
  items,
  additionalProperties,
  enum: allowed,
  default: preset,
}: JsonObject): fc.Arbitrary<JsonValue> {
  if (Array.isArray(allowed)) return fc.constantFrom(...(allowed as JsonValue[]));
  if (preset !== undefined) return fc.constant(preset);
  if (type === "array") return fc.array(valueFor(items as JsonObject), { maxLength: 1 });
  if (additionalProperties)
    return fc.dictionary(fc.string(), valueFor(additionalProperties as JsonObject), { maxKeys: 2 });
  if (properties) {
    const members = Object.entries(properties as { [name: string]: JsonObject }).map(([key, schema]) =>
      fc.option(
        valueFor(schema).map((each) => [key, each] as const),
        { nil: undefined },
      ),
    );
    return fc.tuple(...members).map((all) => Object.fromEntries(all.filter((each) => each !== undefined)));
  }
  const scalars: Record<string, JsonValue> = {
    string: "abc",
    integer: 5n,
    number: 1.5,
    boolean: false,
    object: { a: 1 },
  };
  return fc.constant(scalars[String(type)] ?? 7);
}

test("defaulting leaves a valid object valid", () => {
  let valid = 0;
  const pair = schema.chain((spec) => fc.tuple(fc.constant(spec), valueFor(spec)));
  fc.assert(
    fc.property(pair, ([spec, given]) => {
      const compiled = compile(spec);
      const { object: pruned } = compiled.prune({ spec: given });
      if (compiled.validate(pruned).length > 0) return;
      valid++;
      expect(compiled.validate(compiled.applyDefaults(pruned))).toEqual([]);
    }),
    { numRuns: 500 },
  );
  expect(valid).toBeGreaterThan(250);
});
