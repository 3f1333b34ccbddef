import type { KubeObject } from "#api/meta/object.ts";
import type { Lister } from "./informer.ts";

interface Index<T> {
  readonly values: (object: T) => readonly string[];
  /** By index value, then by key. Empty inner maps are removed. */
  readonly entries: Map<string, Map<string, T>>;
}

/** Objects by key, with indexes that follow every change. */
export class ObjectCache<T extends KubeObject> implements Lister<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  #listed: readonly T[] | undefined;

  addIndex(name: string, values: (object: T) => readonly string[]): void {
    if (this.#indexes.has(name)) throw new Error(`there is already an index ${name}`);
    const index: Index<T> = { values, entries: new Map() };
    for (const [key, object] of this.#objects) enter(index, key, object);
    this.#indexes.set(name, index);
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    this.#listed ??= [...this.#objects.values()];
    return this.#listed;
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`there is no index ${name}`);
    return [...(index.entries.get(value)?.values() ?? [])];
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  set(key: string, object: T): void {
    this.delete(key);
    this.#listed = undefined;
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) enter(index, key, object);
  }

  delete(key: string): void {
    const object = this.#objects.get(key);
    if (!object) return;
    this.#listed = undefined;
    this.#objects.delete(key);
    for (const { values, entries } of this.#indexes.values()) {
      for (const value of values(object)) {
        const keys = entries.get(value);
        keys?.delete(key);
        if (keys?.size === 0) entries.delete(value);
      }
    }
  }
}

function enter<T>({ values, entries }: Index<T>, key: string, object: T): void {
  for (const value of values(object)) {
    const keys = entries.get(value);
    if (keys) keys.set(key, object);
    else entries.set(value, new Map([[key, object]]));
  }
}
