import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tellingLine } from "#api/core/telling-line.ts";
import { FakeClock } from "#runtime/clock.ts";
import { logTail, rotateLog } from "./container-log.ts";
import { type LogChunk, type LogSelection, readLog } from "./log-reader.ts";
import { NODE_FAILURES } from "./testing/node-failures.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-log-"));
  file = join(folder, "0.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

const textOf = (chunks: readonly LogChunk[]) => Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
const read = async (selection: LogSelection = {}) => textOf(await Array.fromAsync(readLog(file, selection)));
const write = (text: string) => appendFileSync(file, text);
const rotate = () => rotateLog(file, statSync(file).size - 1);
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`);

test("a log that was moved aside is read as one with what was written since", async () => {
  write("a\nb\nhal");
  expect(await rotate()).toBe(7);
  expect(await read()).toBe("a\nb\nhal");
  expect(await read({ tailLines: 2 })).toBe("b\nhal");
  write("f\nc\n");
  expect(await read()).toBe("a\nb\nhalf\nc\n");
  expect(await read({ tailLines: 1 })).toBe("c\n");
  expect(await read({ tailLines: 2 })).toBe("half\nc\n");
  expect(await read({ tailLines: 3 })).toBe("b\nhalf\nc\n");
  expect(await read({ tailLines: 9 })).toBe("a\nb\nhalf\nc\n");
  expect(await read({ limitBytes: 8 })).toBe("a\nb\nhalf");
  expect(await read({ startAt: 2 })).toBe("c\n");
  await rotate();
  expect(await read()).toBe("f\nc\n");
});

test("long parts are read in small pieces, and their last lines across blocks", async () => {
  const lines = numbers(0, 40_000);
  write(lines.slice(0, 30_000).join(""));
  await rotate();
  write(lines.slice(30_000).join(""));
  const chunks = await Array.fromAsync(readLog(file, {}));
  expect(textOf(chunks)).toBe(lines.join(""));
  expect(Math.max(...chunks.map(({ bytes }) => bytes.length))).toBe(65_536);
  for (const tailLines of [9_999, 10_000, 10_001, 25_000, 39_999])
    expect(await read({ tailLines })).toBe(lines.slice(-tailLines).join(""));
});

test("moving a log aside leaves nothing but its two parts, and says how much it moved", async () => {
  write("some");
  expect(await rotateLog(file, 4)).toBe(0);
  write("thing");
  expect(await rotateLog(file, 4)).toBe(9);
  expect(readdirSync(folder).toSorted()).toEqual(["0.log", "0.log.1"]);
  expect(readFileSync(`${file}.1`, "utf8")).toBe("something");
  expect(await rotateLog(join(folder, "none"), 4)).toBe(0);
});

test("of a log that grew faster than it was looked at the last part is kept, and told what is not", async () => {
  const lines = numbers(0, 100_000).join("");
  write(lines);
  expect(await rotateLog(file, 50_000)).toBe(lines.length);
  expect(readFileSync(`${file}.1`, "utf8")).toBe(
    `\n(${lines.length - 200_000} bytes of this log were written too fast to be kept)\n${lines.slice(-200_000)}`,
  );
  write("more\n");
  expect(await read({ tailLines: 2 })).toBe("line 99999\nmore\n");
});

test("a writer that is faster than any copy fills no disk", async () => {
  // As many bytes as it can write while its log is moved, and an end even if nobody ends it.
  const flood = spawn("sh", ["-c", `yes flood | head -c 2000000000 >> ${file}`], { stdio: "ignore", detached: true });
  const over = once(flood, "exit");
  await vi.waitFor(() => expect(statSync(file).size).toBeGreaterThan(1_000_000));
  expect(await rotateLog(file, 100_000)).toBeGreaterThan(1_000_000);
  process.kill(-(flood.pid ?? 0), "SIGKILL");
  await over;
  expect(statSync(`${file}.1`).size).toBeLessThan(2 * 400_000 + 200);
  expect(readdirSync(folder).toSorted()).toEqual(["0.log", "0.log.1"]);
});

test("a log that is not followed ends where it ended when the reading began, however much is written meanwhile", async () => {
  const line = "a line\n".repeat(20_000);
  write(line);
  let text = "";
  for await (const { bytes } of readLog(file, {})) {
    text += String(bytes);
    write(line);
  }
  expect(text).toBe(line);
});

/** A reader that follows, and what it read so far. */
function follow(selection: LogSelection = {}) {
  const clock = new FakeClock();
  const gone = new AbortController();
  const chunks: LogChunk[] = [];
  const done = (async () => {
    for await (const chunk of readLog(file, selection, { clock, ended: () => false, signal: gone.signal }))
      chunks.push(chunk);
  })();
  const seen = (want: string) =>
    vi.waitFor(async () => {
      await clock.advance(200);
      expect(textOf(chunks)).toBe(want);
    });
  const end = async () => {
    gone.abort();
    await done;
  };
  return { chunks, seen, end };
}

test("whoever follows a log misses nothing when it is moved aside, however often", async () => {
  write("one\n");
  const { seen, end } = follow();
  await seen("one\n");
  write("two\n");
  await rotate();
  await seen("one\ntwo\n");
  write("three\n");
  await seen("one\ntwo\nthree\n");
  write("four\n");
  await rotate();
  // Longer than before: its size does not give the rotation away.
  write("five, and a good deal more\n");
  await seen("one\ntwo\nthree\nfour\nfive, and a good deal more\n");
  truncateSync(file);
  await seen("one\ntwo\nthree\nfour\nfive, and a good deal more\n");
  write("six\n");
  await seen("one\ntwo\nthree\nfour\nfive, and a good deal more\nsix\n");
  await end();
});

test("where a log that is followed goes on is told before anything is written", async () => {
  write("one\n");
  const { chunks, seen, end } = follow({ tailLines: 0 });
  await vi.waitFor(() => expect(chunks).toHaveLength(1));
  await end();
  write("two\n");
  expect(await read({ from: chunks[0]?.next })).toBe("two\n");
  await seen("");
});

test("a rotation while the older part is read loses nothing", async () => {
  write("one\n");
  await rotate();
  write("two\nthree\n");
  const chunks: LogChunk[] = [];
  for await (const chunk of readLog(file, {})) {
    chunks.push(chunk);
    if (chunks.length > 1) continue;
    await rotate();
    write("four, which comes too late\n");
  }
  expect(textOf(chunks)).toBe("one\ntwo\nthree\n");
});

test("a reader goes on where another one ended, also when the log was moved aside meanwhile", async () => {
  write("one\n");
  await rotate();
  write("two\n");
  const [first, second] = await Array.fromAsync(readLog(file, {}));
  write("three\n");
  expect(await read({ from: first?.next })).toBe("two\nthree\n");
  expect(await read({ from: second?.next })).toBe("three\n");
  await rotate();
  write("four\n");
  expect(await read({ from: first?.next })).toBe("two\nthree\nfour\n");
  expect(await read({ from: second?.next })).toBe("three\nfour\n");
  write("five, and a good deal more\n");
  await rotate();
  write("six\n");
  expect(await read({ from: { older: "", offset: 1_000 } })).toBe("four\nfive, and a good deal more\nsix\n");
});

test("gives the last lines of a failure, 80 and 2 KiB at most, from both parts of a log", async () => {
  write(numbers(0, 100).join(""));
  expect(await logTail(file)).toBe(numbers(20, 100).join("").trimEnd());
  await rotate();
  expect(await logTail(file)).toBe(numbers(20, 100).join("").trimEnd());
  write("the end\n");
  expect(await logTail(file)).toBe(`${numbers(21, 100).join("")}the end`);
  write(`${"x".repeat(2_000)}\n${"y".repeat(47)}\n`);
  expect(await logTail(file)).toBe("y".repeat(47));
  writeFileSync(file, "ü".repeat(1_500));
  expect(await logTail(file)).toBe("ü".repeat(1_024));
  writeFileSync(file, `x${"ü".repeat(1_500)}x`);
  expect(await logTail(file)).toBe(`${"ü".repeat(1_023)}x`);
  expect(await logTail(join(folder, "none"))).toBe("");
});

test.each(NODE_FAILURES)("of Node %s, the line is kept that says why", async (_name, text, line) => {
  write(`${numbers(0, 500).join("")}${text}`);
  expect(tellingLine(await logTail(file))).toBe(line);
});
