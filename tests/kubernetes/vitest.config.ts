import { defineConfig } from "vitest/config";

/** Held against a real Kubernetes API server; `run.ts` builds it first. */
export default defineConfig({
  test: {
    name: "kubernetes",
    root: `${import.meta.dirname}/../..`,
    include: ["tests/kubernetes/**/*.test.ts"],
    globalSetup: ["tests/kubernetes/global-setup.ts"],
    setupFiles: ["tools/tests/property-seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
