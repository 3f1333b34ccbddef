/**
 * The objects of the embedded cluster: all in memory, on a `Store` that keeps them.
 *
 *     write ─► newest version (in flight or committed) ─► change() ─► pending ─► batch ─► disk ─► committed ─► watchers, writers
 *     write to a volatile collection ─► committed ─► watchers, writer at once;  later, with a batch or a timer ─► disk
 */
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import { Collection } from "./collection.ts";
import { EventRing, type RingLimits } from "./event-ring.ts";
import { GroupCommit, type PendingWrite, rowKey } from "./group-commit.ts";
import {
  type Change,
  MAX_OBJECT_BYTES,
  type Mutation,
  type Objects,
  ObjectTooLarge,
  type StoredObject,
  type WriteResult,
} from "./objects.ts";
import { revisionHeadroom, type Store, StoreError } from "./store.ts";
import { decoded, stamped } from "./stored-object.ts";

export interface ObjectStoreOptions {
  /** Collections whose writes wait for no disk (Events, Leases): a kill may lose the last second of them. */
  readonly volatile: (collection: string) => boolean;
  /** Changes kept for each collection, and the most a watcher may fall behind. Default 10,000. */
  readonly history?: number;
  /** Bounded collections; they must be volatile. Default: `/events` keeps the newest 10,000, each for an hour. */
  readonly rings?: Readonly<Record<string, RingLimits>>;
  /** Freezes every object, so that writing to a shared one throws: for tests and development. */
  readonly freeze?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const defaultHistory = 10_000;
const defaultRings = { "/events": { limit: 10_000, ttlMs: 3_600_000 } };
/** Volatile writes reach the disk after this long, if no batch took them along. */
const flushMs = 1_000;
const sweepMs = 10_000;
/** Objects expired in one turn of the event loop. */
const sweepCount = 500;

/** Loads everything from `store`, in slices, and takes the store over: `close` closes it. */
export async function openObjectStore(store: Store, options: ObjectStoreOptions): Promise<ObjectStore> {
  const objects = new ObjectStore(store, options);
  for await (const rows of store.load())
    for (const { key, revision, value } of rows) {
      const [group, plural, namespace, ...name] = key.split("/");
      objects.restore(`${group}/${plural}`, `${namespace}/${name.join("/")}`, decoded(value, revision, options.freeze));
    }
  return objects;
}

export class ObjectStore implements Objects {
  readonly #store: Store;
  readonly #options: ObjectStoreOptions;
  readonly #history: number;
  readonly #commits: GroupCommit;
  readonly #collections = new Map<string, Collection>();
  /** The newest version of each row that is not on disk yet. */
  readonly #pending = new Map<string, PendingWrite>();
  readonly #rings: ReadonlyMap<string, EventRing>;
  #lastRevision: number;
  #cancelFlush: (() => void) | undefined;
  #cancelSweep: () => void;
  #closed: Promise<void> | undefined;

