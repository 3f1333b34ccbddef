/** What the API server sees of its storage. `object-store.ts` implements it on a `Store`. */
import type { JsonObject } from "#api/meta/json.ts";

/** One version of an object. Never changes; shared by readers, watchers and in-process clients. */
export interface StoredObject {
  /** With `metadata.resourceVersion` equal to `revision`. */
  readonly object: JsonObject;
  readonly revision: number;
  /** Compact JSON of `object`, made once. */
  readonly encoded: () => Uint8Array;
}

export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The new version; for DELETED the last one, stamped with the revision of the deletion. */
  readonly stored: StoredObject;
  /** The version before; absent for ADDED. Lets a watcher with a selector see objects move in and out. */
  readonly previous?: StoredObject;
}

/** What a write wants: a new version (any `metadata.resourceVersion` in it is replaced), `"delete"`, or `undefined` for no change. */
export type Mutation = JsonObject | "delete" | undefined;

export interface WriteResult {
  /** What is there now: nothing after a deletion. */
  readonly stored: StoredObject | undefined;
  readonly previous: StoredObject | undefined;
}

/** The revision asked for is older than the history that is kept; the client must list again (410 Expired). */
export class RevisionExpired extends Error {
  override readonly name = "RevisionExpired";
  readonly code = "RevisionExpired";
}

/** Most bytes of one object as compact JSON; as etcd holds by default. */
export const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

/** A write would make an object larger than one may be. One that is being deleted may always be written, or it could not go. */
export class ObjectTooLarge extends Error {
  override readonly name = "ObjectTooLarge";
  readonly code = "ObjectTooLarge";

  constructor(bytes: number) {
    super(`the object is too large: it takes ${bytes} bytes, limit is ${MAX_OBJECT_BYTES} bytes`);
  }
}

/**
 * Collections of objects with one revision sequence. A collection is named `GROUP/PLURAL` (`/pods`, `agones.dev/gameservers`);
 * a key in it is `NAMESPACE/NAME` (`/NAME` when cluster-scoped).
 *
 * Reads and watches see committed versions only: nothing is shown that a crash could take back.
 * Volatile collections (Events, Leases) commit at once in memory and reach the disk later, without anybody waiting.
 */
export interface Objects {
  get(collection: string, key: string): StoredObject | undefined;
  /** Ordered by key. `namespace` absent: all. */
  list(collection: string, namespace?: string): readonly StoredObject[];
  /**
   * The revision a list of this collection may be watched from without missing or repeating a change.
   * While a watcher's `next()` waits, the watcher has had all changes up to it: then it is right for a bookmark too.
   */
  revision(collection: string): number;
  /**
   * Hands the newest version, in-flight writes included, to `change` and commits what it returns; resolves once that is durable.
   * `change` is synchronous, so no other write comes between; what it throws rejects the call and changes nothing.
   * Returning `undefined` resolves once the version it saw is durable. Rejects with `ObjectTooLarge`.
   */
  write(collection: string, key: string, change: (current: StoredObject | undefined) => Mutation): Promise<WriteResult>;
  /**
   * Changes after `since` (0: only later ones are promised), in order, in batches that were ready together.
   * Throws `RevisionExpired` at the call, or from the iteration when the reader fell too far behind.
   */
  watch(
    collection: string,
    options: {
      readonly since: number;
      readonly namespace?: string;
      readonly key?: string;
      readonly signal: AbortSignal;
    },
  ): AsyncIterable<readonly Change[]>;
  collections(): readonly string[];
}
