/**
 * `npm run test:kubernetes [-- --smoke] [FILTER…]`: holds Stadion against a real Kubernetes API server, which the first run builds from its
 * Go modules. `--smoke` leaves out what takes long. Without Go nothing can be built: the tests then count as skipped, and on
 * continuous integration (`CI` is set) as failed.
 */
import { runTests } from "../../tools/tests/vitest.ts";
import { buildBinaries, builtBinaries, hasGo, KUBERNETES_VERSION } from "./rig/build.ts";

const smoke = process.argv.includes("--smoke");
const filters = process.argv.slice(2).filter((argument) => argument !== "--smoke");

function run(): boolean {
  if (!builtBinaries()) {
    if (!hasGo()) {
      const required = Boolean(process.env.CI);
      console.log(`Go is not installed: Kubernetes ${KUBERNETES_VERSION} cannot be built to be tested against`);
      console.log(required ? "0 passed, 1 failed" : "skipped");
      return !required;
    }
    console.log(`building Kubernetes ${KUBERNETES_VERSION}; this takes minutes, once`);
    buildBinaries();
  }
  return runTests([
    "--config=tests/kubernetes/vitest.config.ts",
    ...(smoke ? ["--exclude=**/*.full.test.ts"] : []),
    ...filters,
  ]);
}

process.exitCode = run() ? 0 : 1;
