import fc from "fast-check";
import { expect, test } from "vitest";
import { deepEqual } from "#api/meta/equality.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { applyMergePatch } from "#api/meta/patch/merge-patch.ts";
import { threeWayPatch } from "./apply.ts";

const name = fc.constantFrom("a", "b", "c", "constructor");
const { object } = fc.letrec<{ object: JsonObject; value: JsonValue }>((tie) => ({
  object: fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonObject>,
  value: fc.oneof(
    { depthSize: "small" },
    fc.integer({ min: 0, max: 3 }),
    fc.constant("x"),
    fc.constant([1]),
    tie("object"),
  ),
}));

/** Every leaf of `wanted` stands in `found`. */
const holds = (found: JsonValue | undefined, wanted: JsonValue): boolean =>
  isJsonObject(wanted)
    ? isJsonObject(found) &&
      Object.keys(wanted).every((key) => Object.hasOwn(found, key) && holds(found[key], wanted[key] as JsonValue))
    : deepEqual(found, wanted);

test("applied to what is stored, the patch gives all that is wanted", () => {
  fc.assert(
    fc.property(object, object, object, (last, wanted, stored) => {
      expect(holds(applyMergePatch(stored, threeWayPatch(last, wanted, stored)), wanted)).toBe(true);
    }),
  );
});

test("what only the last apply said is gone, what nobody applied stays", () => {
  fc.assert(
    fc.property(object, object, object, (last, wanted, stored) => {
      const result = applyMergePatch(stored, threeWayPatch(last, wanted, stored)) as JsonObject;
      for (const key of Object.keys(stored)) {
        if (Object.hasOwn(wanted, key)) continue;
        if (Object.hasOwn(last, key)) expect(Object.hasOwn(result, key)).toBe(false);
        else expect(result[key]).toEqual(stored[key]);
      }
    }),
  );
});

test("a second apply of the same has nothing to say", () => {
  fc.assert(
    fc.property(object, object, object, (last, wanted, stored) => {
      const result = applyMergePatch(stored, threeWayPatch(last, wanted, stored)) as JsonObject;
      expect(threeWayPatch(wanted, wanted, result)).toEqual({});
    }),
  );
});
