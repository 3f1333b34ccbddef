import { describe, expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { autoscaler, NOW } from "./autoscaler.fixture.ts";
import type { FleetAutoscaler } from "./fleetautoscaler.ts";
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

  test.each(["Schedule", "Chain"] as const)(
    "that has ended may still change; a new end in the past is refused (%s)",
    (type) => {
      const ended = (end: string, replicas: number): FleetAutoscaler => {
        const policy = { type: "Buffer", buffer: { bufferSize: 1, maxReplicas: replicas } } as const;
        const schedule = { between: { end }, policy };
        return autoscaler(
          type === "Schedule" ? { type, schedule } : { type, chain: [{ id: "1", type: "Schedule", schedule }] },
        );
      };
      const before = ended("2029-12-31T00:00:00Z", 3);
      const rules = { gates: featureGates(), now: NOW, before };
      expect(validateFleetAutoscaler(ended("2029-12-31T01:00:00+01:00", 5), rules)).toEqual([]);
      expect(validateFleetAutoscaler(ended("2029-12-30T00:00:00Z", 5), rules)).toHaveLength(1);
    },
  );
});
