import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { type KubeObject, objectKey, type WatchEvent } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { statusError } from "#api/meta/status.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { createClient } from "./api-client.ts";
import { type Fault, withFaults } from "./fault-injection.ts";
import { createInformer } from "./shared-informer.ts";
import { type Transport, TransportError, type TransportRequest } from "./transport.ts";

const things: ResourceType<KubeObject> = {
  group: "",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
  decode: (json) => json as unknown as KubeObject,
};

/** The list and watch of an API server, with a history that can be forgotten and watches that can be made to die. */
class TinyServer implements Transport {
  readonly objects = new Map<string, JsonObject>();
  #version = 1;
  #floor = 1;
  #history: { readonly version: number; readonly event: WatchEvent }[] = [];
  readonly #watches = new Set<{ end?: { readonly error?: Error } }>();
  #wake = Promise.withResolvers<void>();

  put(name: string): void {
    const uid = this.#uid(name) ?? `uid-${this.#version}`;
    this.#record(this.objects.has(name) ? "MODIFIED" : "ADDED", { name, uid });
  }

  remove(name: string): void {
    if (this.objects.has(name)) this.#record("DELETED", { name, uid: this.#uid(name) });
  }

  bookmark(): void {
    this.#record("BOOKMARK", {});
  }

  /** Whoever has not seen everything up to now must list again. */
  forget(): void {
    this.#floor = this.#version;
    this.#history = [];
    this.#stir();
  }

  endWatches(error?: Error): void {
    for (const watch of this.#watches) watch.end = { error };
    this.#stir();
  }

  async exchange(): Promise<JsonObject> {
    const metadata = { resourceVersion: String(this.#version) };
    return { apiVersion: "v1", kind: "ThingList", metadata, items: [...this.objects.values()] };
  }

  async watch({ query, signal }: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>> {
    const since = Number(query?.resourceVersion);
    if (since < this.#floor) throw statusError("Expired", "too old resource version");
    signal?.addEventListener("abort", () => this.#stir(), { once: true });
    return this.#events(since, signal);
  }

  text(): Promise<never> {
    throw new Error("not asked for");
  }

  async *#events(since: number, signal?: AbortSignal): AsyncGenerator<readonly WatchEvent[]> {
    const watch: { end?: { readonly error?: Error } } = {};
    this.#watches.add(watch);
    let at = since;
    while (!signal?.aborted) {
      const woken = this.#wake.promise;
      if (at < this.#floor) throw statusError("Expired", "fell behind");
      const news = this.#history.filter(({ version }) => version > at);
      at = news.at(-1)?.version ?? at;
      if (news.length > 0) yield news.map(({ event }) => event);
      if (watch.end?.error) throw watch.end.error;
      if (watch.end) return;
      await woken;
    }
  }

  #uid(name: string): JsonValue | undefined {
    return (this.objects.get(name)?.metadata as JsonObject | undefined)?.uid;
  }

  #record(type: WatchEvent["type"], meta: JsonObject): void {
    const version = ++this.#version;
    const object = { metadata: { ...meta, resourceVersion: String(version) } };
    this.#history.push({ version, event: { type, object } });
    if (type === "DELETED") this.objects.delete(String(meta.name));
    else if (type !== "BOOKMARK") this.objects.set(String(meta.name), object);
    this.#stir();
  }

  #stir(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

const name = fc.constantFrom("a", "b", "c");
type Step =
  | { readonly do: "put" | "remove"; readonly name: string }
  | { readonly do: "bookmark" | "forget" | "end" | "break" }
  | { readonly do: "wait"; readonly ms: number };
const one = (arbitrary: fc.Arbitrary<Step>) => arbitrary.map((step): readonly Step[] => [step]);
const change: fc.Arbitrary<Step> = fc.record({ do: fc.constantFrom("put", "put", "remove"), name });
const wait: fc.Arbitrary<Step> = fc.record({ do: fc.constant("wait"), ms: fc.constantFrom(0, 50, 500, 20_000) });
const upheaval: fc.Arbitrary<Step> = fc.record({ do: fc.constantFrom("bookmark", "forget", "end", "break") });
/** Changes that happen while the watch is down, and that the history may no longer show when it is back. */
const gap = fc
  .tuple(fc.array(change, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([changes, forgotten]): readonly Step[] => [
    { do: "break" },
    ...changes,
    ...(forgotten ? [{ do: "forget" } as const] : []),
    { do: "wait", ms: 500 },
  ]);
const steps = fc
  .array(fc.oneof(one(change), one(wait), one(upheaval), gap), { maxLength: 20, size: "max" })
  .map((all) => all.flat());
const fault = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Fault | undefined>(undefined) },
  fc.constantFrom<Fault>(
    { type: "refuse" },
    { type: "cut", after: 0 },
    { type: "cut", after: 1 },
    { type: "lose-answer" },
  ),
  fc.constant<Fault>({ type: "refuse", error: statusError("Expired", "injected") }),
);

async function act(server: TinyServer, clock: FakeClock, each: Step) {
  if (each.do === "wait") await clock.advance(each.ms);
  else if (each.do === "put") server.put(each.name);
  else if (each.do === "remove") server.remove(each.name);
  else if (each.do === "bookmark") server.bookmark();
  else if (each.do === "forget") server.forget();
  else if (each.do === "end") server.endWatches();
  else server.endWatches(new TransportError("reset"));
}

test("whatever is missed, the cache comes to hold the server's state, and what handlers were told adds up to it", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fault, { maxLength: 10 }), async (happens, faults) => {
      const clock = new FakeClock();
      const server = new TinyServer();
      const faultsLeft = [...faults];
      const client = withFaults(createClient(server), () => faultsLeft.shift());
      const informer = createInformer(client, things, { clock, log: silentLogger, random: () => 1, freeze: true });
      informer.addIndex("uid", ({ metadata }) => [metadata.uid ?? ""]);
      const told = new Map<string, KubeObject>();
      const wrong: string[] = [];
      informer.addHandler({
        add: (object) => {
          if (told.has(objectKey(object))) wrong.push("added twice");
          told.set(objectKey(object), object);
        },
        update: (object, old) => {
          if (told.get(objectKey(object)) !== old) wrong.push("update of something else");
          if (object.metadata.uid !== old.metadata.uid) wrong.push("update across lives");
          told.set(objectKey(object), object);
        },
        delete: (old) => {
          if (told.get(objectKey(old)) !== old) wrong.push("delete of something else");
          told.delete(objectKey(old));
        },
      });

      const abort = new AbortController();
      const running = informer.run(abort.signal);
      for (const each of happens) await act(server, clock, each);
      faultsLeft.length = 0;
      await clock.advance(60_000);

      const plain = ({ metadata }: KubeObject) => ({ ...metadata });
      const state = [...server.objects.values()].map((object) => object.metadata as object);
      expect(wrong).toEqual([]);
      expect(informer.lister.list().map(plain).sort(byName)).toEqual(state.sort(byName));
      expect([...told.values()].sort(byName)).toEqual([...informer.lister.list()].sort(byName));
      for (const object of informer.lister.list())
        expect(informer.lister.byIndex("uid", object.metadata.uid ?? "")).toEqual([object]);

      abort.abort();
      await running;
    }),
    { numRuns: 150 },
  );
});

const byName = (a: object, b: object) => JSON.stringify(a).localeCompare(JSON.stringify(b));
