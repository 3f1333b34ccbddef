/**
 * Installs exactly what package-lock.json names, unless that has been done. Plain JavaScript for Node 20 and later:
 * it runs before the pinned Node 26 is there. Argument: `production` (what runs) or `all` (also what builds and tests).
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stampFile = `${root}node_modules/.stadion-install.json`;

/** Ends the process when it fails. */
export async function install(wanted) {
  const lock = readFileSync(`${root}package-lock.json`, "utf8");
  const stamp = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, "utf8")) : {};
  if (stamp.lock === lock && (stamp.installed === wanted || stamp.installed === "all")) return;

  console.error(`Installing ${wanted === "all" ? "all dependencies" : "what Stadion needs to run"} (once) …`);
  const { spawnSync } = await import("node:child_process");
  // npm names the Node it runs on and itself; that Node stays in place while node_modules is replaced.
  const node = process.env.npm_node_execpath ?? process.execPath;
  const npm = process.env.npm_execpath;
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error", ...(wanted === "all" ? [] : ["--omit=dev"])];
  const result = npm
    ? spawnSync(node, [npm, ...args], { cwd: root, stdio: ["ignore", 2, 2] })
    : spawnSync("npm", args, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (result.status !== 0) {
    console.error(`Installing failed (exit code ${result.status ?? result.error?.message}); the lines above say why.`);
    process.exit(1);
  }
  if (!existsSync(`${root}node_modules/.bin/node`) && !existsSync(`${root}node_modules/.bin/node.cmd`)) {
    console.error(
      `No Node 26 package was installed for ${process.platform}-${process.arch}: install Node 26 yourself and run the command again.`,
    );
    if (Number(process.versions.node.split(".")[0]) < 26) process.exit(1);
  }
  writeFileSync(stampFile, JSON.stringify({ lock, installed: wanted }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await install(process.argv[2] === "all" ? "all" : "production");
