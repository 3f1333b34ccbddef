import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What Vitest's JSON reporter writes, as far as it is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** The failed tests of a report, each with its file and what it said; a file that did not load stands for its tests. */
function failures({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0) return status === "failed" ? [`${name}\n${message}`] : [];
    return failed.map(({ fullName, failureMessages }) => `${name}: ${fullName}\n${failureMessages.join("\n")}`);
  });
}

/**
 * Runs Vitest with more arguments, and ends with the line `N passed, N failed`, before which stands `Failures:` and each of them when
 * there are any. False when anything failed or nothing ran.
 */
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
    const results = JSON.parse(readFileSync(report, "utf8")) as Report;
    const told = failures(results);
    if (told.length > 0) console.log(`Failures:\n${told.join("\n\n")}`);
    passed = results.numPassedTests;
    // A run may also fail of what belongs to no test, such as a rejection that nobody handled.
    failed = told.length === 0 && status !== 0 ? 1 : told.length;
    if (results.numPendingTests > 0) console.log(`${results.numPendingTests} skipped`);
  } catch {
    failed = 1;
  }
  rmSync(folder, { recursive: true, force: true });
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && status === 0 && passed > 0;
}
