import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Condition, conditionOf, setCondition } from "./conditions.ts";

const at = (second: number) => Date.UTC(2030, 0, 1, 0, 0, second);
const ready = { type: "Ready", status: "True", reason: "Enough", message: "5 of 5" } as const;

describe("setting a condition", () => {
  test("stamps its first time", () => {
    expect(setCondition(undefined, { ...ready, observedGeneration: 3 }, at(5))).toEqual([
      { ...ready, observedGeneration: 3, lastTransitionTime: "2030-01-01T00:00:05Z" },
    ]);
    expect(setCondition(null, ready, at(5))).toHaveLength(1);
  });

  test("keeps the time while the status stays, whatever else changes", () => {
    const first = setCondition([], ready, at(5));
    const later = setCondition(first, { ...ready, reason: "Plenty", message: "9 of 5", observedGeneration: 4 }, at(9));
    expect(later).toEqual([
      {
        ...ready,
        reason: "Plenty",
        message: "9 of 5",
        observedGeneration: 4,
        lastTransitionTime: "2030-01-01T00:00:05Z",
      },
    ]);
  });

  test("takes the present time when the status changes", () => {
    const first = setCondition([], ready, at(5));
    expect(setCondition(first, { ...ready, status: "False" }, at(9))[0]?.lastTransitionTime).toBe(
      "2030-01-01T00:00:09Z",
    );
  });

  test("gives the very same list when nothing changed", () => {
    const first = setCondition(setCondition([], ready, at(5)), { ...ready, type: "Alive" }, at(6));
    expect(setCondition(first, ready, at(9))).toBe(first);
  });

  test("leaves the list it was given alone", () => {
    const given: readonly Condition[] = Object.freeze([{ ...ready, type: "Z", lastTransitionTime: "" }]);
    expect(setCondition(given, ready, at(1)).map(({ type }) => type)).toEqual(["Ready", "Z"]);
    expect(given.map(({ type }) => type)).toEqual(["Z"]);
  });

  test("keeps one of each type, sorted, in whatever order they come", () => {
    const one = fc.record({
      type: fc.constantFrom("A", "B", "C", "D"),
      status: fc.constantFrom("True" as const, "False" as const, "Unknown" as const),
      reason: fc.constant("R"),
      message: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(one), (all) => {
        const set = all.reduce<readonly Condition[]>((list, each, second) => setCondition(list, each, at(second)), []);
        expect(set.map(({ type }) => type)).toEqual([...new Set(all.map(({ type }) => type))].sort());
        for (const { type, status, message } of set)
          expect(all.findLast((each) => each.type === type)).toMatchObject({ status, message });
      }),
    );
  });
});

test("a condition is found by its type", () => {
  const conditions = setCondition([], ready, at(5));
  expect(conditionOf(conditions, "Ready")?.status).toBe("True");
  expect([conditionOf(conditions, "Other"), conditionOf(undefined, "Ready"), conditionOf(null, "Ready")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
