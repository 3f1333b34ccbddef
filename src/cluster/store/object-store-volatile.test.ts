import { describe, expect, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { MemoryStore, type MemoryStoreFaults } from "./memory-store.ts";
import { openObjectStore } from "./object-store.ts";

const leases = "coordination.k8s.io/leases";
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

async function open(faults: MemoryStoreFaults = {}, rings?: Record<string, { limit: number; ttlMs: number }>) {
  const clock = new FakeClock();
  const store = new MemoryStore(faults);
  const volatile = (collection: string) => collection === "/events" || collection === leases;
  const objects = await openObjectStore(store, { volatile, clock, log: silentLogger, rings });
  const put = (collection: string, key: string, spec = 0) =>
    objects.write(collection, key, () => ({ metadata: { name: key }, spec }));
  return { clock, store, objects, put };
}

describe("volatile collections", () => {
  test("answer and are watched while the disk takes 50 ms a commit", async () => {
    const clock = new FakeClock();
    const store = new MemoryStore({ beforeCommit: () => clock.sleep(50) });
    const volatile = (collection: string) => collection === leases;
    const objects = await openObjectStore(store, { volatile, clock, log: silentLogger });
    const changes = objects.watch(leases, { since: 0, signal: AbortSignal.timeout(10_000) })[Symbol.asyncIterator]();
    const durable = objects.write("/pods", "default/a", () => ({ metadata: {} }));
    let onDisk = false;
    void durable.then(() => {
      onDisk = true;
    });
    for (let renewal = 1; renewal <= 100; renewal++) {
      const { stored } = await objects.write(leases, "ns/l", () => ({ metadata: {}, spec: renewal }));
      const { value } = await changes.next();
      expect(value).toMatchObject([{ stored }]);
      expect(objects.get(leases, "ns/l")).toBe(stored);
    }
    expect(onDisk).toBe(false);
    await clock.advance(50);
    await durable;
  });

  test("reach the disk with the next batch, the newest state of each", async () => {
    const { store, put } = await open();
    for (let renewal = 1; renewal <= 3; renewal++) await put(leases, "ns/l", renewal);
    expect(store.rows.size).toBe(0);
    await put("/pods", "default/a");
    const row = store.rows.get("coordination.k8s.io/leases/ns/l");
    expect(JSON.parse(new TextDecoder().decode(row?.value)).spec).toBe(3);
  });

  test("reach the disk after a second when nothing else is written, also after a refusal", async () => {
    let refuse = true;
    const { clock, store, put } = await open({
      beforeCommit: () => {
        if (refuse) throw new Error("disk full");
      },
    });
    await put(leases, "ns/l");
    await clock.advance(1_000);
    expect(store.rows.size).toBe(0);
    refuse = false;
    await clock.advance(1_000);
    expect(store.rows.size).toBe(1);
  });

  test("are refused, not written over, when the disk is so far behind that a kill could repeat revisions", async () => {
    const { objects, put } = await open({ beforeCommit: () => new Promise(() => {}) });
    const writes = Array.from({ length: 100_001 }, () => put(leases, "ns/l"));
    const refused = (await Promise.allSettled(writes)).filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(3);
    expect(objects.get(leases, "ns/l")).toBeDefined();
  });
});

describe("the ring of events", () => {
  test("keeps the newest, counting from the last write, and shows the others' end to watchers", async () => {
    const { objects, put } = await open({}, { "/events": { limit: 3, ttlMs: 3_600_000 } });
    const changes = objects.watch("/events", { since: 0, signal: AbortSignal.timeout(10_000) })[Symbol.asyncIterator]();
    for (const key of ["a/1", "a/2", "a/3", "a/1", "a/4"]) await put("/events", key);
    expect(objects.list("/events").map(({ object }) => (object.metadata as { name: string }).name)).toEqual([
      "a/1",
      "a/3",
      "a/4",
    ]);
    const { value } = await changes.next();
    expect(value).toHaveLength(6);
    expect(value.at(-1)).toMatchObject({ type: "DELETED", stored: { object: { metadata: { name: "a/2" } } } });
  });

  test("drops what nobody wrote for an hour, from the disk too", async () => {
    const { clock, store, objects, put } = await open();
    await put("/events", "a/old");
    await clock.advance(1_800_000);
    await put("/events", "a/new");
    await clock.advance(1_801_000);
    await settled();
    expect(objects.list("/events")).toHaveLength(1);
    await clock.advance(10_000);
    expect([...store.rows.keys()]).toEqual(["/events/a/new"]);
  });

  test("drops thousands in slices", async () => {
    const { clock, objects, put } = await open({}, { "/events": { limit: 10_000, ttlMs: 60_000 } });
    for (let at = 0; at < 1_200; at++) await put("/events", `a/${at}`);
    await clock.advance(70_000);
    expect(objects.list("/events")).toHaveLength(0);
  });
});
