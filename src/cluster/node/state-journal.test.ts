import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { type FileHandle, open as openFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { StateJournal } from "./state-journal.ts";

let folder: string;
let file: string;
let journal: StateJournal;
let damaged: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "stadion-journal-"));
  file = join(folder, "state");
  damaged = [];
  await open();
});
afterEach(async () => {
  await journal.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<void> {
  journal = await StateJournal.open(file, (name, error) => damaged.push(`${name === file} ${error.name}`));
}
async function reopen(meanwhile = () => {}): Promise<void> {
  await journal.close();
  meanwhile();
  await open();
}
const content = () => Object.fromEntries(Array.from(journal.keys(), (key) => [key, journal.get(key)]));

test("gives the newest value of each key, at once and to whoever opens it later", async () => {
  const saved = [1, 2, 3].map((version) => journal.set("a", { version }));
  expect(journal.get("a")).toEqual({ version: 3 });
  await Promise.all([...saved, journal.set("b", { text: "ä\n", big: 9_007_199_254_740_993n }), journal.set("c", {})]);
  await journal.delete("c");
  await journal.delete("never");
  for (const again of [async () => {}, reopen]) {
    await again();
    expect(content()).toEqual({ a: { version: 3 }, b: { text: "ä\n", big: 9_007_199_254_740_993n } });
  }
  expect(damaged).toEqual([]);
});

test("what was told to be saved is in the file, and nothing waits for the end of the program", async () => {
  await journal.set("a", { version: 1 });
  expect(readFileSync(file, "utf8")).toBe('["a",{"version":1}]\n');
  await journal.delete("a");
  expect(readFileSync(file, "utf8")).toBe('["a",{"version":1}]\n["a"]\n');
});

test("a line that a death cut short is none, and the next one stands by itself", async () => {
  await journal.set("a", { version: 1 });
  await journal.set("a", { version: 2 });
  const { size } = statSync(file);
  for (let cut = 1; cut <= '["a",{"version":2}]\n'.length; cut++) {
    await reopen(() => {
      writeFileSync(file, '["a",{"version":1}]\n["a",{"version":2}]\n');
      truncateSync(file, size - cut);
    });
    expect(content()).toEqual({ a: { version: 1 } });
    await journal.set("b", {});
    await reopen();
    expect(content()).toEqual({ a: { version: 1 }, b: {} });
  }
  expect(damaged).toEqual([]);
});

test("a damaged line is passed over and told, and costs no other", async () => {
  await journal.set("a", { version: 1 });
  await reopen(() => appendFileSync(file, 'no\n[1,{}]\n["c",7]\n\n["b",{}]\n'));
  expect(content()).toEqual({ a: { version: 1 }, b: {} });
  expect(damaged).toEqual(["true SyntaxError", "true TypeError", "true TypeError"]);
  await reopen();
  expect(damaged).toHaveLength(3);
});

test("is written anew when most of it is old, with all that it held, and belongs to its user alone", async () => {
  const text = "x".repeat(1000);
  for (let round = 0; round < 30; round++)
    await Promise.all(Array.from({ length: 100 }, (_, key) => journal.set(String(key), { round, text })));
  expect(statSync(file).size).toBeLessThan(1_500_000);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await reopen();
  expect(content()).toEqual(Object.fromEntries(Array.from({ length: 100 }, (_, key) => [key, { round: 29, text }])));
});

/** The next write of any file fails half way. */
async function failOnce(): Promise<void> {
  const other = await openFile(join(folder, "other"), "w");
  const prototype = Object.getPrototypeOf(other) as FileHandle;
  const { appendFile } = prototype;
  await other.close();
  const failing = vi.spyOn(prototype, "appendFile").mockImplementationOnce(async function (this: FileHandle, data) {
    await appendFile.call(this, (data as Buffer).subarray(0, 7));
    throw new Error("no space left");
  });
  onTestFinished(() => failing.mockRestore());
}

test("a write that fails half way is told, and the next one stands by itself", async () => {
  await failOnce();
  await expect(journal.set("a", { version: 1 })).rejects.toThrow("no space left");
  await journal.set("a", { version: 2 });
  await reopen();
  expect(content()).toEqual({ a: { version: 2 } });
  expect(damaged).toEqual(["true SyntaxError"]);
});

test("opens where there is no room to write it anew, a part of a line at its end", async () => {
  await journal.set("a", { version: 1 });
  await journal.close();
  appendFileSync(file, '["b",{"ver');
  await failOnce();
  await open();
  expect(content()).toEqual({ a: { version: 1 } });
  await journal.set("c", {});
  await reopen();
  expect(content()).toEqual({ a: { version: 1 }, c: {} });
});
