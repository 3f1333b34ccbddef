/** `npm test [-- FILTER…]`: runs every test and ends with the line `N passed, N failed`. */
import { runTests } from "./tests/vitest.ts";

process.exitCode = runTests(process.argv.slice(2)) ? 0 : 1;
