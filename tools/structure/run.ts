/** Checks the structure of the sources: import directions, file lengths, duplicates. Prints each fault; exits 1 on any. */
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { duplicates } from "./duplicates.ts";
import { importFaults } from "./imports.ts";

const MOST_LINES = 400;
const MOST_BIN_LINES = 150;

const root = join(import.meta.dirname, "..", "..");
const src = join(root, "src");
const all = globSync(
  ["src/**/*.ts", "tests/**/*.ts", "tools/**/*.{ts,mjs}", "benchmarks/**/*.ts", "examples/**/*.ts"],
  { cwd: root },
)
  .filter((file) => !file.includes("/gen/") && !file.includes(".generated."))
  .map((file) => join(root, file))
  .sort();
if (all.length === 0) throw new Error("no source files were found");

const faults: string[] = [];
for (const { file, imports, why } of importFaults(
  src,
  all.filter((file) => file.startsWith(`${src}/`)),
)) {
  faults.push(`src/${file}: ${imports} ${why}`);
}
for (const file of all) {
  const lines = readFileSync(file, "utf8").split("\n").length - 1;
  const most = file.startsWith(join(src, "bin")) ? MOST_BIN_LINES : MOST_LINES;
  if (lines > most) faults.push(`${relative(root, file)}: ${lines} lines, at most ${most}`);
}
for (const { first, second, text } of duplicates(all.filter((file) => !file.endsWith(".test.ts")))) {
  faults.push(`${relative(root, second)} repeats ${relative(root, first)}: ${text}`);
}

for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
