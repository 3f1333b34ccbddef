import { describe, expect, test } from "vitest";
import { fleet } from "#api/agones/gameserver.fixture.ts";
import { exampleOf, QUICK_START_FLEET } from "./example-fleet.ts";

describe("the fleet to show commands with", () => {
  const of = (...fleets: readonly (readonly [name: string, replicas: number])[]) =>
    exampleOf(fleets.map(([name, replicas]) => fleet({ replicas }, { name })))?.name;

  test.each([
    [
      "is that of the quick start, while it has servers",
      [
        ["arena", 2],
        [QUICK_START_FLEET, 3],
      ],
      QUICK_START_FLEET,
    ],
    [
      "else one that has some",
      [
        ["empty", 0],
        [QUICK_START_FLEET, 0],
        ["arena", 1],
      ],
      "arena",
    ],
    [
      "else one without any",
      [
        ["empty", 0],
        ["void", 0],
      ],
      "empty",
    ],
    ["or none", [], undefined],
  ] as const)("%s", (_, fleets, expected) => {
    expect(of(...fleets)).toBe(expected);
  });
});
