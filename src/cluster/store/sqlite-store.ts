/** `Store` on SQLite. The database lives in a worker thread: the event loop hands over batches and never waits for the disk. */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { type Clock, systemClock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Opened, Reply, Request, Slice, WorkerOptions } from "./sqlite-worker.ts";
import { type Store, type StoredRow, StoreError, type StoreWrite } from "./store.ts";

export interface SqliteStoreOptions {
  readonly log: Logger;
  readonly clock?: Clock;
  /** For tests: every commit takes this many milliseconds longer. */
  readonly delayCommitMs?: number;
}

const sliceRows = 200;
/** A commit that takes longer than this is worth a line in the log. */
const slowCommitMs = 1_000;

/**
 * Opens the store in `folder`, which is created (mode 0700) when absent. Files: `objects.db`, `objects.db-wal`, `objects.marker`.
 * Rejects with `StoreError`: in use, too new, read-only or damaged. A commit cut short by a crash was never confirmed and is dropped.
 */
export async function openSqliteStore(folder: string, options: SqliteStoreOptions): Promise<Store> {
  const { log, clock = systemClock, delayCommitMs = 0 } = options;
  const workerData: WorkerOptions = { folder, delayCommitMs };
  // Beside a bundle stands the bundled worker.
  const program = new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url);
  const thread = new Thread(new Worker(program, { workerData, execArgv: [] }));
  try {
    const { firstRevision, discardedFrames } = (await thread.ask({ op: "open" })) as Opened;
    if (discardedFrames > 0) log.warn({ folder, discardedFrames }, "write-ahead log ended in an incomplete commit");
    return new SqliteStore(thread, firstRevision, clock, log);
  } catch (error) {
    await thread.end();
    throw error;
  }
}

class SqliteStore implements Store {
  readonly firstRevision: number;
  readonly #thread: Thread;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(thread: Thread, firstRevision: number, clock: Clock, log: Logger) {
    this.#thread = thread;
    this.firstRevision = firstRevision;
    this.#clock = clock;
    this.#log = log;
  }

  async *load(): AsyncGenerator<readonly StoredRow[]> {
    for (let after = 0; ; ) {
      const { rows, last } = (await this.#thread.ask({ op: "slice", after, limit: sliceRows })) as Slice;
      if (rows.length === 0) return;
      yield rows;
      after = last;
    }
  }

  async commit(writes: readonly StoreWrite[]): Promise<void> {
    const started = this.#clock.monotonic();
    await this.#thread.ask({ op: "commit", writes: writes.map(detached) });
    const ms = Math.round(this.#clock.monotonic() - started);
    if (ms >= slowCommitMs) this.#log.warn({ ms, writes: writes.length }, "store commit was slow");
  }

  async close(): Promise<void> {
    if (!this.#thread.ended) await this.#thread.ask({ op: "close" });
    await this.#thread.end();
  }
}

/** Posting a view copies all of its buffer, so a slice of a larger one is cut out first. */
function detached(write: StoreWrite): StoreWrite {
  const { value } = write;
  return value && value.byteLength !== value.buffer.byteLength ? { ...write, value: value.slice() } : write;
}

/** Questions to a worker that answers in order. Once it has ended, every question is refused. */
class Thread {
  readonly #worker: Worker;
  readonly #waiting: PromiseWithResolvers<unknown>[] = [];
  #ended: StoreError | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    // A channel hands on what has arrived until nothing is left: with a thread that is as fast as those who ask, nothing else would
    // ever have its turn, and no socket be read. So each answer waits for a turn of its own, and the end for those before it.
    worker.on("message", (reply: Reply) => setImmediate(() => this.#hear(reply)));
    worker.on("error", (cause) => setImmediate(() => this.#fail("failed", cause)));
    worker.on("exit", () => setImmediate(() => this.#fail("ended")));
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  ask(request: Request): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const asked = Promise.withResolvers<unknown>();
    this.#waiting.push(asked);
    this.#worker.postMessage(request);
    return asked.promise;
  }

  #hear(reply: Reply): void {
    const asked = this.#waiting.shift();
    if (reply.ok) asked?.resolve(reply.value);
    else asked?.reject(new StoreError(reply.code, reply.message, { cause: reply.cause }));
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(how: string, cause?: unknown): void {
    this.#ended ??= new StoreError("StoreWriteFailed", `the thread of the store ${how}`, { cause });
    for (const asked of this.#waiting.splice(0)) asked.reject(this.#ended);
  }
}
