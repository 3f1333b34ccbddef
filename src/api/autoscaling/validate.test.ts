import { describe, expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { autoscaler, NOW } from "./autoscaler.fixture.ts";
import { promises } from "./validate.promises.ts";
import { validateFleetAutoscaler } from "./validate.ts";

describe("a FleetAutoscaler", () => {
  test.each(promises.map((promise) => [promise.section, promise.name, promise] as const))(
    "%s: %s",
    (_section, _name, { policy, spec, gates, faults }) => {
      const rules = { gates: featureGates(gates), now: NOW };
      const found = validateFleetAutoscaler(autoscaler(policy, spec), rules);
      expect(found.map(({ reason, field, body }) => `${reason.replace("FieldValue", "")} ${field}: ${body}`)).toEqual(
        faults,
      );
    },
  );
});
