import { revisionHeadroom, type Store, type StoredRow, StoreError, type StoreWrite } from "./store.ts";

/** What tests put between a commit and its success. */
export interface MemoryStoreFaults {
  /** Awaited before each commit: a slow disk, or a gate. A rejection fails the commit. */
  beforeCommit?: (writes: readonly StoreWrite[]) => Promise<void> | void;
  /** Awaited after the rows are in place and before the answer: where a crash leaves a commit done but not confirmed. */
  afterCommit?: (writes: readonly StoreWrite[]) => Promise<void> | void;
}

/** The `Store` port in memory, for tests: `reopen` gives what a new process would find after a kill at this moment. */
export class MemoryStore implements Store {
  readonly firstRevision: number;
  readonly #rows: Map<string, StoredRow>;
  readonly #faults: MemoryStoreFaults;
  #reserved: number;
  #closed = false;
  #written = false;

  constructor(faults: MemoryStoreFaults = {}, rows: Iterable<StoredRow> = [], reserved = 1) {
    this.#rows = new Map([...rows].map((row) => [row.key, row]));
    this.#faults = faults;
    this.firstRevision = reserved + 1;
    this.#reserved = this.firstRevision + revisionHeadroom;
  }

  /** The commit under way has reached the rows. */
  get written(): boolean {
    return this.#written;
  }

  get rows(): ReadonlyMap<string, StoredRow> {
    return this.#rows;
  }

  async *load(): AsyncGenerator<readonly StoredRow[]> {
    for (const row of [...this.#rows.values()]) yield [row];
  }

  async commit(writes: readonly StoreWrite[]): Promise<void> {
    if (this.#closed) throw new StoreError("StoreWriteFailed", "the store is closed");
    try {
      await this.#faults.beforeCommit?.(writes);
    } catch (cause) {
      throw new StoreError("StoreWriteFailed", "the store refused a write", { cause });
    }
    for (const { key, revision, value } of writes) {
      this.#reserved = Math.max(this.#reserved, revision + revisionHeadroom);
      if (value === null) this.#rows.delete(key);
      else this.#rows.set(key, { key, revision, value });
    }
    this.#written = true;
    await this.#faults.afterCommit?.(writes);
    this.#written = false;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  /** This one is dead from now on: what it still had to write is lost. */
  reopen(faults: MemoryStoreFaults = {}): MemoryStore {
    this.#closed = true;
    return new MemoryStore(faults, this.#rows.values(), this.#reserved);
  }
}
