import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

/** A clone of the project as far as installing goes. */
let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "stadion-install-"));
  mkdirSync(join(clone, "tools"));
  for (const file of ["install.mjs", "pinned-node.mjs"])
    copyFileSync(join(import.meta.dirname, file), join(clone, "tools", file));
  write("package.json", { name: "clone" });
  write("package-lock.json", LOCK);
  writeFileSync(join(clone, "npm.mjs"), NPM);
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

const PACKAGES = {
  "node_modules/needed": { version: "1.0.0", integrity: "sha512-a" },
  "node_modules/tool": { version: "2.0.0", integrity: "sha512-b", dev: true },
  "node_modules/elsewhere": { version: "3.0.0", integrity: "sha512-c", optional: true },
};
const LOCK = { packages: { "": { name: "clone" }, ...PACKAGES } };

/** An npm that installs the locked packages of this platform into the folder it works in, and notes what the clone has meanwhile. */
const NPM = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
const clone = import.meta.dirname;
appendFileSync(clone + "/calls", process.argv.slice(2).join(" ") + ", Node is " + (existsSync(clone + "/node_modules/.bin/node") ? "there" : "gone") + "\\n");
if (existsSync(clone + "/broken")) process.exit(7);
if (existsSync(clone + "/slow")) {
  writeFileSync(clone + "/pid", String(process.pid));
  setInterval(() => {}, 1000);
  await new Promise(() => {});
}
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const wanted = Object.entries(packages).filter(([path, { dev, optional }]) => path && !optional && !(dev && process.argv.includes("--omit=dev")));
for (const [path, found] of wanted) {
  mkdirSync(path, { recursive: true });
  writeFileSync(path + "/package.json", JSON.stringify(found));
}
mkdirSync("node_modules/.bin");
writeFileSync("node_modules/.bin/node", "");
writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: Object.fromEntries(wanted) }));
`;

function write(file: string, value: object): void {
  mkdirSync(dirname(join(clone, file)), { recursive: true });
  writeFileSync(join(clone, file), JSON.stringify(value));
}

const environment = () => ({
  ...process.env,
  npm_execpath: join(clone, "npm.mjs"),
  npm_node_execpath: process.execPath,
});

function install(wanted: "all" | "production") {
  const args = [join(clone, "tools/install.mjs"), wanted];
  const { status, stderr } = spawnSync(process.execPath, args, { env: environment() });
  return { status, err: String(stderr) };
}

const calls = () =>
  (existsSync(join(clone, "calls")) ? readFileSync(join(clone, "calls"), "utf8") : "").split("\n").slice(0, -1);
const packages = () => readdirSync(join(clone, "node_modules")).filter((name) => !name.startsWith("."));
const leftOver = () => readdirSync(clone).filter((name) => name.startsWith(".install-"));

test("what is installed already is not touched", () => {
  expect(install("production").status).toBe(0);
  expect(packages()).toEqual(["needed"]);
  for (let again = 0; again < 2; again++) expect(install("production")).toEqual({ status: 0, err: "" });
  expect(calls()).toHaveLength(1);
});

test("what npm itself installed by the same lock is not touched", () => {
  for (const [path, found] of Object.entries(PACKAGES).slice(0, 2)) write(`${path}/package.json`, found);
  write("node_modules/.bin/node", {});
  write("node_modules/.package-lock.json", { packages: Object.fromEntries(Object.entries(PACKAGES).slice(0, 2)) });
  expect(install("all")).toEqual({ status: 0, err: "" });
  expect(install("production")).toEqual({ status: 0, err: "" });
  expect(calls()).toEqual([]);
  write("node_modules/.package-lock.json", { packages: Object.fromEntries(Object.entries(PACKAGES).slice(0, 1)) });
  rmSync(join(clone, "node_modules/.stadion-install.json"));
  expect(install("production").status).toBe(0);
  expect(calls()).toEqual([]);
  expect(install("all").status).toBe(0);
  expect(calls()).toHaveLength(1);
});

test("what must change is put in place in one step: whatever runs from here finds its Node meanwhile", () => {
  install("production");
  expect(install("all").status).toBe(0);
  expect(packages()).toEqual(["needed", "tool"]);
  write("package-lock.json", { packages: { ...LOCK.packages, "node_modules/tool": { version: "2.1.0", dev: true } } });
  expect(install("all").status).toBe(0);
  expect(calls().slice(1)).toHaveLength(2);
  for (const call of calls().slice(1)) expect(call).toMatch(/^ci .*Node is there$/);
  expect(leftOver()).toEqual([]);
});

test("an install that fails leaves everything as it was", () => {
  install("production");
  writeFileSync(join(clone, "broken"), "");
  expect(install("all")).toMatchObject({ status: 1, err: expect.stringContaining("exit code 7") });
  expect(packages()).toEqual(["needed"]);
  expect(leftOver()).toEqual([]);
});

test.for(["SIGINT", "SIGTERM"] as const)(
  "an install that %s stops ends its npm, and leaves everything as it was",
  async (signal) => {
    writeFileSync(join(clone, "slow"), "");
    const installing = spawn(process.execPath, [join(clone, "tools/install.mjs")], { env: environment() });
    let err = "";
    installing.stderr.setEncoding("utf8").on("data", (text) => (err += text));
    const npm = () => (existsSync(join(clone, "pid")) ? Number(readFileSync(join(clone, "pid"), "utf8")) : 0);
    await expect.poll(npm, { timeout: 15_000 }).toBeGreaterThan(0);
    installing.kill(signal);
    expect(await once(installing, "close")).toEqual([130, null]);
    expect(err.trim().split("\n")).toEqual([expect.stringContaining("(once)"), expect.stringContaining("was stopped")]);
    expect(() => process.kill(npm(), 0)).toThrow("ESRCH");
    expect(leftOver()).toEqual([]);
  },
);
