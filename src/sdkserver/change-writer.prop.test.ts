import fc from "fast-check";
import { describe, it } from "vitest";
import { WRITER_TRIALS } from "./change-writer.model.ts";

describe("whatever calls, faults, delays and other writers come together", () => {
  for (const { promise, lives, runs } of WRITER_TRIALS) it(promise, () => fc.assert(lives, { numRuns: runs }));
});
