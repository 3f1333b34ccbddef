/**
 * Generated lives of a fleet with nothing but the decisions of the fleet's and the sets' controllers: what people and games do in
 * between, writes that do not all arrive, statuses that lag. A failure prints its seed and path.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ModelFleet, type ModelOptions } from "./rollout.fixture.ts";

type Step =
  | { readonly type: "scale"; readonly replicas: number }
  | { readonly type: "update"; readonly version: number }
  | { readonly type: "updateAndScale"; readonly version: number; readonly replicas: number }
  | { readonly type: "fleet" | "sets"; readonly writes: number }
  | { readonly type: "status" | "ready"; readonly which: number }
  | { readonly type: "allocate" | "reserve" | "end" | "fail" | "return"; readonly which: number };

const which = fc.nat({ max: 40 });
const replicas = fc.nat({ max: 12 });
const version = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("scale" as const), replicas }),
  fc.record({ type: fc.constant("update" as const), version }),
  fc.record({ type: fc.constant("updateAndScale" as const), version, replicas }),
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constantFrom("fleet" as const, "sets" as const), writes: fc.nat({ max: 6 }) }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constantFrom("status" as const, "ready" as const), which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom("allocate", "allocate", "reserve", "end", "fail", "return"),
      which,
    }) as fc.Arbitrary<Step>,
  },
);

const share = fc.oneof(
  fc.integer({ min: 1, max: 99 }).map((percent) => `${percent}%`),
  fc.integer({ min: 1, max: 13 }),
);
const options: fc.Arbitrary<ModelOptions> = fc.record({
  replicas,
  maxSurge: share,
  maxUnavailable: share,
  type: fc.constantFrom(
    "RollingUpdate" as const,
    "RollingUpdate" as const,
    "RollingUpdate" as const,
    "Recreate" as const,
  ),
  scheduling: fc.constantFrom("Packed" as const, "Distributed" as const),
  fix: fc.boolean(),
});

function take(model: ModelFleet, step: Step): void {
  if (step.type === "scale") model.change(step.replicas, undefined);
  else if (step.type === "update") model.change(undefined, step.version);
  else if (step.type === "updateAndScale") model.change(step.replicas, step.version);
  else if ("writes" in step) {
    if (step.type === "fleet") model.fleetPass(step.writes);
    else model.setPasses(step.writes);
  } else if (step.type === "status") model.tell(step.which);
  else if (step.type === "ready") model.becomeReady(step.which);
  else model.game(step.type, step.which);
}

/** Shrinking such lives takes minutes and makes them little shorter. */
const runs = { numRuns: 250, endOnFailure: true };

test("whatever came before, decisions alone bring a fleet to its number and template within bounded rounds, and nothing breaks on the way", () => {
  fc.assert(
    fc.property(options, fc.array(step, { maxLength: 80, size: "max" }), (chosen, steps) => {
      const model = new ModelFleet(chosen);
      for (const each of steps) take(model, each);
      const most = 40 + 8 * model.sets;
      let rounds = 0;
      while (model.missing() !== undefined && rounds++ < most) model.round();
      expect(model.missing()).toBeUndefined();
      expect(model.violations).toEqual([]);
    }),
    runs,
  );
});

test("at its goal a fleet is left alone", () => {
  fc.assert(
    fc.property(options, fc.array(step, { maxLength: 40, size: "max" }), (chosen, steps) => {
      const model = new ModelFleet(chosen);
      for (const each of steps) take(model, each);
      for (let rounds = 0; rounds < 100; rounds++) model.round();
      const before = model.writes;
      model.round();
      expect(model.writes).toBe(before);
    }),
    runs,
  );
});

const ours: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constantFrom("fleet" as const, "sets" as const), writes: fc.nat({ max: 6 }) }),
  fc.record({ type: fc.constantFrom("status" as const, "ready" as const), which }),
);

test("a rolling update never leaves fewer servers than may be unavailable, nor more than the surge, in whatever order things happen", () => {
  const lives = fc.tuple(
    options,
    fc.array(fc.tuple(which, ours), { maxLength: 200, size: "max" }),
    fc.array(version, { maxLength: 3 }),
  );
  fc.assert(
    fc.property(lives, ([chosen, steps, versions]) => {
      const model = new ModelFleet({ ...chosen, type: "RollingUpdate" });
      for (let rounds = 0; rounds < 20; rounds++) model.round();
      for (const busy of versions) model.game("allocate", busy);
      for (let rounds = 0; rounds < 3; rounds++) model.round();
      model.change(undefined, 1);
      const [least, most] = [model.leastAvailable, model.mostLiving];
      let changed = false;
      steps.forEach(([at, each], turn) => {
        // Back, or on to a third version, in the middle.
        if (turn === at + 40) model.change(undefined, versions[0] ?? 2);
        changed ||= turn === at + 40;
        take(model, each);
        expect(model.available).toBeGreaterThanOrEqual(least - (changed ? 1 : 0));
        expect(model.living).toBeLessThanOrEqual(most);
      });
    }),
    runs,
  );
});
