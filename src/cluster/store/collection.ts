import { ChangeHistory } from "./change-history.ts";
import { type Change, RevisionExpired, type StoredObject } from "./objects.ts";
import { inScope, WatchHub, type WatchScope } from "./watch-hub.ts";

/** The committed objects of one collection in order of their keys, with its history and its watchers. */
export class Collection {
  readonly #byKey = new Map<string, StoredObject>();
  /** Parallel to `#versions`; sorted, unless `#unsorted`. */
  #keys: string[] = [];
  #versions: StoredObject[] = [];
  #unsorted = false;
  /** A reader holds `#versions`: the next change copies it first. */
  #shared = false;
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
    this.#unsorted = true;
  }

  list(namespace?: string): readonly StoredObject[] {
    this.#sort();
    if (namespace === undefined) {
      this.#shared = true;
      return this.#versions;
    }
    // "/" is followed by "0": everything between starts with the namespace and its slash.
    return this.#versions.slice(this.#position(`${namespace}/`), this.#position(`${namespace}0`));
  }

  /** Makes a committed change visible. Changes of a collection come in order of their revisions. */
  apply(key: string, change: Change): void {
    this.#sort();
    if (this.#shared) {
      this.#versions = [...this.#versions];
      this.#shared = false;
    }
    const at = this.#position(key);
    const there = this.#keys[at] === key ? 1 : 0;
    if (change.type === "DELETED") {
      this.#byKey.delete(key);
      this.#keys.splice(at, there);
      this.#versions.splice(at, there);
    } else {
      this.#byKey.set(key, change.stored);
      if (there) this.#versions[at] = change.stored;
      else {
        this.#keys.splice(at, 0, key);
        this.#versions.splice(at, 0, change.stored);
      }
    }
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

  #sort(): void {
    if (!this.#unsorted) return;
    this.#keys = [...this.#byKey.keys()].sort();
    this.#versions = this.#keys.map((key) => this.#byKey.get(key)!);
    this.#unsorted = false;
  }
}
