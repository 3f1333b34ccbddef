import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { openObjectStore } from "./object-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const child = join(import.meta.dirname, "store-child.ts");
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-kill-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Lets a process write at full speed, kills it after `lines` acknowledgements, and gives what it said. */
async function killAfter(lines: number): Promise<string[]> {
  const writer = spawn(process.execPath, [child, "race", folder], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const closed = new Promise((resolve) => writer.once("close", resolve));
  writer.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.split("\n").length > lines) writer.kill("SIGKILL");
  });
  await closed;
  return said.split("\n").slice(0, -1);
}

/** The row's revision as a writer said it, or `"gone"`; absent: never written. */
type Said = Map<string, string>;

/**
 * Reads what was acknowledged into `said`, and gives the rows whose next write was under way.
 * Each writer does one thing after another, in an order that is known (see `race` in the child).
 */
function readLines(lines: readonly string[], said: Said, revisions: Set<string>): Map<string, "put" | "delete"> {
  const counts = new Map<number, number>();
  for (const line of lines) {
    const [collection = "", key = "", revision = ""] = line.split(" ");
    const writer = Number(key.split(/[/-]/)[1]);
    counts.set(writer, (counts.get(writer) ?? 0) + 1);
    if (collection === "/pods") said.set(key, revision);
    if (revision === "gone") continue;
    expect(revisions.has(revision)).toBe(false);
    revisions.add(revision);
  }
  const next = (writer: number): ["put" | "delete", string] => {
    const serial = counts.get(writer) ?? 0;
    return [serial % 7 === 6 ? "delete" : "put", `default/${writer}-${serial % 5}`];
  };
  return new Map([1, 2, 3, 4, 5, 6, 7].map((writer) => next(writer)).map(([what, key]) => [key, what]));
}

describe("a process that is killed while it writes", () => {
  test("loses no acknowledged write and repeats no revision, time after time", { timeout: 60_000 }, async () => {
    const said: Said = new Map();
    const revisions = new Set<string>();
    for (const lines of [1, 40, 300, 900]) {
      const underWay = readLines(await killAfter(lines), said, revisions);
      const store = await openSqliteStore(folder, { log: silentLogger });
      expect(store.firstRevision).toBeGreaterThan(Math.max(...[...revisions].map(Number)));
      const objects = await openObjectStore(store, { volatile: () => false, clock: systemClock, log: silentLogger });
      for (const key of new Set([...said.keys(), ...underWay.keys()])) {
        const found = String(objects.get("/pods", key)?.revision ?? "gone");
        const next = underWay.get(key);
        if (found !== (said.get(key) ?? "gone")) {
          expect({ key, next }).toEqual({ key, next: found === "gone" ? "delete" : "put" });
          expect(revisions.has(found)).toBe(false);
        }
        said.set(key, found);
      }
      await objects.close();
    }
    expect(said.size).toBe(35);
  });
});

const strace = spawnSync("strace", ["-f", "true"]).status === 0;

describe("durability", () => {
  test.skipIf(!strace)("every answer leaves after the sync of the log that holds its write (needs strace)", () => {
    const trace = join(folder, "trace");
    const traced = ["-f", "-y", "-o", trace, "-e", "trace=write,pwrite64,fsync,fdatasync"];
    const run = spawnSync("strace", [...traced, process.execPath, child, "answer", join(folder, "data")]);
    expect(run.stdout.toString()).toBe("answer 0\nanswer 1\nanswer 2\nanswer 3\nanswer 4\n");
    let unsynced = 0;
    let syncs = 0;
    let answers = 0;
    const syncing = new Set<string>();
    for (const line of readFileSync(trace, "utf8").split("\n")) {
      const thread = line.split(" ", 1)[0] ?? "";
      const ofLog = line.includes("objects.db-wal>");
      if (ofLog && line.includes("pwrite64(")) unsynced++;
      if (/ (fsync|fdatasync)\(/.test(line) && ofLog) {
        if (line.includes("unfinished")) syncing.add(thread);
        else if (line.endsWith("= 0")) [unsynced, syncs] = [0, syncs + 1];
      }
      if (/(fsync|fdatasync) resumed/.test(line) && syncing.delete(thread) && line.endsWith("= 0"))
        [unsynced, syncs] = [0, syncs + 1];
      if (line.includes('"answer ')) {
        expect({ unsynced, synced: syncs > 0 }).toEqual({ unsynced: 0, synced: true });
        syncs = 0;
        answers++;
      }
    }
    expect(answers).toBe(5);
  });

  test.skipIf(!strace)("of a new database the head is on disk before there is a log beside it (needs strace)", () => {
    const trace = join(folder, "trace");
    const traced = ["-f", "-y", "-o", trace, "-e", "trace=pwrite64,fsync,fdatasync"];
    spawnSync("strace", [...traced, process.execPath, child, "answer", join(folder, "data")]);
    const steps = readFileSync(trace, "utf8")
      .split("\n")
      .flatMap((line) => {
        const [, call, file] = /(pwrite64|fsync|fdatasync)\(\d+<[^>]*\/(objects\.db(?:-\w+)?)>/.exec(line) ?? [];
        return call === undefined ? [] : [`${call === "pwrite64" ? "write" : "sync"} ${file}`];
      });
    const logged = steps.indexOf("write objects.db-wal");
    const headed = steps.slice(0, logged).filter((step) => step.endsWith(" objects.db"));
    expect(headed).toContain("write objects.db");
    expect(headed.at(-1)).toBe("sync objects.db");
  });
});
