import { describe, expect, test } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { MemoryStore } from "./memory-store.ts";
import { type ObjectStoreOptions, openObjectStore } from "./object-store.ts";
import type { StoredObject } from "./objects.ts";

const pods = "/pods";
const named = (name: string, more: JsonObject = {}): JsonObject => ({ kind: "Pod", metadata: { name }, ...more });
const open = (store = new MemoryStore(), options: Partial<ObjectStoreOptions> = {}) =>
  openObjectStore(store, {
    volatile: (collection) => collection === "/events" || collection === "coordination.k8s.io/leases",
    clock: new FakeClock(),
    log: silentLogger,
    freeze: true,
    ...options,
  });
const names = (list: readonly StoredObject[]) => list.map(({ object }) => (object.metadata as JsonObject).name);

/** A gate in front of the disk: commits wait for `pass`, or fail by `refuse`. */
function gate() {
  const waiting: PromiseWithResolvers<void>[] = [];
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const next = async (settle: (one: PromiseWithResolvers<void>) => void) => {
    await settled();
    const one = waiting.shift();
    if (!one) throw new Error("no commit waits");
    settle(one);
    await settled();
  };
  return {
    beforeCommit: () => {
      const one = Promise.withResolvers<void>();
      waiting.push(one);
      return one.promise;
    },
    pass: () => next((one) => one.resolve()),
    refuse: () => next((one) => one.reject(new Error("disk full"))),
    waiting: async () => {
      await settled();
      return waiting.length;
    },
  };
}