  /** Use `openObjectStore`. */
  constructor(store: Store, options: ObjectStoreOptions) {
    this.#store = store;
    this.#options = options;
    this.#history = options.history ?? defaultHistory;
    this.#lastRevision = store.firstRevision - 1;
    this.#rings = new Map(
      Object.entries(options.rings ?? defaultRings).map(([name, limits]) => [name, new EventRing(limits)]),
    );
    this.#commits = new GroupCommit(store, {
      committed: (batch) => this.#publish(batch),
      refused: (writes, error) => this.#rollBack(writes, error),
    });
    this.#cancelSweep = options.clock.after(sweepMs, () => this.#sweep());
  }

  /** Puts in place what the disk held. */
  restore(collection: string, key: string, stored: StoredObject): void {
    this.#collection(collection).load(key, stored);
    // How old it is was not kept: its time starts anew.
    this.#rings.get(collection)?.wrote(key, this.#options.clock.monotonic());
  }

  get(collection: string, key: string): StoredObject | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  list(collection: string, namespace?: string): readonly StoredObject[] {
    return this.#collections.get(collection)?.list(namespace) ?? [];
  }

  collections(): readonly string[] {
    return [...this.#collections]
      .filter(([, { size }]) => size > 0)
      .map(([name]) => name)
      .sort();
  }

  /** How many watches of a collection are open. */
  watchers(collection: string): number {
    return this.#collections.get(collection)?.watchers ?? 0;
  }

  revision(collection: string): number {
    const { firstPending } = this.#commits;
    return firstPending === undefined || this.#options.volatile(collection) ? this.#lastRevision : firstPending - 1;
  }

  watch(collection: string, options: Parameters<Objects["watch"]>[1]): AsyncIterable<readonly Change[]> {
    const { since, namespace, key } = options;
    const signal = this.#closed ? AbortSignal.abort() : options.signal;
    return this.#collection(collection).watch(since || undefined, { namespace, key }, signal);
  }

  async write(
    collection: string,
    key: string,
    change: (current: StoredObject | undefined) => Mutation,
  ): Promise<WriteResult> {
    if (this.#closed) throw new StoreError("StoreWriteFailed", "the store is closed");
    const base = this.#pending.get(rowKey(collection, key));
    const current = base ? base.result : this.get(collection, key);
    const mutation = change(current);
    if (mutation === undefined || (mutation === "delete" && !current)) {
      await base?.done.promise;
      return { stored: current, previous: current };
    }
    const made = this.#makeChange(current, mutation);
    const result = made.type === "DELETED" ? undefined : made.stored;
    if (this.#options.volatile(collection)) this.#writeVolatile(collection, key, made);
    else {
      const done = Promise.withResolvers<void>();
      const pending = { collection, key, change: made, result, base, done };
      this.#pending.set(rowKey(collection, key), pending);
      this.#commits.enqueue(pending);
      await done.promise;
    }
    return { stored: result, previous: current };
  }

  /** Ends the watches, writes what waits and closes the store. Later writes are refused. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#cancelSweep();
    this.#cancelFlush?.();
    for (const collection of this.#collections.values()) collection.close();
    await this.#commits.flush();
    if (this.#commits.hasUnsaved) this.#options.log.warn({}, "volatile writes were lost at close");
    await this.#store.close();
  }

  #collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (!collection) {
      collection = new Collection(this.#history, this.#store.firstRevision - 1);
      this.#collections.set(name, collection);
    }
    return collection;
  }

  #makeChange(current: StoredObject | undefined, mutation: JsonObject | "delete"): Change {
    if (this.#exhausted) throw new StoreError("StoreWriteFailed", "the disk is too far behind");
    const deleted = mutation === "delete";
    const stored = stamped(deleted ? (current?.object ?? {}) : mutation, this.#lastRevision + 1, this.#options.freeze);
    // Now, so that a value that cannot be written fails this call alone and uses up no revision.
    const bytes = deleted ? 0 : stored.encoded().byteLength;
    if (bytes > MAX_OBJECT_BYTES && !isBeingDeleted(stored.object)) throw new ObjectTooLarge(bytes);
    this.#lastRevision = stored.revision;
    return { type: deleted ? "DELETED" : current ? "MODIFIED" : "ADDED", stored, previous: current };
  }

  /** One more revision would not be safe against a kill. */
  get #exhausted(): boolean {
    return this.#lastRevision + 1 >= this.#commits.confirmed + revisionHeadroom;
  }

  #writeVolatile(collection: string, key: string, change: Change): void {
    const { type, stored } = change;
    this.#collection(collection).apply(key, change);
    this.#commits.save({
      key: rowKey(collection, key),
      revision: stored.revision,
      value: type === "DELETED" ? null : stored.encoded(),
    });
    this.#flushLater();
    const ring = this.#rings.get(collection);
    if (type === "DELETED") ring?.removed(key);
    else this.#expire(collection, ring?.wrote(key, this.#options.clock.monotonic()));
  }

  #expire(collection: string, key: string | undefined): void {
    const current = key === undefined ? undefined : this.get(collection, key);
    if (key === undefined || !current || this.#exhausted) return;
    this.#writeVolatile(collection, key, this.#makeChange(current, "delete"));
  }

  #sweep(): void {
    let more = false;
    for (const [collection, ring] of this.#rings) {
      const keys = ring.expired(this.#options.clock.monotonic(), sweepCount);
      for (const key of keys) this.#expire(collection, key);
      more ||= keys.length === sweepCount;
    }
    this.#cancelSweep = this.#options.clock.after(more ? 0 : sweepMs, () => this.#sweep());
  }

  #flushLater(): void {
    this.#cancelFlush ??= this.#options.clock.after(flushMs, () => {
      this.#cancelFlush = undefined;
      void this.#commits.flush().then(() => {
        if (this.#commits.hasUnsaved && !this.#closed) this.#flushLater();
      });
    });
  }

  #publish(batch: readonly PendingWrite[]): void {
    for (const write of batch) {
      this.#collection(write.collection).apply(write.key, write.change);
      this.#forget(write);
    }
  }

  #rollBack(writes: readonly PendingWrite[], error: unknown): void {
    this.#options.log.error({ error, writes: writes.length }, "store commit failed");
    for (const write of writes) this.#forget(write);
  }

  #forget(write: PendingWrite): void {
    const row = rowKey(write.collection, write.key);
    if (this.#pending.get(row) === write) this.#pending.delete(row);
  }
}

const isBeingDeleted = ({ metadata }: JsonObject): boolean =>
  isJsonObject(metadata) && metadata.deletionTimestamp !== undefined;
