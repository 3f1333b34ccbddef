import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { LogKeeper } from "./log-keeper.ts";
import { type LogChunk, readLog, stampLines } from "./log-reader.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-log-"));
  file = join(folder, "0.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

const textOf = async (chunks: AsyncIterable<LogChunk>) =>
  Buffer.concat((await Array.fromAsync(chunks)).map(({ bytes }) => bytes)).toString();
const read = (...args: Parameters<typeof readLog>) => textOf(readLog(...args));
const keeping = (clock: FakeClock, maxBytes = 1_000_000) =>
  new LogKeeper({ files: () => [file], maxBytes, clock, log: silentLogger });

test("knows about when a line was written", async () => {
  const clock = new FakeClock();
  const keeper = keeping(clock);
  const start = clock.now();
  for (const line of ["one\n", "two\n", "three\n"]) {
    appendFileSync(file, line);
    await clock.advance(10_000);
    await keeper.look();
  }
  expect(keeper.startOf(file, start + 25_000)).toBe(8);
  expect(keeper.startOf(file, start + 5_000)).toBe(Number.NEGATIVE_INFINITY);
  expect(keeper.startOf(file, start + 30_000)).toBe(14);
  const stamped = await textOf(stampLines(readLog(file, {}), (offset) => keeper.timeAt(file, offset)));
  expect(stamped).toBe("2030-01-01T00:00:10.000Z one\n2030-01-01T00:00:20.000Z two\n2030-01-01T00:00:30.000Z three\n");
});

test("knows about when a line was written also after the log was moved aside", async () => {
  const clock = new FakeClock();
  const keeper = keeping(clock, 12);
  const start = clock.now();
  for (const line of ["one\n", "two\n", "three\n", "four\n"]) {
    appendFileSync(file, line);
    await clock.advance(10_000);
    await keeper.look();
  }
  const stamped = stampLines(readLog(file, {}), (offset) => keeper.timeAt(file, offset));
  const times = [10, 20, 30, 40].map((second) => `2030-01-01T00:00:${second}.000Z`);
  expect((await textOf(stamped)).split("\n")).toEqual(
    ["one", "two", "three", "four", ""].map((line, index) => (line ? `${times[index]} ${line}` : "")),
  );
  expect(readFileSync(file, "utf8")).toBe("four\n");
  const since = (seconds: number) => read(file, { startAt: keeper.startOf(file, start + seconds * 1000) });
  expect(await since(25)).toBe("three\nfour\n");
  expect(await since(35)).toBe("four\n");
  expect(await since(5)).toBe("one\ntwo\nthree\nfour\n");
});

test("moves a log aside when it has grown too long, under the feet of its writer", async () => {
  const keeper = keeping(new FakeClock(), 10);
  writeFileSync(file, "0123456789");
  await keeper.look();
  expect(readFileSync(file, "utf8")).toBe("0123456789");
  appendFileSync(file, "x");
  await keeper.look();
  expect(readFileSync(`${file}.1`, "utf8")).toBe("0123456789x");
  appendFileSync(file, "new");
  expect(readFileSync(file, "utf8")).toBe("new");
});

test("looks again soon after it has moved a log aside, which may be a flood", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  writeFileSync(file, "0123456789x");
  const running = keeping(clock, 10).run(stop.signal);
  const older = () => (existsSync(`${file}.1`) ? readFileSync(`${file}.1`, "utf8") : "");
  await expect.poll(older).toBe("0123456789x");
  appendFileSync(file, "and so forth");
  await expect
    .poll(async () => {
      await clock.advance(100);
      return older();
    })
    .toBe("and so forth");
  expect(clock.monotonic()).toBeLessThan(5_000);
  stop.abort();
  await running;
});

test("reads the last lines across blocks, whether the last one is complete or not", async () => {
  const long = Array.from({ length: 30_000 }, (_, index) => `line ${index}`);
  writeFileSync(file, `${long.join("\n")}\n`);
  expect(await read(file, { tailLines: 2 })).toBe("line 29998\nline 29999\n");
  expect((await read(file, { tailLines: 20_000 })).split("\n")).toHaveLength(20_001);
  expect(await read(file, { tailLines: 40_000 })).toBe(readFileSync(file, "utf8"));
  appendFileSync(file, "half");
  expect(await read(file, { tailLines: 2 })).toBe("line 29999\nhalf");
  expect(await read(file, { tailLines: 5, startAt: 1_000_000 })).toBe("");
});

test("follows what is written, through a truncation, until the end and not beyond", async () => {
  const clock = new FakeClock();
  let ended = false;
  let text = "";
  const follow = async () => {
    const chunks = readLog(file, {}, { clock, ended: () => ended, signal: new AbortController().signal });
    for await (const { bytes } of chunks) text += bytes.toString();
  };
  const seen = (want: string) =>
    vi.waitFor(async () => {
      await clock.advance(200);
      expect(text).toBe(want);
    });
  writeFileSync(file, "a long beginning\n");
  const following = follow();
  await seen("a long beginning\n");
  appendFileSync(file, "more\n");
  await seen("a long beginning\nmore\n");
  writeFileSync(file, "fresh\n");
  await seen("a long beginning\nmore\nfresh\n");
  appendFileSync(file, "last\n");
  ended = true;
  await seen("a long beginning\nmore\nfresh\nlast\n");
  await following;
});