describe("ObjectStore", () => {
  test("stamps each version with its revision and gives the same bytes for it every time", async () => {
    const objects = await open();
    const { stored, previous } = await objects.write(pods, "default/a", () => named("a"));
    expect(previous).toBeUndefined();
    expect(stored?.object).toEqual({ kind: "Pod", metadata: { name: "a", resourceVersion: String(stored?.revision) } });
    expect(objects.get(pods, "default/a")).toBe(stored);
    expect(JSON.parse(new TextDecoder().decode(stored?.encoded()))).toEqual(stored?.object);
    expect(stored?.encoded()).toBe(stored?.encoded());
  });

  test("lists in order of keys, all or one namespace, and a list in hand never changes", async () => {
    const objects = await open();
    for (const key of ["b/2", "a/9", "a-b/1", "b/1", "a/10"]) await objects.write(pods, key, () => named(key));
    const all = objects.list(pods);
    expect(names(all)).toEqual(["a-b/1", "a/10", "a/9", "b/1", "b/2"]);
    expect(names(objects.list(pods, "a"))).toEqual(["a/10", "a/9"]);
    await objects.write(pods, "a/10", () => "delete");
    expect(all).toHaveLength(5);
    expect(names(objects.list(pods))).toEqual(["a-b/1", "a/9", "b/1", "b/2"]);
    expect(objects.list("/nodes")).toEqual([]);
    expect(objects.collections()).toEqual([pods]);
  });

  test("changes nothing for undefined, for a deletion of nothing, and when the change throws", async () => {
    const objects = await open();
    const { stored } = await objects.write(pods, "default/a", () => named("a"));
    expect(await objects.write(pods, "default/a", () => undefined)).toEqual({ stored, previous: stored });
    expect(await objects.write(pods, "default/b", () => "delete")).toEqual({ stored: undefined, previous: undefined });
    await expect(
      objects.write(pods, "default/a", () => {
        throw new RangeError("refused");
      }),
    ).rejects.toThrow(RangeError);
    expect(objects.revision(pods)).toBe(stored?.revision);
  });

  test("keeps 64-bit integers exactly over a restart", async () => {
    const store = new MemoryStore();
    await (await open(store)).write(pods, "default/a", () => named("a", { count: 9_223_372_036_854_775_807n }));
    const again = await open(store.reopen());
    expect(again.get(pods, "default/a")?.object.count).toBe(9_223_372_036_854_775_807n);
  });

  test("loads what the store holds, of any collection, and goes on with higher revisions", async () => {
    const store = new MemoryStore();
    const first = await open(store);
    await first.write("agones.dev/gameservers", "default/a", () => named("a"));
    const { stored } = await first.write("/nodes", "/n", () => named("n"));
    await first.close();
    const again = await open(store.reopen());
    expect(again.collections()).toEqual(["/nodes", "agones.dev/gameservers"]);
    expect(again.get("/nodes", "/n")?.object).toEqual(stored?.object);
    const next = await again.write("/nodes", "/n", () => named("n"));
    expect(next.stored?.revision).toBeGreaterThan(stored?.revision ?? Number.NaN);
  });

  test("shows a write to nobody before it is on disk, but to the next write", async () => {
    const disk = gate();
    const objects = await open(new MemoryStore(disk));
    const signal = AbortSignal.timeout(10_000);
    const changes = objects.watch(pods, { since: 0, signal })[Symbol.asyncIterator]();
    let seen = 0;
    const next = changes.next().then(({ value }) => {
      seen = value.length;
    });
    const first = objects.write(pods, "default/a", () => named("a"));
    const second = objects.write(pods, "default/a", (current) => named("a", { spec: current?.revision }));
    expect(await disk.waiting()).toBe(1);
    expect(objects.get(pods, "default/a")).toBeUndefined();
    expect(objects.list(pods)).toEqual([]);
    expect(seen).toBe(0);
    await disk.pass();
    await next;
    expect(seen).toBe(2);
    expect((await second).stored?.object.spec).toBe((await first).stored?.revision);
  });

  test("writes everything that was queued meanwhile as one batch", async () => {
    const disk = gate();
    const batches: number[] = [];
    const store = new MemoryStore({ ...disk, afterCommit: (writes) => void batches.push(writes.length) });
    const objects = await open(store);
    const writes = [objects.write(pods, "default/0", () => named("0"))];
    await disk.waiting();
    for (let at = 1; at <= 20; at++) writes.push(objects.write(pods, `default/${at}`, () => named(`${at}`)));
    expect(await disk.waiting()).toBe(1);
    await disk.pass();
    await disk.pass();
    await Promise.all(writes);
    expect(batches).toEqual([1, 20]);
  });

  test("claims for a list no revision above a write that is not on disk", async () => {
    const disk = gate();
    const objects = await open(new MemoryStore(disk));
    const before = objects.revision(pods);
    const pending = objects.write(pods, "default/a", () => named("a"));
    await objects.write("/events", "default/e", () => named("e"));
    expect(objects.revision(pods)).toBe(before);
    expect(objects.revision("/events")).toBe(before + 2);
    await disk.pass();
    await pending;
    expect(objects.revision(pods)).toBe(before + 2);
  });

  test("a no-change answer waits for the version it saw", async () => {
    const disk = gate();
    const objects = await open(new MemoryStore(disk));
    let answered = false;
    const written = objects.write(pods, "default/a", () => named("a"));
    const unchanged = objects
      .write(pods, "default/a", () => undefined)
      .then((result) => {
        answered = true;
        return result;
      });
    expect(await disk.waiting()).toBe(1);
    expect(answered).toBe(false);
    await disk.pass();
    expect((await unchanged).stored).toBe((await written).stored);
  });

  test("a refused batch fails its writers and whoever built on them, and nobody else", async () => {
    const disk = gate();
    const store = new MemoryStore(disk);
    const objects = await open(store);
    const kept = objects.write(pods, "default/a", () => named("a", { spec: 1 }));
    await disk.pass();
    await kept;

    const failed = objects.write(pods, "default/a", () => named("a", { spec: 2 }));
    await disk.waiting();
    const outcomes = Promise.allSettled([
      failed,
      objects.write(pods, "default/a", () => named("a", { spec: 3 })),
      objects.write(pods, "default/a", () => undefined),
      objects.write(pods, "default/b", () => named("b")),
    ]);
    await disk.refuse();
    const after = objects.write(pods, "default/a", (current) => named("a", { spec: current?.object.spec }));
    await disk.pass();
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "fulfilled"]);
    await expect(failed).rejects.toMatchObject({ code: "StoreWriteFailed" });
    if ((await disk.waiting()) > 0) await disk.pass();
    expect((await after).stored?.object.spec).toBe(1);
    expect(names(objects.list(pods))).toEqual(["a", "b"]);
  });

  test("an object that cannot be written fails alone and uses up no revision", async () => {
    const objects = await open();
    const cyclic: Record<string, JsonObject> = {};
    cyclic.self = cyclic;
    const before = objects.revision(pods);
    const good = objects.write(pods, "default/b", () => named("b"));
    await expect(
      openObjectStore(new MemoryStore(), { volatile: () => false, clock: new FakeClock(), log: silentLogger }).then(
        (other) => other.write(pods, "default/a", () => named("a", { spec: cyclic })),
      ),
    ).rejects.toThrow(TypeError);
    expect((await good).stored?.revision).toBe(before + 1);
  });

  test("refuses an object beyond the limit, except to let it go", async () => {
    const objects = await open();
    const data = "x".repeat(1024 * 1024);
    await objects.write(pods, "default/a", () => named("a", { data }));
    const larger = { data, more: data };
    const refused = {
      code: "ObjectTooLarge",
      message: expect.stringMatching(/it takes 20\d{5} bytes, limit is 1572864/),
    };
    await expect(objects.write(pods, "default/a", () => named("a", larger))).rejects.toMatchObject(refused);
    await expect(objects.write("/events", "default/a", () => named("a", larger))).rejects.toMatchObject(refused);
    expect(objects.get(pods, "default/a")?.object).toMatchObject({ data });
    expect(objects.get("/events", "default/a")).toBeUndefined();
    const going = { kind: "Pod", metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" }, ...larger };
    expect((await objects.write(pods, "default/a", () => going)).stored?.object).toMatchObject(larger);
  });

  test("close writes what waits and refuses what comes later", async () => {
    const store = new MemoryStore();
    const objects = await open(store);
    const pending = objects.write(pods, "default/a", () => named("a"));
    await objects.write("/events", "default/e", () => named("e"));
    await objects.close();
    await pending;
    expect([...store.rows.keys()].sort()).toEqual(["/events/default/e", "/pods/default/a"]);
    await expect(objects.write(pods, "default/b", () => named("b"))).rejects.toMatchObject({
      code: "StoreWriteFailed",
    });
  });

  test("hands out frozen objects when asked to", async () => {
    const objects = await open();
    await objects.write(pods, "default/a", () => named("a", { spec: { deep: [{}] } }));
    const spec = objects.get(pods, "default/a")?.object.spec as { deep: { x?: number }[] };
    expect(() => {
      spec.deep.push({ x: 1 });
    }).toThrow(TypeError);
  });
});
