import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson, stringifyJson } from "#api/meta/json.ts";
import { wireValue } from "./wire-value.ts";

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.string(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string(), fc.oneof(tie("value"), fc.constant(undefined)), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value as fc.Arbitrary<never>;

test("gives what a round trip through JSON text gives", () => {
  fc.assert(
    fc.property(values, (value) => {
      expect(wireValue(value)).toStrictEqual(parseJson(stringifyJson(value)));
    }),
  );
});

test("does not copy what is already as on the wire", () => {
  const value = { a: [1, { b: "text" }], big: 2n ** 62n };
  expect(wireValue(value)).toBe(value);
});

test("copies only the way to what changes", () => {
  const value = { kept: { a: 1 }, counters: { rooms: { count: 5n } } };
  const wire = wireValue(value) as typeof value;
  expect(wire).toEqual({ kept: { a: 1 }, counters: { rooms: { count: 5 } } });
  expect(wire.kept).toBe(value.kept);
});
