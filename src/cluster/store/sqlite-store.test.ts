import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { openObjectStore } from "./object-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { revisionHeadroom, type Store, type StoredRow, StoreError } from "./store.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stadion-store-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(folder: string): Promise<Store> {
  const store = await openSqliteStore(folder, { log: silentLogger });
  cleanups.push(() => store.close());
  return store;
}

async function rowsOf(store: Store): Promise<StoredRow[]> {
  const rows: StoredRow[] = [];
  for await (const slice of store.load()) rows.push(...slice);
  return rows;
}

const codeOf = (opening: Promise<Store>): Promise<unknown> =>
  opening.then(
    () => "opened",
    (error: unknown) => (error instanceof StoreError ? error.code : error),
  );

describe("openSqliteStore", () => {
  test("keeps rows, their bytes and their revisions over a restart, and forgets deleted ones", async () => {
    const folder = newFolder();
    const first = await open(folder);
    expect(await rowsOf(first)).toEqual([]);
    const revision = first.firstRevision;
    await first.commit([
      { key: "/pods/default/a", revision, value: bytes("A") },
      { key: "/pods/default/b", revision: revision + 1, value: bytes("B") },
    ]);
    await first.commit([
      { key: "/pods/default/a", revision: revision + 2, value: bytes("A2") },
      { key: "/pods/default/b", revision: revision + 3, value: null },
      { key: "/pods/default/c", revision: revision + 4, value: bytes("C") },
      { key: "/pods/default/c", revision: revision + 5, value: null },
    ]);
    await first.close();
    expect(await rowsOf(await open(folder))).toEqual([
      { key: "/pods/default/a", revision: revision + 2, value: bytes("A2") },
    ]);
  });

  test("loads more rows than fit in one slice, each once", async () => {
    const folder = newFolder();
    const store = await open(folder);
    const writes = Array.from({ length: 1_001 }, (_, at) => ({
      key: `/pods/default/${at}`,
      revision: store.firstRevision + at,
      value: bytes(`value ${at}`),
    }));
    await store.commit(writes);
    await store.close();
    expect(await rowsOf(await open(folder))).toEqual(writes);
  });

  test("hands out a first revision above all that were handed out ahead of a commit", async () => {
    const folder = newFolder();
    const first = await open(folder);
    const ahead = first.firstRevision + revisionHeadroom - 1;
    await first.close();
    const second = await open(folder);
    expect(second.firstRevision).toBeGreaterThan(ahead);
    const committed = second.firstRevision + 5 * revisionHeadroom;
    await second.commit([{ key: "/pods/default/a", revision: committed, value: bytes("A") }]);
    await second.close();
    expect((await open(folder)).firstRevision).toBeGreaterThan(committed + revisionHeadroom - 1);
  });

  test("creates the folder for its owner alone", async () => {
    const folder = join(newFolder(), "data");
    await open(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("refuses a folder that is open already, naming it", async () => {
    const folder = newFolder();
    await open(folder);
    await expect(open(folder)).rejects.toMatchObject({
      code: "StoreInUse",
      message: expect.stringContaining(folder),
    });
  });

  test("refuses a folder that another process has open, and opens it once that was killed", async () => {
    const folder = newFolder();
    const other = spawn(process.execPath, [join(import.meta.dirname, "store-child.ts"), "hold", folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => other.once("exit", resolve));
    await new Promise((resolve) => other.stdout.once("data", resolve));
    expect(await codeOf(open(folder))).toBe("StoreInUse");
    other.kill("SIGKILL");
    await ended;
    expect(await rowsOf(await open(folder))).toMatchObject([{ key: "/pods/default/held" }]);
  });

  test("refuses a folder of a newer version", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "objects.marker"), '{"format":2,"reserved":7,"checksum":4120340801}');
    await expect(open(folder)).rejects.toMatchObject({ code: "StoreTooNew", message: expect.stringContaining(folder) });
    expect(readdirSync(folder)).toEqual(["objects.marker"]);
  });

  test("refuses a folder it may not write", async () => {
    const folder = newFolder();
    await (await open(folder)).close();
    chmodSync(folder, 0o555);
    // Root may write anywhere, so the attempt is made by somebody else.
    const asRoot = process.getuid?.() === 0;
    const other = spawn(process.execPath, [join(import.meta.dirname, "store-child.ts"), "code", folder], {
      stdio: ["ignore", "pipe", "inherit"],
      ...(asRoot && { uid: 65534, gid: 65534 }),
    });
    if (asRoot) chmodSync(join(folder, "objects.db"), 0o444);
    let said = "";
    other.stdout.on("data", (chunk) => {
      said += chunk;
    });
    await new Promise((resolve) => other.once("close", resolve));
    expect(said).toMatch(/^StoreReadOnly .*stadion-store-/);
  });

  test.each([
    ["missing", (file: string) => rmSync(file)],
    ["empty", (file: string) => truncateSync(file, 0)],
    ["no database", (file: string) => writeFileSync(file, "x".repeat(8192))],
    ["cut short", (file: string) => truncateSync(file, statSync(file).size - 4096)],
    ["of a database without tables", (file: string) => truncateSync(file, 4096)],
  ])("reports a main file that is %s, by name and at each attempt", async (_, damage) => {
    const folder = newFolder();
    const store = await open(folder);
    await store.commit([{ key: "/pods/default/a", revision: store.firstRevision, value: bytes("A".repeat(20_000)) }]);
    await store.close();
    damage(join(folder, "objects.db"));
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(open(folder)).rejects.toMatchObject({
        code: "StoreDamaged",
        message: expect.stringMatching(/^(\S+)\/objects\.db is .*; put a copy of \1 back, or remove that folder /),
      });
  });

  test("gives the rows and higher revisions when only the marker is lost", async () => {
    const folder = newFolder();
    const store = await open(folder);
    const revision = store.firstRevision;
    await store.commit([{ key: "/pods/default/a", revision, value: bytes("A") }]);
    await store.close();
    rmSync(join(folder, "objects.marker"));
    const again = await open(folder);
    expect(await rowsOf(again)).toHaveLength(1);
    expect(again.firstRevision).toBeGreaterThan(revision + revisionHeadroom - 1);
  });

  test("folds a long log into the main file and keeps everything", async () => {
    const folder = newFolder();
    const store = await open(folder);
    for (let at = 0; at < 10; at++)
      await store.commit([
        { key: "/pods/default/a", revision: store.firstRevision + at, value: bytes(`${at}`.repeat(1 << 20)) },
      ]);
    await store.commit([]);
    expect(statSync(join(folder, "objects.db-wal")).size).toBeLessThan(6 << 20);
    await store.close();
    expect(await rowsOf(await open(folder))).toMatchObject([{ value: bytes("9".repeat(1 << 20)) }]);
  });

  test("a disk that takes 50 ms a commit keeps no volatile write and no watch of one waiting", async () => {
    const store = await openSqliteStore(newFolder(), { log: silentLogger, delayCommitMs: 50 });
    const volatile = (collection: string) => collection === "/events";
    const objects = await openObjectStore(store, { volatile, clock: systemClock, log: silentLogger });
    const order: string[] = [];
    const signal = AbortSignal.timeout(10_000);
    const changes = objects.watch("/events", { since: 0, signal })[Symbol.asyncIterator]();
    const durable = objects.write("/pods", "default/a", () => ({ metadata: {} })).then(() => order.push("durable"));
    const seen = changes.next().then(() => order.push("watched"));
    await objects.write("/events", "default/e", () => ({ metadata: {} }));
    order.push("volatile");
    await Promise.all([durable, seen]);
    expect(order.at(-1)).toBe("durable");
    expect(order).toHaveLength(3);
    await objects.close();
  });

  test("commits that are each made because of the one before leave everything else its turns", async () => {
    const folder = newFolder();
    const store = await open(folder);
    const logSize = (): number => statSync(join(folder, "objects.db-wal")).size;
    let turns = 0;
    const next = (): void => {
      turns++;
      turn = setImmediate(next);
    };
    let turn = setImmediate(next);
    for (let at = 0; at < 10; at++) {
      const size = logSize();
      const committed = store.commit([
        { key: "/pods/default/a", revision: store.firstRevision + at, value: bytes("A".repeat(10_000)) },
      ]);
      // The event loop is kept busy until the answer, too, has arrived.
      while (logSize() === size);
      for (const busy = performance.now() + 10; performance.now() < busy; );
      await committed;
    }
    clearImmediate(turn);
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  test("refuses commits after its thread ended", async () => {
    const store = await open(newFolder());
    await store.close();
    await expect(store.commit([])).rejects.toMatchObject({ code: "StoreWriteFailed" });
  });
});
