import { defineConfig } from "vitest/config";

/** Unit and property tests sit beside the source; whole-system tests live in `tests/` and start real processes. */
export default defineConfig({
  test: {
    // Half of what a system test does is to wait; more than two files at once, and what is waited for comes late.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "examples/**/*.test.ts", "tools/**/*.test.ts"],
          setupFiles: ["tools/tests/property-seed.ts"],
          // No module holds state, so test files may share a worker and load each module once.
          isolate: false,
          testTimeout: 20_000,
          hookTimeout: 60_000,
          // A condition comes as late as a busy machine lets it; a test still fails when it never comes.
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        test: {
          name: "system",
          include: ["tests/**/*.test.ts"],
          // Of configurations of their own: they need more than npm brings.
          exclude: ["tests/kubernetes/**", "tests/conformance/**"],
          globalSetup: ["tests/harness/run-folder.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
