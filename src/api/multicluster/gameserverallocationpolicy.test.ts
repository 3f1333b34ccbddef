import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonObject, parseJson, stringifyJson } from "../meta/json.ts";
import { GAMESERVERALLOCATIONPOLICIES } from "./gameserverallocationpolicy.ts";

const wire = (object: object): JsonObject => parseJson(stringifyJson(object)) as JsonObject;

test("10: a weight is exact, from the wire and back", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (weight) => {
      const json = wire({ metadata: { name: "north" }, spec: { priority: 2, weight } });
      const read = GAMESERVERALLOCATIONPOLICIES.decode(json);
      expect(read.spec).toEqual({ priority: 2, weight });
      expect(wire(read)).toEqual(json);
    }),
  );
});
