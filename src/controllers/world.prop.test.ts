/**
 * Random lives of a fleet under the real controllers and the real API server. A failure prints its seed and path; play it again with
 * `WORLD_SEED=… WORLD_PATH=…`, and try more lives with `WORLD_RUNS=…`.
 */
import { env } from "node:process";
import fc from "fast-check";
import { test } from "vitest";
import { live, scenarios } from "#tests/world/scenario.ts";

test("whatever happens, nothing happens that must never, and in the end every fleet is what was asked for", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios(1, 25), async (scenario) => void (await live(scenario))),
    {
      numRuns: Number(env.WORLD_RUNS ?? 60),
      ...(env.WORLD_SEED !== undefined && { seed: Number(env.WORLD_SEED) }),
      ...(env.WORLD_PATH !== undefined && { path: env.WORLD_PATH }),
      interruptAfterTimeLimit: env.WORLD_RUNS === undefined ? 8_000 : undefined,
    },
  );
}, 3_600_000);
