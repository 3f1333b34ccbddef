/**
 * `npm run test:soak:sdk [-- --lives N] [-- --seed N]`: lives of an SDK server under random calls, restarts and faults until so many were
 * lived for each of its promises, 100,000 by default. A promise that does not hold is told with the shortest life that breaks it, which
 * `--seed N --lives N` of the same numbers finds again.
 */
import { parseArgs } from "node:util";
import fc from "fast-check";
import { JOURNAL_TRIALS } from "#sdkserver/change-journal.model.ts";
import { WRITER_TRIALS } from "#sdkserver/change-writer.model.ts";
import { COUNTS_TRIALS } from "#sdkserver/counts.model.ts";
import { ANSWERS_TRIALS } from "#sdkserver/counts-answers.model.ts";

/** What is told at once, and begins with a seed of its own. */
const SLICE = 1000;

const { values } = parseArgs({ options: { lives: { type: "string" }, seed: { type: "string" } } });
const wanted = Number(values.lives ?? 100_000);
const first = Number(values.seed ?? Date.now() % 1_000_000_000);
const trials = [...WRITER_TRIALS, ...JOURNAL_TRIALS, ...COUNTS_TRIALS, ...ANSWERS_TRIALS];

let lived = 0;
for (let seed = first; lived < wanted; seed++) {
  const numRuns = Math.min(SLICE, wanted - lived);
  for (const { promise, lives } of trials) {
    const details = await fc.check(lives, { seed, numRuns });
    if (!details.failed) continue;
    console.error(`"${promise}" does not hold:\n${await fc.asyncDefaultReportMessage(details)}`);
    process.exitCode = 1;
  }
  if (process.exitCode) break;
  lived += numRuns;
  console.log(`${lived} lives for each of ${trials.length} promises, seeds ${first} to ${seed}`);
}
