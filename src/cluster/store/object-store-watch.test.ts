import { describe, expect, test } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { MemoryStore } from "./memory-store.ts";
import { type ObjectStore, type ObjectStoreOptions, openObjectStore } from "./object-store.ts";
import type { Change } from "./objects.ts";

const pods = "/pods";
const open = (options: Partial<ObjectStoreOptions> = {}, store = new MemoryStore()) =>
  openObjectStore(store, {
    volatile: (collection) => collection === "/events",
    clock: new FakeClock(),
    log: silentLogger,
    ...options,
  });
const put = (objects: ObjectStore, key: string, spec: number, collection = pods) =>
  objects.write(collection, key, () => ({ metadata: { name: key }, spec }));
const remove = (objects: ObjectStore, key: string) => objects.write(pods, key, () => "delete");

function watch(objects: ObjectStore, options: { since?: number; namespace?: string; key?: string } = {}) {
  const abort = new AbortController();
  const changes = objects.watch(pods, { since: 0, ...options, signal: abort.signal })[Symbol.asyncIterator]();
  return {
    end: () => abort.abort(),
    next: async () => (await changes.next()).value as readonly Change[] | undefined,
    take: async (count: number) => {
      const all: Change[] = [];
      while (all.length < count) all.push(...((await changes.next()).value as readonly Change[]));
      return all;
    },
  };
}
const shown = ({ type, stored, previous }: Change) =>
  `${type} ${(stored.object.metadata as JsonObject).name} ${previous?.object.spec ?? "-"}>${stored.object.spec}`;

describe("ObjectStore.watch", () => {
  test("gives every change after a list, in order, with the version before", async () => {
    const objects = await open();
    await put(objects, "default/a", 1);
    const since = objects.revision(pods);
    await put(objects, "default/a", 2);
    await put(objects, "default/b", 1);
    const watcher = watch(objects, { since });
    await remove(objects, "default/a");
    const changes = await watcher.take(3);
    expect(changes.map(shown)).toEqual(["MODIFIED default/a 1>2", "ADDED default/b ->1", "DELETED default/a 2>2"]);
    const revisions = changes.map(({ stored }) => stored.revision);
    expect(revisions).toEqual([since + 1, since + 2, since + 3]);
    expect(changes[2]?.stored.object.metadata).toMatchObject({ resourceVersion: String(since + 3) });
  });

  test("gives only what is in its scope, from the past and from now on", async () => {
    const objects = await open();
    const since = objects.revision(pods);
    for (const key of ["a/1", "b/1", "a/2"]) await put(objects, key, 1);
    const one = watch(objects, { since, key: "a/1" });
    const space = watch(objects, { since, namespace: "a" });
    const elsewhere = watch(objects, { since, namespace: "b", key: "a/1" });
    for (const key of ["b/1", "a/1", "a/2", "a/10"]) await put(objects, key, 2);
    expect((await one.take(2)).map(shown)).toEqual(["ADDED a/1 ->1", "MODIFIED a/1 1>2"]);
    expect((await space.take(5)).map(shown)).toEqual([
      "ADDED a/1 ->1",
      "ADDED a/2 ->1",
      "MODIFIED a/1 1>2",
      "MODIFIED a/2 1>2",
      "ADDED a/10 ->2",
    ]);
    elsewhere.end();
    expect(await elsewhere.next()).toBeUndefined();
  });

  test("hands a reader at once all that was ready together", async () => {
    const objects = await open();
    const watcher = watch(objects);
    const first = watcher.next();
    await Promise.all([put(objects, "default/a", 1), put(objects, "default/b", 1), put(objects, "default/c", 1)]);
    expect((await first)?.map(shown)).toEqual(["ADDED default/a ->1", "ADDED default/b ->1", "ADDED default/c ->1"]);
  });

  test("since 0 shows later changes only", async () => {
    const objects = await open();
    await put(objects, "default/a", 1);
    const watcher = watch(objects);
    await put(objects, "default/b", 1);
    expect((await watcher.next())?.map(shown)).toEqual(["ADDED default/b ->1"]);
  });

  test("refuses a revision older than its history, and one of an earlier process", async () => {
    const store = new MemoryStore();
    const objects = await open({ history: 3 }, store);
    const since = objects.revision(pods);
    for (let at = 1; at <= 4; at++) await put(objects, "default/a", at);
    const signal = AbortSignal.timeout(10_000);
    expect(() => objects.watch(pods, { since, signal })).toThrow(expect.objectContaining({ code: "RevisionExpired" }));
    expect(await watch(objects, { since: since + 1 }).take(3)).toHaveLength(3);

    const last = objects.revision(pods);
    const again = await open({}, store.reopen());
    expect(() => again.watch(pods, { since: last, signal })).toThrow(
      expect.objectContaining({ code: "RevisionExpired" }),
    );
    expect(again.revision(pods)).toBeGreaterThan(last);
    const resumed = watch(again, { since: again.revision(pods) });
    await put(again, "default/a", 5);
    expect((await resumed.next())?.map(shown)).toEqual(["MODIFIED default/a 4>5"]);
  });

  test("expires a reader that falls too far behind, and lets the others be", async () => {
    const objects = await open({ history: 3 });
    const slow = watch(objects);
    const quick = watch(objects);
    for (let at = 1; at <= 4; at++) {
      await put(objects, "default/a", at);
      expect(await quick.next()).toHaveLength(1);
    }
    await expect(slow.next()).rejects.toMatchObject({ code: "RevisionExpired" });
    expect(await slow.next()).toBeUndefined();
    expect(objects.watchers(pods)).toBe(1);
  });

  test("forgets a watcher whose signal aborts, whose loop breaks, or when the store closes", async () => {
    const objects = await open();
    const aborted = watch(objects);
    const waiting = aborted.next();
    const closed = watch(objects, { key: "default/a" });
    expect(objects.watchers(pods)).toBe(2);
    aborted.end();
    expect(await waiting).toBeUndefined();
    const reading = (async () => {
      for await (const _ of objects.watch(pods, { since: 0, signal: AbortSignal.timeout(10_000) })) break;
    })();
    await put(objects, "default/b", 1);
    await reading;
    expect(objects.watchers(pods)).toBe(1);
    await objects.close();
    expect(await closed.next()).toBeUndefined();
    expect(objects.watchers(pods)).toBe(0);
  });

  test("a thousand watches of one object each cost one delivery a change", async () => {
    const objects = await open();
    let reads = 0;
    for (let at = 0; at < 1_000; at++) {
      const scope = { since: 0, key: `default/${at}`, signal: AbortSignal.timeout(10_000) };
      const changes = objects.watch(pods, scope)[Symbol.asyncIterator]();
      void changes.next().then(() => reads++);
    }
    await put(objects, "default/7", 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads).toBe(1);
  });

  test("a reader that waits has had every change up to the revision a list would claim", async () => {
    const objects = await open();
    const watcher = watch(objects);
    let latest = objects.revision(pods);
    const reading = (async () => {
      for (let seen = 0; seen < 50; ) {
        const changes = (await watcher.next()) ?? [];
        seen += changes.length;
        latest = changes.at(-1)?.stored.revision ?? latest;
      }
    })();
    for (let at = 0; at < 50; at++) {
      await put(objects, "default/a", at);
      await new Promise((resolve) => setImmediate(resolve));
      expect(latest).toBe(objects.revision(pods));
    }
    await reading;
  });
});
