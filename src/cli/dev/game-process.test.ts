import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { runGame } from "./game-process.ts";

/** A program that notes the signals it gets, and ends at none of `deafTo`. */
async function start(deafTo: readonly NodeJS.Signals[], isTerminal = false) {
  const folder = mkdtempSync(join(tmpdir(), "stadion-game-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [notes, pidFile] = [join(folder, "notes"), join(folder, "pid")];
  const program = `
    const { appendFileSync, writeFileSync } = require("node:fs");
    for (const name of ${JSON.stringify(deafTo)}) process.on(name, () => appendFileSync(${JSON.stringify(notes)}, name + " "));
    setInterval(() => {}, 1000);
    writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`;
  const clock = new FakeClock();
  const told: string[] = [];
  const over = Promise.withResolvers<void>();
  let press: ((signal: NodeJS.Signals) => void) | undefined;
  const ended = runGame({
    command: [process.execPath, "-e", program],
    env: { PATH: process.env.PATH },
    isTerminal,
    divertSignals: (handler) => {
      press = handler;
      return () => {
        press = undefined;
      };
    },
    over: over.promise,
    tell: (text) => told.push(text),
    clock,
  });
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8")).toMatch(/^\d+$/);
  const heard = () => (existsSync(notes) ? readFileSync(notes, "utf8").trim() : "");
  const send = (signal: NodeJS.Signals) => press?.(signal);
  onTestFinished(() => send("SIGTERM"));
  return { ended, over, clock, told, heard, send, isDiverted: () => press !== undefined };
}

test("a signal is passed on, the game's end is told as a shell does, and signals are given back", async () => {
  const { ended, send, isDiverted } = await start([]);
  send("SIGINT");
  expect(await ended).toBe(130);
  expect(isDiverted()).toBe(false);
});

test("a Ctrl-C that the terminal sends to the game itself is not sent twice; other signals are passed on", async () => {
  const { ended, send, heard } = await start(["SIGINT"], true);
  send("SIGINT");
  send("SIGTERM");
  expect(await ended).toBe(143);
  expect(heard()).toBe("");
});

test("three presses one after the other end a game that does not end by itself; a press that npm repeats counts once", async () => {
  const { ended, send, heard, clock } = await start(["SIGINT"]);
  for (const [pause, times] of [
    [10_000, 1],
    [10_000, 2],
    [1_000, 3],
    [1_000, 4],
  ] as const) {
    send("SIGINT");
    send("SIGINT");
    await expect.poll(heard).toBe(Array(times).fill("SIGINT").join(" "));
    await clock.advance(pause);
  }
  send("SIGINT");
  expect(await ended).toBe(137);
});

test("a game whose server is gone is told to end, and that is no failure", async () => {
  const { ended, over, told } = await start([]);
  over.resolve();
  expect(await ended).toBe(0);
  expect(told).toEqual(["its GameServer is gone: the game is told to end"]);
});

test("a program that cannot be started is told", async () => {
  const options = {
    command: ["/nowhere/game"],
    env: {},
    isTerminal: false,
    divertSignals: () => () => {},
    over: new Promise<void>(() => {}),
    tell: () => {},
    clock: new FakeClock(),
  };
  await expect(runGame(options)).rejects.toMatchObject({
    code: "Usage",
    message: /^\/nowhere\/game cannot be started: /,
  });
});
