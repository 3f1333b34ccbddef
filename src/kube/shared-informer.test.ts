import { afterEach, describe, expect, test, vi } from "vitest";
import type { KubeList, KubeObject, WatchEvent } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { statusError } from "#api/meta/status.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import type { ListOptions, WatchOptions } from "./client.ts";
import { createInformer, type InformerOptions, waitForSync } from "./shared-informer.ts";
import { TransportError } from "./transport.ts";

interface Pod extends KubeObject {
  readonly node?: string;
}
const pods: ResourceType<Pod> = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  namespaced: true,
  decode: (json) => json as unknown as Pod,
};
const pod = (name: string, version: number, more: { uid?: string; node?: string; meta?: object } = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "ns", name, uid: more.uid ?? name, resourceVersion: String(version), ...more.meta },
  ...(more.node && { node: more.node }),
});
const added = (object: Pod): WatchEvent<Pod> => ({ type: "ADDED", object });
const modified = (object: Pod): WatchEvent<Pod> => ({ type: "MODIFIED", object });
const deleted = (object: Pod): WatchEvent<Pod> => ({ type: "DELETED", object });
const bookmark = (version: number): WatchEvent<Pod> => ({ type: "BOOKMARK", object: pod("", version) });

/** What one watch does: hands out batches, and after `lastsMs` ends (`"end"`), throws, or stays open until aborted (`"stay"`). */
type Watch =
  | { readonly refuse: Error }
  | {
      readonly batches: readonly WatchEvent<Pod>[][];
      readonly lastsMs?: number;
      readonly ends: Error | "end" | "stay";
    };

const stop: AbortController[] = [];
afterEach(() => {
  for (const controller of stop.splice(0)) controller.abort();
});

/** Runs an informer against lists and watches written down beforehand; the last of each repeats. */
function start(
  lists: readonly (Error | readonly Pod[])[],
  watches: readonly Watch[],
  options: Partial<InformerOptions<Pod>> = {},
) {
  const clock = new FakeClock();
  const asked: { list: ListOptions[]; watch: WatchOptions[] } = { list: [], watch: [] };
  const client = {
    list: async (_type: unknown, listOptions: ListOptions = {}): Promise<KubeList<never>> => {
      const answer = lists[Math.min(asked.list.push(listOptions), lists.length) - 1] ?? [];
      if (answer instanceof Error) throw answer;
      const newest = Math.max(1, ...answer.map(({ metadata }) => Number(metadata.resourceVersion)));
      const metadata = { resourceVersion: String(newest) };
      return { apiVersion: "v1", kind: "PodList", metadata, items: answer as readonly never[] };
    },
    watch: async (_type: unknown, watchOptions: WatchOptions): Promise<AsyncIterable<readonly never[]>> => {
      const watch = watches[Math.min(asked.watch.push(watchOptions), watches.length) - 1];
      if (!watch || "refuse" in watch) throw watch?.refuse;
      const { signal } = watchOptions;
      return (async function* () {
        yield* watch.batches as never[][];
        if (watch.lastsMs !== undefined) await clock.sleep(watch.lastsMs, signal);
        if (watch.ends instanceof Error) throw watch.ends;
        if (watch.ends === "stay") await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      })();
    },
  };
  const informer = createInformer(client, pods, { clock, log: silentLogger, random: () => 1, ...options });
  const told: string[] = [];
  informer.addHandler({
    add: ({ metadata }) => void told.push(`add ${metadata.name}@${metadata.resourceVersion}`),
    update: ({ metadata }, old) =>
      void told.push(`update ${metadata.name}@${old.metadata.resourceVersion}->${metadata.resourceVersion}`),
    delete: ({ metadata }) => void told.push(`delete ${metadata.name}@${metadata.resourceVersion}`),
  });
  const abort = new AbortController();
  stop.push(abort);
  return { informer, clock, told, asked, abort, run: () => informer.run(abort.signal) };
}
const stay: Watch = { batches: [], ends: "stay" };

test("is synced once the first list is cached and told", async () => {
  const { informer, told, run, asked } = start([[pod("a", 1), pod("b", 2)]], [stay], {
    namespace: "ns",
    labelSelector: "x",
  });
  expect(informer.synced).toBe(false);
  run();
  await informer.ready();
  expect(informer.synced).toBe(true);
  expect(told).toEqual(["add a@1", "add b@2"]);
  expect(informer.lister.get("ns/a")?.metadata.resourceVersion).toBe("1");
  await vi.waitUntil(() => asked.watch.length === 1);
  const { signal: _, ...options } = asked.watch[0] ?? {};
  expect(options).toMatchObject({
    namespace: "ns",
    labelSelector: "x",
    resourceVersion: "2",
    allowWatchBookmarks: true,
  });
});

