import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { httpTransport } from "#kube/transport-http.ts";
import { bundle, onUse, PROGRAMS, SOURCES_FILE } from "./bundle.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Away from the repository: a bundle that reached for a package would not find it. */
let home: string;
let dist: string;
let built: ReadonlyMap<string, number>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "stadion-build-"));
  dist = join(home, "dist");
  built = await bundle(ROOT, dist);
});

afterAll(async () => {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
  rmSync(home, { recursive: true, force: true });
});

async function run(program: string, ...args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [join(dist, `${program}.mjs`), ...args]);
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = await once(child, "close");
  return { code, output };
}

test("every program is one file, and what it reads stands beside it", () => {
  for (const name of Object.keys(PROGRAMS)) expect(built.get(`${name}.mjs`)).toBeGreaterThan(4_000);
  for (const [name, bytes] of built) expect(readFileSync(join(dist, name)).byteLength).toBe(bytes);
  expect([...built.keys()]).toEqual(expect.arrayContaining(["fleet.json", "protobuf-tables.generated.json"]));
});

test("the control plane has no more of TypeBox than makes its schemas, and what starts beside it nothing", () => {
  const partsOf = (program: string): number =>
    readFileSync(join(dist, `${program}.mjs`), "utf8").split("// node_modules/typebox/build/").length - 1;
  expect(partsOf("node-agent")).toBe(0);
  expect(partsOf("control-plane")).toBeGreaterThan(0);
  expect(partsOf("control-plane")).toBeLessThan(60);
});

test("what decides about a build is listed, with size and time", () => {
  const sources = JSON.parse(readFileSync(join(dist, SOURCES_FILE), "utf8"));
  for (const path of ["src/bin/stadion.ts", "package.json", "package-lock.json", "tools/build/bundle.ts"])
    expect(sources[path]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(Object.keys(sources).filter((path) => path.includes("node_modules"))).toEqual([]);
});

test("a bundle that would lack a file is refused", async () => {
  const root = join(home, "broken");
  mkdirSync(root);
  for (const part of ["src", "examples", "tools", "package.json", "package-lock.json", "tsconfig.json"])
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  appendFileSync(join(root, "src/bin/wiring/version.ts"), 'console.log(new URL("./gone.json", import.meta.url));\n');
  await expect(bundle(root, join(root, "dist"))).rejects.toMatchObject({ code: "IncompleteBundle" });
  expect(existsSync(join(root, "dist"))).toBe(false);
});

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

test("a module that is a function cannot be loaded on use", () => {
  expect(() => onUse("node:assert", "")).toThrow(expect.objectContaining({ code: "IncompleteBundle" }));
});

test.each(["control-plane", "node-agent", "controller", "extensions", "sdk-server", "ping"])(
  "%s tells its flags and its version",
  async (program) => {
    expect(await run(program, "--version")).toEqual({ code: 0, output: `${version}\n` });
    const { code, output } = await run(program, "--help");
    expect(code).toBe(0);
    expect(output).toMatch(new RegExp(`^Usage: ${program} `, "m"));
    expect(output).toContain("--log-level, LOG_LEVEL (default info)\n");
  },
);

test.each([
  ["stadion", "crypto http tls"],
  ["node-agent", "crypto http2 tls zlib"],
])("%s loads nothing of Node that it does not use", async (program, modules) => {
  const wanted = JSON.stringify(modules.split(" ").map((name) => `NativeModule ${name}`));
  const tell = `process.on("exit", () => console.log(process.moduleLoadList.filter((name) => ${wanted}.includes(name))))`;
  const hook = `data:text/javascript,${encodeURIComponent(tell)}`;
  const { stdout } = spawnSync(process.execPath, ["--import", hook, join(dist, `${program}.mjs`), "--version"]);
  expect(String(stdout)).toBe(`${version}\n[]\n`);
});

test("the command line runs, and the game server and the node agent read their flags", async () => {
  expect(await run("stadion", "--version")).toEqual({ code: 0, output: `${version}\n` });
  expect((await run("stadion", "nonsense")).code).toBe(2);
  expect(await run("simple-game-server", "--nope")).toMatchObject({
    code: 1,
    output: expect.stringContaining("--nope"),
  });
  const { code, output } = await run("node-agent", "--data-dri=x");
  expect(code).toBe(1);
  expect(JSON.parse(output)).toEqual({
    severity: "fatal",
    message: "there is no flag --data-dri: did you mean --data-dir?",
  });
});

test("the control plane serves from its bundle, with the store's thread and the generated tables", async () => {
  const data = join(home, "data");
  mkdirSync(data);
  writeFileSync(join(data, "token"), "secret");
  const child = spawn(process.execPath, [join(dist, "control-plane.mjs"), `--data-dir=${data}`, "--api-port=0"], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  running.push(child);
  const [message] = await once(child, "message");
  expect(message).toMatchObject({ type: "ready", address: expect.stringMatching(/^https:/) });
  const transport = httpTransport({ socketPath: join(data, "api.sock") });
  const get = (path: string) => transport.exchange({ method: "GET", path });
  expect(await get("/apis/agones.dev/v1/fleets")).toMatchObject({ kind: "FleetList", items: [] });
  expect(await get("/openapi/v3/api/v1")).toMatchObject({ openapi: "3.0.0" });
  await transport.close();
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
