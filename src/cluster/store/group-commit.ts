/**
 * Durable writes on their way to the disk. One batch is in flight; everything queued meanwhile is the next.
 * Also carries the volatile writes that wait for no one.
 */
import type { Change, StoredObject } from "./objects.ts";
import type { Store, StoreWrite } from "./store.ts";

/** A version that is not on disk yet. */
export interface PendingWrite {
  readonly collection: string;
  readonly key: string;
  readonly change: Change;
  /** What the next write of this key starts from. */
  readonly result: StoredObject | undefined;
  /** The pending version this one was made from; it fails when that one fails. Dropped once this one is decided. */
  base: PendingWrite | undefined;
  readonly done: PromiseWithResolvers<void>;
}

export interface GroupCommitEvents {
  /** The batch is on disk. Runs before its writers are told. */
  committed(batch: readonly PendingWrite[]): void;
  /** These will never be on disk: of a refused batch, or made from a version of one. */
  refused(writes: readonly PendingWrite[], error: unknown): void;
}

export const rowKey = (collection: string, key: string): string => `${collection}/${key}`;

export class GroupCommit {
  readonly #store: Store;
  readonly #events: GroupCommitEvents;
  #queue: PendingWrite[] = [];
  #inFlight: readonly PendingWrite[] = [];
  /** The newest unsaved state of each volatile row. */
  #unsaved = new Map<string, StoreWrite>();
  #running: Promise<void> | undefined;
  /** Highest revision the disk has confirmed. */
  #confirmed: number;

  constructor(store: Store, events: GroupCommitEvents) {
    this.#store = store;
    this.#events = events;
    this.#confirmed = store.firstRevision;
  }

  get confirmed(): number {
    return this.#confirmed;
  }

  /** The oldest revision that is not decided yet. */
  get firstPending(): number | undefined {
    return (this.#inFlight[0] ?? this.#queue[0])?.change.stored.revision;
  }

  get hasUnsaved(): boolean {
    return this.#unsaved.size > 0;
  }

  /** Queues a write; its `done` is settled once the disk has answered. */
  enqueue(write: PendingWrite): void {
    this.#queue.push(write);
    this.#start();
  }

  /** Leaves a volatile row for the next batch, or for `flush`. */
  save(write: StoreWrite): void {
    this.#unsaved.set(write.key, write);
  }

  /** Resolves when all that was queued or left for later has been offered to the disk. */
  async flush(): Promise<void> {
    if (this.#running) await this.#running;
    if (this.hasUnsaved) this.#start();
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // What is written in the same turn of the event loop goes into the first batch.
    await Promise.resolve();
    do {
      const batch = this.#queue;
      this.#queue = [];
      this.#inFlight = batch;
      await this.#commit(batch);
    } while (this.#queue.length > 0);
    // In the same step as the look at the queue: who comes later starts anew.
    this.#running = undefined;
  }

  async #commit(batch: readonly PendingWrite[]): Promise<void> {
    const unsaved = this.#unsaved;
    this.#unsaved = new Map();
    const rows = new Map(unsaved);
    for (const { collection, key, change, result } of batch) {
      const { revision } = change.stored;
      rows.set(rowKey(collection, key), {
        key: rowKey(collection, key),
        revision,
        value: result ? result.encoded() : null,
      });
    }
    const writes = [...rows.values()];
    try {
      await this.#store.commit(writes);
    } catch (error) {
      for (const [key, write] of unsaved) if (!this.#unsaved.has(key)) this.#unsaved.set(key, write);
      this.#refuse(batch, error);
      return;
    }
    for (const { revision } of writes) this.#confirmed = Math.max(this.#confirmed, revision);
    this.#inFlight = [];
    this.#events.committed(batch);
    for (const write of batch) {
      write.base = undefined;
      write.done.resolve();
    }
  }

  #refuse(batch: readonly PendingWrite[], error: unknown): void {
    const refused = new Set(batch);
    for (const write of this.#queue) if (write.base && refused.has(write.base)) refused.add(write);
    this.#inFlight = [];
    this.#queue = this.#queue.filter((write) => !refused.has(write));
    this.#events.refused([...refused], error);
    for (const { done } of refused) done.reject(error);
  }
}