test("tells additions, changes and deletions as they come", async () => {
  const events = [[added(pod("b", 2))], [modified(pod("a", 3)), deleted(pod("b", 4))]];
  const { informer, clock, told, run } = start([[pod("a", 1)]], [{ batches: events, ends: "stay" }]);
  run();
  await clock.advance(0);
  expect(told).toEqual(["add a@1", "add b@2", "update a@1->3", "delete b@2"]);
  expect(informer.lister.list().map(({ metadata }) => metadata.name)).toEqual(["a"]);
});

test("skips versions it already has and deletions of what it never had", async () => {
  const batches = [
    [added(pod("a", 1)), modified(pod("a", 1)), deleted(pod("x", 2))],
    [deleted(pod("a", 3, { uid: "older" }))],
  ];
  const { clock, told, run } = start([[pod("a", 1)]], [{ batches, ends: "stay" }]);
  run();
  await clock.advance(0);
  expect(told).toEqual(["add a@1"]);
});

test("an object made again under the same name is a deletion, then an addition", async () => {
  const batches = [[modified(pod("a", 5, { uid: "second" }))]];
  const { clock, told, run } = start([[pod("a", 1)]], [{ batches, ends: "stay" }]);
  run();
  await clock.advance(0);
  expect(told).toEqual(["add a@1", "delete a@1", "add a@5"]);
});

describe("when a watch", () => {
  const expired = statusError("Expired", "too old resource version");

  test("ends cleanly, the next begins at the last version, bookmarks included, without a list", async () => {
    const { clock, asked, run } = start(
      [[pod("a", 1)]],
      [{ batches: [[modified(pod("a", 4))], [bookmark(9)]], ends: "end" }, stay],
    );
    run();
    await clock.advance(0);
    expect(asked.watch.map(({ resourceVersion }) => resourceVersion)).toEqual(["1", "9"]);
    expect(asked.list).toHaveLength(1);
  });

  test("breaks, it is resumed at the last version after a wait", async () => {
    const broken = new TransportError("reset");
    const { clock, asked, run } = start([[pod("a", 1)]], [{ batches: [[modified(pod("a", 4))]], ends: broken }, stay]);
    run();
    await clock.advance(99);
    expect(asked.watch).toHaveLength(1);
    await clock.advance(1);
    expect(asked.watch.map(({ resourceVersion }) => resourceVersion)).toEqual(["1", "4"]);
    expect(asked.list).toHaveLength(1);
  });

  test.each([
    ["is refused as too old", { refuse: expired }],
    ["ends with an ERROR event", { batches: [], ends: expired }],
    ["is refused for another reason", { refuse: statusError("Forbidden", "no") }],
  ] as const)("%s, everything is listed again and the differences are told", async (_name, watch) => {
    const after = [pod("kept", 1), pod("changed", 6), pod("again", 7, { uid: "second" }), pod("new", 8)];
    const before = [pod("kept", 1), pod("changed", 2), pod("again", 3), pod("gone", 4)];
    const { clock, informer, told, asked, run } = start([before, after], [watch, stay]);
    run();
    await clock.advance(0);
    told.length = 0;
    await clock.advance(100);
    expect(told).toEqual(["delete gone@4", "delete again@3", "update changed@2->6", "add again@7", "add new@8"]);
    expect(informer.lister.list()).toHaveLength(4);
    expect(asked.watch[1]?.resourceVersion).toBe("8");
  });

  test("keeps failing, waits grow to 10 s, and a batch makes them short again", async () => {
    const refused: Watch = { batches: [], ends: new TransportError("reset") };
    const works: Watch = { batches: [[modified(pod("a", 9))]], ends: new TransportError("reset") };
    const { clock, asked, run } = start([[pod("a", 1)]], [...new Array<Watch>(9).fill(refused), works, stay]);
    run();
    await clock.advance(100 + 200 + 400 + 800 + 1600 + 3200 + 6400);
    expect(asked.watch).toHaveLength(8);
    await clock.advance(9999);
    expect(asked.watch).toHaveLength(8);
    await clock.advance(1 + 10_000);
    expect(asked.watch).toHaveLength(10);
    await clock.advance(100);
    expect(asked.watch).toHaveLength(11);
  });

  test("breaks after it was open for a while, the wait is short however often that was so", async () => {
    const broken: Watch = { batches: [], lastsMs: 1000, ends: new TransportError("reset") };
    const { clock, asked, run } = start([[pod("a", 1)]], [broken]);
    run();
    await clock.advance(10 * 1100);
    expect(asked.watch).toHaveLength(11);
  });

  test("ends at once again and again, it is not asked for in a tight loop", async () => {
    const { clock, asked, run } = start([[pod("a", 1)]], [{ batches: [], ends: "end" }]);
    run();
    await clock.advance(300);
    expect(asked.watch).toHaveLength(3);
  });
});

