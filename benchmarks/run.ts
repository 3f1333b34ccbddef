/**
 * `npm run bench [-- NAME…]`: runs all benchmarks, or those named, and prints one JSON line a figure. What it tells a person goes to
 * standard error. Exits 0 whatever the figures are; a name that does not exist is the caller's mistake.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "../tools/build/bundle.ts";
import { type Benchmark, figureLine } from "./figure.ts";

const SUFFIX = ".bench.ts";
const known = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark is called ${unknown.join(", ")}; there are ${known.join(", ")}`);
  process.exit(2);
}

// What is measured is what `npm start` runs.
const root = join(import.meta.dirname, "..");
await bundle(root, join(root, "dist"));
for (const name of wanted.length > 0 ? wanted : known) {
  try {
    const { benchmark } = (await import(`./${name}${SUFFIX}`)) as { readonly benchmark: Benchmark };
    const figures = await benchmark((progress) => console.error(`${name}: ${progress}`));
    for (const figure of figures) console.log(figureLine(figure));
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}
