import { describe, expect, test } from "vitest";
import { buffer } from "./autoscaler.fixture.ts";
import type { SimplePolicy } from "./policy.ts";
import { promises } from "./schedule.promises.ts";
import { isActive } from "./schedule.ts";

describe("a schedule", () => {
  test.each(promises.map((promise) => [promise.section, promise.name, promise] as const))(
    "%s: %s",
    (_section, _name, { schedule, active, inactive }) => {
      const at = (time: string) => isActive({ ...schedule, policy: buffer as SimplePolicy }, Date.parse(time));
      const times = [...active, ...inactive];
      expect(times.filter(at)).toEqual(active);
    },
  );

  test("that was never validated says what it cannot read", () => {
    const at = (activePeriod: object) => () => isActive({ activePeriod, policy: buffer as SimplePolicy }, 0);
    expect(at({ startCron: "often" })).toThrow("expected exactly 5 fields");
    expect(at({ startCron: "@daily", duration: "long" })).toThrow("invalid duration");
    expect(at({ startCron: "@daily", duration: "1h", timezone: "Mars/Base" })).toThrow(RangeError);
  });
});