test("a failed list is tried again until it works", async () => {
  const { clock, informer, asked, run } = start(
    [new TransportError("down"), statusError("InternalError", "x"), []],
    [stay],
  );
  run();
  await clock.advance(299);
  expect(informer.synced).toBe(false);
  await clock.advance(1);
  expect(informer.synced).toBe(true);
  expect(asked.list).toHaveLength(3);
});

test("a handler that throws is logged, the others still run", async () => {
  const log = { ...silentLogger, error: vi.fn(), child: () => log };
  const { informer, clock, told, run } = start([[pod("a", 1)]], [stay], { log });
  informer.addHandler({
    add: () => {
      throw new Error("defect");
    },
  });
  informer.addHandler({ add: () => void told.push("last") });
  run();
  await clock.advance(0);
  expect(told).toEqual(["add a@1", "last"]);
  expect(log.error).toHaveBeenCalledOnce();
});

test("a handler added late first learns of everything cached; a removed one learns no more", async () => {
  const { informer, clock, run } = start([[pod("a", 1)]], [{ batches: [[added(pod("b", 2))]], ends: "stay" }]);
  run();
  await informer.ready();
  const seen: (string | undefined)[] = [];
  const remove = informer.addHandler({ add: ({ metadata }) => void seen.push(metadata.name) });
  expect(seen).toEqual(["a"]);
  remove();
  await clock.advance(0);
  expect(informer.lister.list()).toHaveLength(2);
  expect(seen).toEqual(["a"]);
});

test("handlers see the cache already changed", async () => {
  const { informer, clock, run } = start([[pod("a", 1)]], [{ batches: [[deleted(pod("a", 2))]], ends: "stay" }]);
  const cached: boolean[] = [];
  informer.addHandler({
    add: () => void cached.push(informer.lister.get("ns/a") !== undefined),
    delete: () => void cached.push(informer.lister.get("ns/a") !== undefined),
  });
  run();
  await clock.advance(0);
  expect(cached).toEqual([true, false]);
});

test("trims objects, always drops managedFields, and freezes when asked", async () => {
  const full = pod("a", 1, { node: "n1", meta: { managedFields: [{}], labels: { x: "y" } } });
  const transform = ({ node: _, ...rest }: Pod): Pod => rest;
  const { informer, clock, run } = start([[full]], [stay], { transform, freeze: true });
  run();
  await clock.advance(0);
  const cached = informer.lister.get("ns/a");
  expect(cached).toEqual(pod("a", 1, { meta: { labels: { x: "y" } } }));
  expect(Object.isFrozen(cached?.metadata.labels)).toBe(true);
  expect(full.metadata).toHaveProperty("managedFields");
});

test("indexes follow every change", async () => {
  const batches = [[modified(pod("a", 3, { node: "n2" })), added(pod("c", 4, { node: "n2" })), deleted(pod("b", 5))]];
  const { informer, clock, run } = start(
    [[pod("a", 1, { node: "n1" }), pod("b", 2, { node: "n1" })]],
    [{ batches, ends: "stay" }],
  );
  informer.addIndex("node", ({ node }) => (node ? [node] : []));
  const names = (node: string) => informer.lister.byIndex("node", node).map(({ metadata }) => metadata.name);
  run();
  await informer.ready();
  expect(names("n1")).toEqual(["a", "b"]);
  await clock.advance(0);
  expect(names("n1")).toEqual([]);
  expect(names("n2")).toEqual(["a", "c"]);
  expect(() => informer.lister.byIndex("unknown", "")).toThrow("no index unknown");
});

test("stops quietly when told to, also while it waits", async () => {
  const { clock, abort, run } = start([new TransportError("down")], [stay]);
  const running = run();
  await clock.advance(50);
  abort.abort();
  await running;
  expect(clock.pending).toBe(0);
});

test("waitForSync waits for all, or rejects with the signal's reason", async () => {
  const one = start([[]], [stay]);
  const two = start([[]], [stay]);
  one.run();
  const abort = new AbortController();
  const never = waitForSync([one.informer, two.informer], abort.signal);
  abort.abort(new Error("stopping"));
  await expect(never).rejects.toThrow("stopping");
  two.run();
  await waitForSync([one.informer, two.informer], new AbortController().signal);
  expect(two.informer.synced).toBe(true);
});
