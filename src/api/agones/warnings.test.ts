import { expect, test } from "vitest";
import type { GameServerSpec } from "./gameserver.ts";
import { gameServerWarnings } from "./warnings.ts";

const warnings = (spec: Partial<GameServerSpec>) => gameServerWarnings(spec as GameServerSpec, "spec");

test("a count above its capacity, more values than a list takes, and a Static port without its number are told", () => {
  expect(
    warnings({
      ports: [{ portPolicy: "Dynamic" }, { portPolicy: "Static", containerPort: 1 }],
      counters: { rooms: { count: 11n, capacity: 10n }, full: { count: 10n, capacity: 10n } },
      lists: { players: { values: ["a", "b"], capacity: 1n }, full: { values: ["a"], capacity: 1n } },
    }),
  ).toEqual([
    "spec.ports[1].hostPort: a Static port without one is reached by nobody",
    "spec.counters[rooms].count: 11 is more than the capacity, which is 10",
    "spec.lists[players].values: 2 are more than the capacity, which is 1",
  ]);
});

test("what is in order is not told", () => {
  expect(warnings({})).toEqual([]);
  expect(warnings({ ports: [{ portPolicy: "Static", hostPort: 7000 }], counters: { rooms: {} } })).toEqual([]);
});
