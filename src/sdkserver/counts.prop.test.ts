import fc from "fast-check";
import { describe, it } from "vitest";
import { COUNTS_TRIALS } from "./counts.model.ts";

describe("whatever calls, faults, deaths, delays, allocations and other writers come together", () => {
  for (const { promise, lives, runs } of COUNTS_TRIALS) it(promise, () => fc.assert(lives, { numRuns: runs }));
});
