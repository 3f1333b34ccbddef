import { describe, expect, test } from "vitest";
import { autoscaler, buffer } from "./autoscaler.fixture.ts";
import { syncs, times } from "./defaults.promises.ts";
import { canonicalTimes, defaultFleetAutoscaler, ScheduleTimeError } from "./defaults.ts";
import type { FleetAutoscaler } from "./fleetautoscaler.ts";
import type { FleetAutoscalerPolicy, SchedulePolicy, SimplePolicy } from "./policy.ts";

describe("defaulting", () => {
  test.each(syncs.map((promise) => [promise.section, promise.name, promise] as const))(
    "%s: %s",
    (_section, _name, { sync, becomes }) => {
      const given = autoscaler(buffer, { sync: sync as never });
      const completed = defaultFleetAutoscaler(given);
      expect(completed).toEqual({ ...given, spec: { ...given.spec, sync: becomes } });
      expect(defaultFleetAutoscaler(completed)).toBe(completed);
    },
  );

  test("makes a spec where there is none, for the schema to say what it lacks", () => {
    const { spec: _, ...without } = autoscaler(buffer);
    expect(defaultFleetAutoscaler(without as FleetAutoscaler).spec).toEqual({
      sync: { type: "FixedInterval", fixedInterval: { seconds: 30 } },
    });
  });
});

describe("times", () => {
  const schedule = (between: unknown): SchedulePolicy => ({
    between: between as SchedulePolicy["between"],
    policy: buffer as SimplePolicy,
  });
  const places: readonly [string, (schedule: SchedulePolicy) => FleetAutoscalerPolicy, string][] = [
    ["the policy", (schedule) => ({ type: "Schedule", schedule }), "spec.policy.schedule"],
    [
      "a chain",
      (schedule) => ({ type: "Chain", chain: [null, { id: "a", type: "Schedule", schedule }] }),
      "spec.policy.chain[1].schedule",
    ],
  ];

  describe.each(places)("of %s", (_, place, path) => {
    test.each(times.map((promise) => [promise.section, promise.name, promise] as const))(
      "%s: %s",
      (_section, _name, { between, becomes, error }) => {
        const rewritten = () => canonicalTimes(autoscaler(place(schedule(between))));
        if (error === undefined) {
          expect(rewritten()).toEqual(autoscaler(place(schedule(becomes))));
          const once = rewritten();
          expect(canonicalTimes(once)).toBe(once);
          return;
        }
        expect(rewritten).toThrow(ScheduleTimeError);
        expect(rewritten).toThrow(`${path}${error}`);
      },
    );
  });

  test("are looked for only where a schedule is", () => {
    for (const policy of [buffer, { type: "Schedule", schedule: null }, { type: "Chain" }, undefined]) {
      const given = autoscaler(policy as FleetAutoscalerPolicy);
      expect(canonicalTimes(given)).toBe(given);
    }
  });
});
