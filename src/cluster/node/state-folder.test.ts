import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStateFolder, type PodRecord, type StateFolder } from "./state-folder.ts";

let root: string;
let folder: StateFolder;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "stadion-state-"));
  folder = await openStateFolder(join(root, "state"));
});
afterEach(async () => {
  await folder.close();
  rmSync(root, { recursive: true });
});

/** As a later agent. */
async function reopen(): Promise<void> {
  await folder.close();
  folder = await openStateFolder(join(root, "state"));
}

const record: PodRecord = {
  uid: "u-1",
  namespace: "ns",
  name: "a",
  containers: { game: { run: 2, startedAt: 5, last: { exitCode: 1, reason: "Error", finishedAt: 4 } } },
};

test("gives back what was saved, to another agent too, and nothing once it is removed", async () => {
  await folder.save(record);
  await folder.saveHandlerState("u-1", "sdk", { port: 9_007_199_254_740_993n });
  await reopen();
  expect(await folder.list()).toEqual(["u-1"]);
  expect(folder.mayHold("u-1")).toBe(true);
  expect(await folder.load("u-1")).toEqual(record);
  expect(await folder.loadHandlerState("u-1", "sdk")).toEqual({ port: 9_007_199_254_740_993n });
  await folder.remove("u-1");
  for (const again of [async () => {}, reopen]) {
    await again();
    expect(await folder.list()).toEqual([]);
    expect(folder.mayHold("u-1")).toBe(false);
    expect(await folder.load("u-1")).toBeUndefined();
    expect(await folder.loadHandlerState("u-1", "sdk")).toBeUndefined();
  }
});

test("removes all that there is of a pod, of many at one time, and nothing of others", async () => {
  const uids = Array.from({ length: 20 }, (_, number) => `u-${number}`);
  for (const uid of uids) {
    await folder.save({ ...record, uid });
    await folder.saveHandlerState(uid, "sdk", {});
    for (const end of ["log", "log.1", "exit"]) writeFileSync(`${folder.runFile(uid, "game", 0)}.${end}`, "");
    writeFileSync(join(await folder.makeScratchFolder(uid, "game"), "file"), "");
  }
  await Promise.all(uids.slice(1).map((uid) => folder.remove(uid)));
  expect(readdirSync(join(folder.path, "pods")).toSorted()).toEqual(
    ["game.0.exit", "game.0.log", "game.0.log.1", "game.work"].map((file) => `u-0@${file}`),
  );
  expect(uids.filter((uid) => folder.mayHold(uid))).toEqual(["u-0"]);
});

test("a folder that a container left empty is another's, as if it were new; one that holds something is not", async () => {
  const [empty, full] = [await folder.makeScratchFolder("u-1", "a"), await folder.makeScratchFolder("u-1", "b")];
  const { ino } = statSync(empty);
  chmodSync(empty, 0o777);
  writeFileSync(join(full, "secret"), "");
  await folder.remove("u-1");
  const next = await folder.makeScratchFolder("u-2", "a");
  expect(statSync(next)).toMatchObject({ ino, mode: (statSync(folder.path).mode & ~0o777) | 0o700 });
  expect(readdirSync(await folder.makeScratchFolder("u-3", "b"))).toEqual([]);
  expect(readdirSync(join(folder.path, "pods")).toSorted()).toEqual(["u-2@a.work", "u-3@b.work"]);
});

test("the folder of a container that starts again keeps what it holds", async () => {
  await folder.makeScratchFolder("u-1", "a");
  await folder.remove("u-1");
  const own = await folder.makeScratchFolder("u-2", "a");
  writeFileSync(join(own, "score"), "");
  await folder.makeScratchFolder("u-3", "a");
  await folder.remove("u-3");
  expect(readdirSync(await folder.makeScratchFolder("u-2", "a"))).toEqual(["score"]);
});

test("what could not be removed is told to who removed it, and the next removal goes on", async () => {
  await folder.save(record);
  rmSync(join(folder.path, "pods"), { recursive: true });
  await expect(folder.remove("u-1")).rejects.toThrow("ENOENT");
  mkdirSync(join(folder.path, "pods"));
  await folder.remove("u-1");
  expect(await folder.list()).toEqual([]);
});

test("belongs to its user alone", async () => {
  await folder.save(record);
  await folder.saveHandlerState("u-1", "sdk", {});
  expect(statSync(`${folder.path}/state`).mode & 0o777).toBe(0o600);
  expect(statSync(`${folder.path}/pods`).mode & 0o777).toBe(0o700);
});

test.each(["../x", "a/b", ".", "..", "", "a\0b"])(
  "refuses %j as a name: nothing outside is ever touched",
  async (name) => {
    await expect(folder.save({ ...record, uid: name })).rejects.toThrow(RangeError);
    await expect(folder.remove(name)).rejects.toThrow(RangeError);
    expect(() => folder.runFile("u-1", name, 0)).toThrow(RangeError);
    expect(existsSync(folder.path)).toBe(true);
  },
);

test("keeps the output of the present run and of the one before", async () => {
  await folder.save(record);
  await folder.saveHandlerState("u-1", "game", {});
  for (const run of [0, 1, 2]) writeFileSync(`${folder.runFile("u-1", "game", run)}.log`, "");
  for (const run of [0, 1, 2]) await folder.prune("u-1", "game", run);
  expect(readdirSync(join(folder.path, "pods")).filter((file) => file.endsWith(".log"))).toEqual([
    "u-1@game.1.log",
    "u-1@game.2.log",
  ]);
});
