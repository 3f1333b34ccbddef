import { defineConfig } from "vitest/config";

/** Published clients of several languages; `run.ts` says how it is run. */
export default defineConfig({
  test: {
    name: "conformance",
    root: `${import.meta.dirname}/../..`,
    include: ["tests/conformance/**/*.test.ts"],
    globalSetup: ["tests/harness/run-folder.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
