/**
 * The durable half of the embedded cluster's storage: rows of bytes with a revision, written in batches.
 * `ObjectStore` keeps the objects themselves in memory, on top of this port.
 */
export interface StoredRow {
  /** `GROUP/PLURAL/NAMESPACE/NAME`; empty group and namespace leave empty segments. */
  readonly key: string;
  readonly revision: number;
  /** The object's compact JSON. */
  readonly value: Uint8Array;
}

export interface StoreWrite {
  readonly key: string;
  readonly revision: number;
  /** `null` deletes the row. */
  readonly value: Uint8Array | null;
}

/**
 * How far revisions may run ahead of the disk. A revision may be handed out before it is committed as long as it is less than this
 * above `firstRevision`, or above the highest revision of a confirmed commit: the next `firstRevision` is above all of those.
 */
export const revisionHeadroom = 100_000;

export interface Store {
  /** A revision higher than any that was ever handed out, also by a process that was killed (see `revisionHeadroom`). At least 2: 0 is no revision. */
  readonly firstRevision: number;
  /** All rows, in slices small enough not to hold the event loop. Call once, before the first commit. */
  load(): AsyncIterable<readonly StoredRow[]>;
  /** Writes the batch as one transaction; resolves when it is on disk, and rejects (nothing written) with `StoreError`. One at a time. */
  commit(writes: readonly StoreWrite[]): Promise<void>;
  close(): Promise<void>;
}

export type StoreErrorCode =
  /** Another process has the data folder open. */
  | "StoreInUse"
  /** The folder was written by a newer version of Stadion. */
  | "StoreTooNew"
  /** The folder or file cannot be written. */
  | "StoreReadOnly"
  /** The database is damaged beyond what its log can repair. The message names the file. */
  | "StoreDamaged"
  /** The disk refused a write. */
  | "StoreWriteFailed";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
