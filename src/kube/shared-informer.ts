import { type KubeObject, objectKey, type WatchEvent } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { isExpired } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { CacheMetrics } from "#runtime/metrics.ts";
import { Backoff } from "./backoff.ts";
import type { Reader } from "./client.ts";
import { deepFreeze } from "./deep-freeze.ts";
import type { Informer, InformerHandler, Lister } from "./informer.ts";
import { listAll } from "./list-all.ts";
import { ObjectCache } from "./object-cache.ts";
import { TransportError } from "./transport.ts";

export interface InformerOptions<T> {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Trims objects before they are cached; returns a copy. `metadata.managedFields` is dropped without being asked. */
  readonly transform?: (object: T) => T;
  /** Freezes cached objects deeply, so that changing one throws. For tests and development. */
  readonly freeze?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: CacheMetrics;
  /** From 0 to 1; spreads retries and the ends of watches. Default `Math.random`. */
  readonly random?: () => number;
}

type Client = Pick<Reader, "list" | "watch">;

export function createInformer<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  options: InformerOptions<T>,
): Informer<T> {
  return new SharedInformer(client, type, options);
}

/** Resolves once all are synced; rejects with the signal's reason when it aborts first. */
export async function waitForSync(
  informers: readonly Pick<Informer<KubeObject>, "ready">[],
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    Promise.all(informers.map((informer) => informer.ready()))
      .then(() => resolve(), reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}

/** A difference between two states of the cache, as handlers are told of it. */
type Difference<T> =
  | { readonly type: "add"; readonly object: T }
  | { readonly type: "update"; readonly object: T; readonly old: T }
  | { readonly type: "delete"; readonly old: T };

/** A watch that ends sooner than this without an event is a failure: asked again at once it would spin. */
const SHORT_WATCH_MS = 1000;

class SharedInformer<T extends KubeObject> implements Informer<T> {
  readonly name: string;
  readonly #client: Client;
  readonly #type: ResourceType<T>;
  readonly #options: InformerOptions<T>;
  readonly #log: Logger;
  readonly #cache = new ObjectCache<T>();
  readonly #backoff: Backoff;
  readonly #firstList = Promise.withResolvers<void>();
  #handlers: readonly InformerHandler<T>[] = [];
  #synced = false;
  /** Where the next watch begins; absent when only a list will do. */
  #version: string | undefined;

  constructor(client: Client, type: ResourceType<T>, options: InformerOptions<T>) {
    this.name = `informer ${type.plural}`;
    this.#client = client;
    this.#type = type;
    this.#options = options;
    this.#log = options.log.child({ informer: type.plural });
    this.#backoff = new Backoff({ firstMs: 100, mostMs: 10_000, clock: options.clock, random: options.random });
  }

  get lister(): Lister<T> {
    return this.#cache;
  }

  get synced(): boolean {
    return this.#synced;
  }

  ready(): Promise<void> {
    return this.#firstList.promise;
  }

  addIndex(name: string, values: (object: T) => readonly string[]): void {
    this.#cache.addIndex(name, values);
  }

  addHandler(handler: InformerHandler<T>): () => void {
    this.#handlers = [...this.#handlers, handler];
    this.#tell(
      [handler],
      this.#cache.list().map((object) => ({ type: "add", object })),
    );
    return () => {
      this.#handlers = this.#handlers.filter((other) => other !== handler);
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#version ??= await this.#list(signal);
        await this.#watch(this.#version, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#failed(error);
        await this.#backoff.wait(signal);
      }
    }
  }

  #failed(error: unknown): void {
    const broken = error instanceof TransportError;
    if (!broken) this.#version = undefined;
    if (broken) this.#log.warn({ error }, "watch or list broke off, trying again");
    else if (isExpired(error)) this.#log.debug({ error }, "version is gone, listing again");
    else this.#log.warn({ error }, "watch or list was refused, listing again");
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { clock, metrics, namespace, labelSelector, fieldSelector } = this.#options;
    const started = clock.monotonic();
    const list = await listAll(this.#client, this.#type, { namespace, labelSelector, fieldSelector, signal });
    metrics?.listed(list.items.length, (clock.monotonic() - started) / 1000);
    this.#replace(list.items);
    if (!this.#synced) {
      this.#synced = true;
      this.#firstList.resolve();
    }
    return this.#reached(list.metadata.resourceVersion);
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { clock, metrics, random = Math.random, namespace, labelSelector, fieldSelector } = this.#options;
    const started = clock.monotonic();
    const batches = await this.#client.watch(this.#type, {
      namespace,
      labelSelector,
      fieldSelector,
      resourceVersion,
      allowWatchBookmarks: true,
      timeoutSeconds: Math.round(300 * (1 + random())),
      signal,
    });
    let events = 0;
    const lasted = () => clock.monotonic() - started;
    const short = () => events === 0 && lasted() < SHORT_WATCH_MS;
    try {
      for await (const batch of batches) {
        events += batch.length;
        this.#backoff.reset();
        for (const event of batch) this.#apply(event);
      }
    } finally {
      metrics?.watched(events, lasted() / 1000, short());
      // It was open, however it ended: what comes next is a first attempt.
      if (lasted() >= SHORT_WATCH_MS) this.#backoff.reset();
    }
    if (short() && !signal.aborted) throw new TransportError("the watch ended as soon as it was open");
  }

  #apply({ type, object: received }: WatchEvent<T>): void {
    this.#version = this.#reached(received.metadata.resourceVersion);
    if (type === "BOOKMARK") return;
    const key = objectKey(received);
    const cached = this.#cache.get(key);
    if (type === "DELETED") {
      if (!cached || cached.metadata.uid !== received.metadata.uid) return;
      this.#cache.delete(key);
      this.#tell(this.#handlers, [{ type: "delete", old: cached }]);
      return;
    }
    if (cached && sameVersion(cached, received)) return;
    const object = this.#prepare(received);
    const handlers = this.#handlers;
    for (const difference of differences(cached, object)) {
      if (difference.type === "delete") this.#cache.delete(key);
      else this.#cache.set(key, difference.object);
      this.#tell(handlers, [difference]);
    }
  }

  /** Makes the cache hold exactly `items`, then tells what became different: deletions first. */
  #replace(items: readonly T[]): void {
    const found = new Map(items.map((item) => [objectKey(item), item]));
    const gone: Difference<T>[] = [];
    const changed: Difference<T>[] = [];
    for (const key of [...this.#cache.keys()]) {
      const old = this.#cache.get(key);
      if (!old || found.has(key)) continue;
      this.#cache.delete(key);
      gone.push({ type: "delete", old });
    }
    for (const [key, item] of found) {
      const old = this.#cache.get(key);
      if (old && sameVersion(old, item)) continue;
      const object = this.#prepare(item);
      this.#cache.set(key, object);
      for (const difference of differences(old, object))
        (difference.type === "delete" ? gone : changed).push(difference);
    }
    this.#tell(this.#handlers, [...gone, ...changed]);
  }

  #prepare(received: T): T {
    const { transform, freeze } = this.#options;
    let object = received;
    if ("managedFields" in object.metadata) {
      const { managedFields: _, ...metadata } = object.metadata;
      object = { ...object, metadata };
    }
    if (transform) object = transform(object);
    return freeze ? deepFreeze(object) : object;
  }

  #tell(handlers: readonly InformerHandler<T>[], all: readonly Difference<T>[]): void {
    for (const difference of all) {
      for (const handler of handlers) {
        try {
          if (difference.type === "add") handler.add?.(difference.object);
          else if (difference.type === "update") handler.update?.(difference.object, difference.old);
          else handler.delete?.(difference.old);
        } catch (error) {
          const key = objectKey(difference.type === "delete" ? difference.old : difference.object);
          this.#log.error({ error, key }, "informer handler failed");
        }
      }
    }
  }

  #reached(version = ""): string {
    if (/^\d+$/.test(version)) this.#options.metrics?.reached(Number(version));
    return version;
  }
}

/** How handlers are told that `object` took the place of `old`: an object made again under the same name is another one. */
function differences<T extends KubeObject>(old: T | undefined, object: T): readonly Difference<T>[] {
  const add: Difference<T> = { type: "add", object };
  if (!old) return [add];
  return old.metadata.uid === object.metadata.uid ? [{ type: "update", object, old }] : [{ type: "delete", old }, add];
}

function sameVersion(a: KubeObject, b: KubeObject): boolean {
  const { uid, resourceVersion } = a.metadata;
  return resourceVersion !== undefined && resourceVersion === b.metadata.resourceVersion && uid === b.metadata.uid;
}
