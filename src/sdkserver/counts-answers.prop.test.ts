import fc from "fast-check";
import { describe, it } from "vitest";
import { ANSWERS_TRIALS } from "./counts-answers.model.ts";

describe("whatever calls, faults, deaths and delays come together", () => {
  for (const { promise, lives, runs } of ANSWERS_TRIALS) it(promise, () => fc.assert(lives, { numRuns: runs }));
});
