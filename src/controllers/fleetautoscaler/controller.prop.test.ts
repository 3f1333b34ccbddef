import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fault } from "#kube/fault-injection.ts";
import { Bench } from "#tests/world/autoscaler-bench.ts";

const faults = fc.constantFrom<Fault["type"] | "none">("none", "none", "conflict", "refuse", "lose-answer");
const moves = fc.array(
  fc.record({ allocated: fc.integer({ min: 0, max: 9 }), buffer: fc.integer({ min: 1, max: 9 }) }),
  {
    minLength: 1,
    maxLength: 5,
  },
);

test("after any faults the fleet has the size of the policy, no size beyond its limits was ever written, and the status is true", async () => {
  await fc.assert(
    fc.asyncProperty(moves, fc.array(faults, { minLength: 5, maxLength: 40 }), async (changes, plan) => {
      const bench = await new Bench().start();
      const left = [...plan];
      await bench.fleet("arena", 1);
      const policy = (bufferSize: number) =>
        ({ type: "Buffer", buffer: { bufferSize, minReplicas: 0, maxReplicas: 12 } }) as const;
      await bench.autoscaler("auto", policy(1));
      bench.fault = () => {
        const type = left.shift() ?? "none";
        return type === "none" ? undefined : ({ type } as Fault);
      };
      for (const { allocated, buffer } of changes) {
        await bench.allocated("arena", allocated);
        await bench.change("auto", policy(buffer));
        await bench.pass(4000);
        const size = await bench.sizeOf("arena");
        expect(size).toBeGreaterThanOrEqual(1);
        expect(size).toBeLessThanOrEqual(12);
      }
      left.length = 0;
      await bench.pass(14_000);
      const { allocated = 0, buffer = 0 } = changes.at(-1) ?? {};
      const wanted = Math.min(12, allocated + buffer);
      expect(await bench.sizeOf("arena")).toBe(wanted);
      expect(await bench.shown("auto")).toMatchObject({
        desiredReplicas: wanted,
        ableToScale: true,
        scalingLimited: allocated + buffer > 12,
      });
    }),
    { numRuns: 10 },
  );
});
