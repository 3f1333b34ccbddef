/**
 * `npm run test:conformance [-- --write] [FILTER…]`: games with published clients against our SDK server. `--write` also writes what came of
 * it to `docs/reference/sdk-conformance.md`, which the run otherwise only compares.
 */
import { runTests } from "../../tools/tests/vitest.ts";

const write = process.argv.includes("--write");
if (write) process.env.STADION_CONFORMANCE = "write";
const filters = process.argv.slice(2).filter((argument) => argument !== "--write");

process.exitCode = runTests(["--config=tests/conformance/vitest.config.ts", ...filters]) ? 0 : 1;
