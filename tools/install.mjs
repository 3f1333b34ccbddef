/**
 * Installs exactly what package-lock.json names, unless it is there. Plain JavaScript for Node 20 and later:
 * it runs before the pinned Node 26 is there. Argument: `production` (what runs) or `all` (also what builds and tests).
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isNewEnough } from "./pinned-node.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const stampFile = `${root}node_modules/.stadion-install.json`;

/** Ends the process when it fails; then everything is as it was. */
export async function install(wanted) {
  const lock = readFileSync(`${root}package-lock.json`, "utf8");
  const stamp = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, "utf8")) : {};
  if (stamp.lock === lock && (stamp.installed === wanted || stamp.installed === "all")) return;
  const note = (installed) => writeFileSync(stampFile, JSON.stringify({ lock, installed }));
  const there = ["all", wanted].find((each) => isThere(JSON.parse(lock), each));
  if (there !== undefined) return note(there);

  console.error(`Installing ${wanted === "all" ? "all dependencies" : "what Stadion needs to run"} (once) …`);
  await replacePackages(wanted);
  if (!hasNode()) {
    console.error(
      `No Node 26 package was installed for ${process.platform}-${process.arch}: install Node 26.4 or later yourself and run the command again.`,
    );
    if (!isNewEnough()) process.exit(1);
  }
  note(wanted);
}

const hasNode = () => existsSync(`${root}node_modules/.bin/node`) || existsSync(`${root}node_modules/.bin/node.cmd`);

/** Whether npm noted all that is wanted as installed, in the locked versions; packages of other platforms may be missing. */
function isThere({ packages }, wanted) {
  const noted = `${root}node_modules/.package-lock.json`;
  if (!existsSync(noted) || !hasNode()) return false;
  const { packages: installed } = JSON.parse(readFileSync(noted, "utf8"));
  return Object.entries(packages).every(([path, { version, integrity, dev, optional, devOptional }]) => {
    if (path === "" || (wanted === "production" && (dev || devOptional))) return true;
    const found = installed[path];
    if (found === undefined) return optional === true || devOptional === true;
    return found.version === version && found.integrity === integrity && existsSync(`${root}${path}/package.json`);
  });
}

/**
 * Installs into a folder beside, and puts the result in its place at once: a cluster that runs from here finds its Node and its packages
 * at any moment.
 */
async function replacePackages(wanted) {
  const { spawn } = await import("node:child_process");
  const { copyFileSync, mkdtempSync, renameSync, rmSync } = await import("node:fs");
  const beside = mkdtempSync(`${root}.install-`);
  // Over npm's spinner, which stands where the line begins.
  const clear = process.stderr.isTTY ? "\r\x1b[K" : "";
  const giveUp = (code, why) => {
    rmSync(beside, { recursive: true, force: true, maxRetries: 5 });
    console.error(clear + why);
    process.exit(code);
  };
  for (const file of ["package.json", "package-lock.json", ".npmrc"])
    if (existsSync(root + file)) copyFileSync(root + file, `${beside}/${file}`);
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error", ...(wanted === "all" ? [] : ["--omit=dev"])];
  // npm names the Node it runs on and itself; the Node of `node_modules` is replaced.
  const node = process.env.npm_node_execpath ?? process.execPath;
  const npm = process.env.npm_execpath;
  // Of the npm that started this: the folder it works in.
  const { npm_config_local_prefix: _, ...env } = process.env;
  // A group of its own: a signal reaches npm and all that it started, once, and from here.
  const grouped = process.platform !== "win32";
  const options = { cwd: beside, env, stdio: ["ignore", 2, 2], detached: grouped };
  const child = npm ? spawn(node, [npm, ...args], options) : spawn("npm", args, { ...options, shell: !grouped });
  const { why, stopped } = await endOf(child, grouped);
  if (stopped) giveUp(130, "Installing was stopped; everything is as it was before.");
  if (why !== 0) giveUp(1, `Installing failed (exit code ${why}); the lines above say why.`);
  const [before, after, place] = [`${beside}/before`, `${beside}/node_modules`, `${root}node_modules`];
  if (existsSync(place)) renameSync(place, before);
  renameSync(after, place);
  rmSync(beside, { recursive: true, force: true });
}

/** How long npm gets to end once it was told to: it may go on for as long as it likes, and nothing it makes is wanted any more. */
const GRACE_MS = 500;

/** Waits for a child, and passes on what tells this process to end: it must not go on alone. */
async function endOf(child, grouped) {
  let stopped = false;
  const kill = (signal) => {
    try {
      if (grouped) process.kill(-child.pid, signal);
      else child.kill(signal);
    } catch {
      // It has ended.
    }
  };
  const stop = (signal) => {
    stopped = true;
    kill(signal);
    setTimeout(kill, GRACE_MS, "SIGKILL").unref();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, stop);
  const why = await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  for (const signal of signals) process.off(signal, stop);
  if (stopped) kill("SIGKILL");
  return { why, stopped };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await install(process.argv[2] === "all" ? "all" : "production");
