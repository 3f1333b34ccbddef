import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { killAll } from "#tests/harness/processes.ts";
import { Child } from "./child.ts";

let folder: string;
let clock: FakeClock;
let exits: (readonly [how: string, delayMs: number])[];
let messages: unknown[];
let pids: number[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-child-"));
  clock = new FakeClock();
  [exits, messages, pids] = [[], [], []];
});
afterEach(() => {
  for (const pid of pids) end(pid);
  rmSync(folder, { recursive: true, force: true });
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const end = (pid: number): void => {
  if (isAlive(pid)) killAll([{ pid }]);
};

/** A child that runs a script; it writes `started` into its log when all of it was said, and stays until its script ends it. */
function childOf(script: string, options: { readonly talks?: boolean } = {}): Child {
  const file = join(folder, "script.mjs");
  writeFileSync(file, `${script}\nconsole.log("started");\n`);
  return new Child({
    args: () => [file],
    env: { PATH: process.env.PATH },
    logFile: join(folder, "child.log"),
    ...(options.talks && { onMessage: (message) => messages.push(message) }),
    onExit: (...exit) => exits.push(exit),
    clock,
  });
}
const STAYS = "setInterval(() => {}, 1000);";
const log = () => (existsSync(join(folder, "child.log")) ? readFileSync(join(folder, "child.log"), "utf8") : "");
const starts = () => log().split("started").length - 1;

/** Starts it and waits until its script runs. */
async function started(child: Child): Promise<number> {
  const before = starts();
  child.start();
  await expect.poll(starts).toBe(before + 1);
  const pid = child.pid ?? 0;
  pids.push(pid);
  return pid;
}

test("what ends unasked is started again, ever more slowly, ten seconds at the longest", async () => {
  const child = childOf("process.exitCode = 3;");
  child.start();
  const delays = [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000];
  for (const [position, delay] of delays.entries()) {
    await expect.poll(() => exits.length).toBe(position + 1);
    expect(exits[position]).toEqual(["exit code 3", delay]);
    await clock.advance(delay - 1);
    expect(child.pid).toBeUndefined();
    if (position + 1 < delays.length) await clock.advance(1);
  }
  await child.stop(0);
});

test("a failure after a healthy run counts as the first", async () => {
  const child = childOf(STAYS);
  end(await started(child));
  await expect.poll(() => exits).toEqual([["signal SIGKILL", 100]]);
  await clock.advance(100);
  await expect.poll(starts).toBe(2);
  await clock.advance(30_001);
  end(child.pid ?? 0);
  await expect.poll(() => exits.length).toBe(2);
  expect(exits[1]).toEqual(["signal SIGKILL", 100]);
  await child.stop(0);
});

test("messages arrive, and both runs write into one log that only its owner reads", async () => {
  const child = childOf(`process.send({ run: 1 }, () => process.exit(0));`, { talks: true });
  child.start();
  await expect.poll(() => exits.length).toBe(1);
  await clock.advance(100);
  await expect.poll(() => exits.length).toBe(2);
  expect(messages).toEqual([{ run: 1 }, { run: 1 }]);
  expect(starts()).toBe(2);
  expect(statSync(join(folder, "child.log")).mode & 0o777).toBe(0o600);
  await child.stop(0);
});

test("it leads a process group of its own, which Ctrl-C at a terminal does not reach", async () => {
  const child = childOf(STAYS);
  const pid = await started(child);
  expect(() => process.kill(-pid, 0)).not.toThrow();
  await child.stop(0);
});

test("stop lets it end by itself, and it is not started again", async () => {
  const child = childOf(`process.on("SIGTERM", () => { console.log("bye"); process.exit(0); }); ${STAYS}`);
  await started(child);
  await child.stop(60_000);
  expect(log()).toContain("bye");
  await clock.advance(120_000);
  expect(exits).toEqual([]);
  expect(starts()).toBe(1);
  expect(child.pid).toBeUndefined();
});

test("stop kills what does not end within its time", async () => {
  const child = childOf(`process.on("SIGTERM", () => console.log("never")); ${STAYS}`);
  const pid = await started(child);
  const stopped = child.stop(5_000);
  await expect.poll(log).toContain("never");
  await clock.advance(4_999);
  expect(isAlive(pid)).toBe(true);
  await clock.advance(1);
  await stopped;
  expect(isAlive(pid)).toBe(false);
});

test("stop while it waits to be started again ends the waiting", async () => {
  const child = childOf("process.exitCode = 1;");
  child.start();
  await expect.poll(() => exits.length).toBe(1);
  await child.stop(60_000);
  await clock.advance(60_000);
  expect(starts()).toBe(1);
});

test("what waits to be started again is started at once when it is woken, and only once; what runs stays", async () => {
  const child = childOf("process.exitCode = 1;");
  child.start();
  await expect.poll(() => exits.length).toBe(1);
  child.wake();
  const { pid } = child;
  expect(pid).toBeTypeOf("number");
  child.wake();
  expect(child.pid).toBe(pid);
  await expect.poll(() => exits.length).toBe(2);
  await clock.advance(100);
  expect(child.pid).toBeUndefined();
  expect(starts()).toBe(2);
  await child.stop(0);
});

test("an abandoned process goes on, and its end is nobody's matter", async () => {
  const child = childOf(STAYS);
  const pid = await started(child);
  child.abandon();
  await clock.advance(60_000);
  expect(isAlive(pid)).toBe(true);
  end(pid);
  await expect.poll(() => child.pid).toBeUndefined();
  await clock.advance(60_000);
  expect(exits).toEqual([]);
  expect(starts()).toBe(1);
});

test("its log's folder is made again when somebody has taken it away", async () => {
  const logs = join(folder, "logs");
  const file = join(folder, "script.mjs");
  writeFileSync(file, "console.log('started');");
  const logFile = join(logs, "child.log");
  const child = new Child({ args: () => [file], env: {}, logFile, onExit: (...exit) => exits.push(exit), clock });
  child.start();
  await expect.poll(() => exits.length).toBe(1);
  rmSync(logs, { recursive: true });
  await clock.advance(100);
  await expect.poll(() => exits.length).toBe(2);
  expect(readFileSync(logFile, "utf8")).toBe("started\n");
  await child.stop(0);
});

test("where there can be no log, it runs without", async () => {
  const child = childOf("process.exitCode = 4;");
  mkdirSync(join(folder, "child.log"));
  child.start();
  await expect.poll(() => exits).toEqual([["exit code 4", 100]]);
  await child.stop(0);
});

test("what the system refuses to start is tried again", async () => {
  const file = join(folder, "script.mjs");
  writeFileSync(file, "process.exitCode = 5;");
  const refused = ["x".repeat(4_000_000)];
  const args = () => [file, ...refused.splice(0)];
  const logFile = join(folder, "child.log");
  const child = new Child({ args, env: {}, logFile, onExit: (...exit) => exits.push(exit), clock });
  child.start();
  await expect.poll(() => exits).toEqual([[expect.stringContaining("E2BIG"), 100]]);
  await clock.advance(100);
  await expect.poll(() => exits.length).toBe(2);
  expect(exits[1]).toEqual(["exit code 5", 200]);
  await child.stop(0);
});
