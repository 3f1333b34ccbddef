import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BufferPolicy } from "#api/autoscaling/policy.ts";
import { decideBuffer, PolicyError, percentOf } from "./decide-size.ts";

type Row = readonly [
  name: string,
  policy: BufferPolicy,
  allocated: number,
  replicas: number,
  limit?: "minimum" | "maximum",
];

const rows: Row[] = [
  ["is added to the Allocated servers", { bufferSize: 20, maxReplicas: 100 }, 40, 60],
  ["as a percentage is a share of all, rounded up", { bufferSize: "20%", minReplicas: 1, maxReplicas: 100 }, 50, 63],
  ["of 10% beside one match is one server", { bufferSize: "10%", minReplicas: 1, maxReplicas: 100 }, 1, 2],
  ["as a share of nothing is the minimum", { bufferSize: "50%", minReplicas: 3, maxReplicas: 10 }, 0, 3, "minimum"],
  ["that divides evenly is not rounded", { bufferSize: "20%", minReplicas: 1, maxReplicas: 100 }, 40, 50],
  ["of 99% is a hundred for each", { bufferSize: "99%", minReplicas: 1, maxReplicas: 1000 }, 3, 300],
  ["of 1% rounds up as well", { bufferSize: "1%", minReplicas: 1, maxReplicas: 1000 }, 1, 2],
  ["below the minimum is the minimum", { bufferSize: 2, minReplicas: 5, maxReplicas: 10 }, 1, 5, "minimum"],
  ["exactly at the minimum is not limited", { bufferSize: 4, minReplicas: 5, maxReplicas: 10 }, 1, 5],
  ["above the maximum is the maximum", { bufferSize: 5, maxReplicas: 8 }, 4, 8, "maximum"],
  ["exactly at the maximum is not limited", { bufferSize: 5, maxReplicas: 9 }, 4, 9],
  ["has no minimum where that is 0", { bufferSize: 1, minReplicas: 0, maxReplicas: 9 }, 0, 1],
  [
    "with limits that exclude each other is the maximum",
    { bufferSize: 1, minReplicas: 9, maxReplicas: 3 },
    5,
    3,
    "maximum",
  ],
  ["below zero, as a schedule may hold one, is no server", { bufferSize: -9, maxReplicas: 9 }, 2, 0, "minimum"],
  ["that was never given is none", { maxReplicas: 9 }, 2, 2],
];

describe("a buffer", () => {
  test.each(rows.map((row) => [row[0], row] as const))("%s", (_name, [, policy, allocated, replicas, limit]) => {
    expect(decideBuffer(policy, allocated)).toEqual({ replicas, ...(limit && { limit }) });
  });

  test.each(["0%", "100%", "5", "%", "1.5%", "-5%", "5%%", " 5%"])("of %j is no percentage", (text) => {
    expect(() => percentOf(text)).toThrow(PolicyError);
  });

  const counts = fc.integer({ min: 0, max: 2 ** 31 - 1 });
  const sizes = fc.oneof(
    counts,
    fc.integer({ min: 1, max: 99 }).map((percent) => `${percent}%`),
  );
  const policies = fc.record({
    bufferSize: sizes,
    minReplicas: counts,
    maxReplicas: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  });

  test("is within its limits, which it names when it meets them, and the same for the same fleet", () => {
    fc.assert(
      fc.property(policies, counts, (policy, allocated) => {
        const size = decideBuffer(policy, allocated);
        expect(size.replicas).toBeLessThanOrEqual(policy.maxReplicas);
        expect(size.replicas).toBeGreaterThanOrEqual(Math.min(policy.minReplicas, policy.maxReplicas));
        if (size.limit === "maximum") expect(size.replicas).toBe(policy.maxReplicas);
        if (size.limit === "minimum") expect(size.replicas).toBe(policy.minReplicas);
        if (!size.limit) expect(size.replicas).toBeGreaterThanOrEqual(allocated);
        expect(decideBuffer(policy, allocated)).toEqual(size);
      }),
    );
  });

  test("never wants fewer servers because more are Allocated", () => {
    fc.assert(
      fc.property(policies, counts, counts, (policy, one, another) => {
        const [less, more] = [Math.min(one, another), Math.max(one, another)];
        expect(decideBuffer(policy, less).replicas).toBeLessThanOrEqual(decideBuffer(policy, more).replicas);
      }),
    );
  });

  test("as a percentage leaves at least that share of the servers free, and no more than it must", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 10_000 }), (percent, allocated) => {
        const { replicas } = decideBuffer({ bufferSize: `${percent}%`, maxReplicas: 2 ** 31 - 1 }, allocated);
        const share = (of: number) => 100 * (of - allocated) - percent * of;
        expect(share(replicas)).toBeGreaterThanOrEqual(0);
        expect(share(replicas - 1)).toBeLessThan(0);
      }),
    );
  });
});
