/** The Node that Stadion brings along. Plain JavaScript for Node 20 and later. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Whether this Node has all that Stadion uses: 26.4, or later. */
export function isNewEnough(version = process.versions.node) {
  const [major, minor] = version.split(".").map(Number);
  return major > 26 || (major === 26 && minor >= 4);
}

/** Comes back only on a Node that is new enough; on an older one, runs this very program on the pinned one and ends as that ends. */
export async function needPinnedNode() {
  if (isNewEnough()) return;
  const node = `${root}node_modules/.bin/node`;
  if (!existsSync(node)) {
    console.error(`Stadion is not installed yet: run "npm start" or "node ${root}tools/install.mjs production" once.`);
    process.exit(1);
  }
  const { spawn } = await import("node:child_process");
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  // This process has to outlive its child, which ends in its own time; a signal may have been sent to this one alone.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
  process.exit(code);
}
