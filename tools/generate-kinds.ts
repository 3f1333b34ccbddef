/** `npm run update:kinds`: writes `docs/reference/kinds/` and the chart's definitions; with `--verify` it only says what is not up to date. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { DEFINITIONS, generatedFiles, PAGES } from "./kinds/files.ts";
import { ROOT } from "./reference/sources.ts";

const { values } = parseArgs({ options: { verify: { type: "boolean", default: false } } });

const files = generatedFiles();
const there = [PAGES, DEFINITIONS].flatMap((folder) => {
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder).map((name) => join(folder, name));
});
for (const path of new Set([...files.keys(), ...there])) {
  const text = files.get(path);
  const same = text !== undefined && existsSync(path) && readFileSync(path, "utf8") === text;
  if (same) continue;
  if (values.verify) {
    console.error(`${relative(ROOT, path)} is not up to date; run npm run update:kinds`);
    process.exitCode = 1;
  } else if (text === undefined) rmSync(path);
  else writeFileSync(path, text);
}
