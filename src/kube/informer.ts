import type { KubeObject } from "#api/meta/object.ts";
import type { Runnable } from "#runtime/runnable.ts";

/**
 * What happened to an object in a cache. `old` is the very version that was cached before, on `delete` too: what handlers were told
 * last, so that whoever counts takes away exactly what it added.
 * After a gap in the watch the differences found by the new list are reported the same way: nothing is lost,
 * intermediate states may be. A key that was deleted and made again shows as `delete`, then `add`.
 */
export interface InformerHandler<T> {
  add?(object: T): void;
  update?(object: T, old: T): void;
  delete?(old: T): void;
}

/** Reads from a cache: never a request, objects are shared and read-only. */
export interface Lister<T extends KubeObject> {
  /** `namespace/name`, or `name` for cluster-scoped kinds. */
  get(key: string): T | undefined;
  list(): readonly T[];
  /** Objects whose index function gave `value`. */
  byIndex(index: string, value: string): readonly T[];
}

/**
 * One list and watch, shared by all who ask. A watch that broke is resumed where it ended; when the server no longer has that
 * version (410), or refuses for another reason, everything is listed again. Both with back-off.
 */
export interface Informer<T extends KubeObject> extends Runnable {
  readonly lister: Lister<T>;
  /** True once the first list is in the cache and its handlers ran. */
  readonly synced: boolean;
  ready(): Promise<void>;
  /** Handlers run synchronously, in order of registration, after the cache changed. One that throws is logged, others still run. Added late, it first gets `add` for everything cached. */
  addHandler(handler: InformerHandler<T>): () => void;
  /** Call before `run`. */
  addIndex(name: string, values: (object: T) => readonly string[]): void;
}
