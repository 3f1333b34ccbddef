import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { defaultFaults } from "./default-rules.ts";
import { plainSchemas } from "./plain-schemas.ts";
import { schemaFaults } from "./schema-rules.ts";
import { structuralFaults } from "./structural-rules.ts";

const type = fc.constantFrom("object", "object", "string", "integer", "array", "boolean", "number", "null", "", "odd");
const oddities: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constant({}),
  fc.record({
    default: fc.oneof(fc.string(), fc.integer(), fc.constant({ a: 1 })),
  }) as fc.Arbitrary<JsonObject>,
  fc.constantFrom<JsonObject>(
    { pattern: "^a+$" },
    { pattern: "(" },
    { uniqueItems: true },
    { nullable: true },
    { minLength: 1 },
    { enum: ["a"] },
    { $ref: "#/x" },
    { "x-kubernetes-map-type": "atomic" },
    { "x-kubernetes-map-type": "odd" },
    { "x-kubernetes-int-or-string": true },
    { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true },
    { "x-kubernetes-embedded-resource": true },
    { "x-kubernetes-preserve-unknown-fields": false },
    { "x-kubernetes-list-type": "set" },
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] },
    { anyOf: [{ type: "integer" }, { type: "string" }] },
    { allOf: [{ properties: { a: { pattern: "a" } } }] },
    { not: { required: ["a"] } },
    { items: [] },
    { additionalProperties: true },
  ),
);

/** A schema with up to `depth` further levels below it. */
function schema(depth: number): fc.Arbitrary<JsonObject> {
  const below = depth > 0 ? schema(depth - 1) : fc.constant<JsonObject>({ type: "string" });
  const members = fc.dictionary(fc.constantFrom("a", "b", "kind", "metadata", "apiVersion"), below, { maxKeys: 3 });
  const own = fc.record({ type, properties: members, items: below, additionalProperties: below }, { requiredKeys: [] });
  const odd = fc.oneof({ weight: 3, arbitrary: fc.constant<JsonObject>({}) }, { weight: 1, arbitrary: oddities });
  return fc.tuple(own, odd).map(([plain, more]) => ({ ...plain, ...more }) as JsonObject);
}

const faultsOf = (root: JsonObject, plain: ReadonlySet<JsonObject>) => [
  ...structuralFaults(root, "schema", plain),
  ...defaultFaults(root, "schema", plain),
  ...schemaFaults(root, "schema", plain),
];

test("leaving out plain schemas leaves out no fault", () => {
  let left = 0;
  fc.assert(
    fc.property(schema(2), (below) => {
      const root = { type: "object", properties: { spec: below, list: { type: "array", items: below } } };
      const plain = plainSchemas(root);
      left += plain.size;
      expect(faultsOf(root, plain)).toEqual(faultsOf(root, new Set()));
    }),
    { numRuns: 400 },
  );
  expect(left).toBeGreaterThan(300);
});
