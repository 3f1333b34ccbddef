import fc from "fast-check";
import { describe, it } from "vitest";
import { JOURNAL_TRIALS } from "./change-journal.model.ts";

describe("whatever calls, faults, deaths, delays and other writers come together", () => {
  for (const { promise, lives, runs } of JOURNAL_TRIALS) it(promise, () => fc.assert(lives, { numRuns: runs }));
});
