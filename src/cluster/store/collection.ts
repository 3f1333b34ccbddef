import { ChangeHistory } from "./change-history.ts";
import { type Change, RevisionExpired, type StoredObject } from "./objects.ts";
import { inScope, WatchHub, type WatchScope } from "./watch-hub.ts";

/**
 * The committed objects of one collection, with its history and its watchers. They are put in the order of their keys when a list is
 * read: changes are many, and many lists are few.
 */
export class Collection {
  readonly #byKey = new Map<string, StoredObject>();
  /** All keys when a list was last read, sorted. */
  #keys: readonly string[] = [];
  /** Keys that have come since then. */
  readonly #added = new Set<string>();
  /** Some of `#keys` have gone since then. */
  #lacking = false;
  /** All objects by their keys' order, until the next change. */
  #list: readonly StoredObject[] | undefined;
  readonly #history: ChangeHistory;
  readonly #hub: WatchHub;

  /** Keeps `history` changes; those up to `floor` are not known. */
  constructor(history: number, floor: number) {
    this.#history = new ChangeHistory(history, floor);
    this.#hub = new WatchHub(history);
  }

  get size(): number {
    return this.#byKey.size;
  }

  get watchers(): number {
    return this.#hub.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#byKey.get(key);
  }

  /** Puts an object in place at start, telling nobody. */
  load(key: string, stored: StoredObject): void {
    this.#byKey.set(key, stored);
    this.#added.add(key);
  }

  list(namespace?: string): readonly StoredObject[] {
    this.#sort();
    if (namespace === undefined) {
      this.#list ??= this.#objectsAt(this.#keys);
      return this.#list;
    }
    // "/" is followed by "0": everything between starts with the namespace and its slash.
    return this.#objectsAt(this.#keys.slice(this.#position(`${namespace}/`), this.#position(`${namespace}0`)));
  }

  /** Makes a committed change visible. Changes of a collection come in order of their revisions. */
  apply(key: string, change: Change): void {
    if (change.type === "DELETED") {
      this.#byKey.delete(key);
      if (!this.#added.delete(key)) this.#lacking = true;
    } else {
      if (!this.#byKey.has(key)) this.#added.add(key);
      this.#byKey.set(key, change.stored);
    }
    this.#list = undefined;
    this.#history.add({ key, change });
    this.#hub.deliver(key, change);
  }

  /** Changes after `since` (absent: later ones only). Throws `RevisionExpired`. */
  watch(since: number | undefined, scope: WatchScope, signal: AbortSignal): AsyncIterable<readonly Change[]> {
    const missed = since === undefined ? [] : this.#history.after(since);
    if (!missed) throw new RevisionExpired(`too old resource version: ${since}`);
    const wanted = missed.filter(({ key }) => inScope(scope, key)).map(({ change }) => change);
    return this.#hub.watch(scope, wanted, signal);
  }

  close(): void {
    this.#hub.close();
  }

  /** Where `key` stands, or would stand. */
  #position(key: string): number {
    let low = 0;
    for (let high = this.#keys.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.#keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What came is put among what was there. */
  #sort(): void {
    if (this.#added.size === 0 && !this.#lacking) return;
    const added = [...this.#added].sort();
    const keys: string[] = [];
    let next = 0;
    for (const key of this.#keys) {
      if (!this.#byKey.has(key) || this.#added.has(key)) continue;
      while (next < added.length && added[next]! < key) keys.push(added[next++]!);
      keys.push(key);
    }
    this.#keys = keys.concat(added.slice(next));
    this.#added.clear();
    this.#lacking = false;
  }

  #objectsAt(keys: readonly string[]): readonly StoredObject[] {
    return keys.map((key) => this.#byKey.get(key)!);
  }
}
