import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numFailedTestSuites: number;
}

/** Runs Vitest with more arguments, and ends with the line `N passed, N failed`. False when anything failed or nothing ran. */
export function runTests(args: readonly string[]): boolean {
  const folder = mkdtempSync(join(tmpdir(), "stadion-test-"));
  const report = join(folder, "report.json");
  const { status } = spawnSync(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...args,
    ],
    { stdio: "inherit", cwd: join(import.meta.dirname, "..", "..") },
  );

  let passed = 0;
  let failed = 0;
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites } = JSON.parse(
      readFileSync(report, "utf8"),
    ) as Report;
    passed = numPassedTests;
    // A file that does not load has no tests to count, yet it failed.
    failed = numFailedTests === 0 && status !== 0 ? Math.max(1, numFailedTestSuites) : numFailedTests;
    if (numPendingTests > 0) console.log(`${numPendingTests} skipped`);
  } catch {
    failed = 1;
  }
  rmSync(folder, { recursive: true, force: true });
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && status === 0 && passed > 0;
}
