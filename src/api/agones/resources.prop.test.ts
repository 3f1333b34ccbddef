import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonObject, parseJson, stringifyJson } from "../meta/json.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "./resources.ts";

const int64 = fc.oneof(fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 0n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n));
const wire = (object: object): JsonObject => parseJson(stringifyJson(object)) as JsonObject;

describe("what is read from the wire and written again", () => {
  test("keeps every int64 of a GameServer exactly, as a bigint", () => {
    fc.assert(
      fc.property(int64, int64, (count, capacity) => {
        const maps = { counters: { rooms: { count, capacity } }, lists: { players: { capacity, values: ["a"] } } };
        const json = wire({
          metadata: { name: "duel-1" },
          spec: { ...maps, players: { initialCapacity: count } },
          status: { ...maps, players: { count, capacity } },
        });
        const read = GAMESERVERS.decode(json);
        expect(read.spec).toEqual({ ...maps, players: { initialCapacity: count } });
        expect(read.status).toEqual({ ...maps, players: { count, capacity } });
        expect(wire(read)).toEqual(json);
      }),
    );
  });

  test("keeps those of templates and of the sums in a status", () => {
    fc.assert(
      fc.property(int64, (value) => {
        const sum = { count: value, capacity: value, allocatedCount: value, allocatedCapacity: value };
        const object = {
          spec: { template: { spec: { counters: { rooms: { count: value } } } } },
          status: { replicas: 3, counters: { rooms: sum }, lists: { players: sum } },
        };
        for (const type of [FLEETS, GAMESERVERSETS]) {
          expect(type.decode(wire(object))).toEqual(object);
          expect(wire(type.decode(wire(object)))).toEqual(wire(object));
        }
      }),
    );
  });
});

test("members that are not known, and values of a wrong type, are passed through", () => {
  const json = { spec: { counters: "none", future: { count: 1 } }, more: [1] };
  expect(GAMESERVERS.decode(json)).toEqual(json);
});
