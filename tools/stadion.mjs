#!/usr/bin/env node
/** `npx stadion …`: runs the command line on the pinned Node 26, whatever Node started this. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = `${root}src/bin/stadion.ts`;

if (Number(process.versions.node.split(".")[0]) >= 26) {
  await import(main);
} else {
  const node = `${root}node_modules/.bin/node`;
  if (!existsSync(node)) {
    console.error(`Stadion is not installed yet: run "npm start" or "node ${root}tools/install.mjs production" once.`);
    process.exit(1);
  }
  const result = spawnSync(node, [main, ...process.argv.slice(2)], { stdio: "inherit" });
  process.exit(result.status ?? 1);
}
