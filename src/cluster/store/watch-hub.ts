import { type Change, RevisionExpired } from "./objects.ts";

/** What a watcher wants to see of a collection. */
export interface WatchScope {
  readonly namespace?: string;
  readonly key?: string;
}

export const namespaceOf = (key: string): string => key.slice(0, key.indexOf("/"));

export function inScope({ namespace, key }: WatchScope, changed: string): boolean {
  if (key !== undefined && key !== changed) return false;
  return namespace === undefined || namespace === namespaceOf(changed);
}

/**
 * The watchers of one collection, by what they watch: a change costs as many deliveries as it has watchers,
 * however many others there are.
 */
export class WatchHub {
  readonly #limit: number;
  readonly #all = new Set<Watcher>();
  readonly #byNamespace = new Map<string, Set<Watcher>>();
  readonly #byKey = new Map<string, Set<Watcher>>();

  /** A watcher that has more than `limit` changes waiting is ended with `RevisionExpired`. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many watchers there are. */
  get size(): number {
    const count = (groups: Map<string, Set<Watcher>>) => [...groups.values()].reduce((sum, { size }) => sum + size, 0);
    return this.#all.size + count(this.#byNamespace) + count(this.#byKey);
  }

  deliver(key: string, change: Change): void {
    for (const watcher of this.#all) watcher.push(change);
    for (const watcher of this.#byNamespace.get(namespaceOf(key)) ?? []) watcher.push(change);
    for (const watcher of this.#byKey.get(key) ?? []) if (inScope(watcher.scope, key)) watcher.push(change);
  }

  /** A watcher that first gets `missed`. Ends when `signal` aborts. */
  watch(scope: WatchScope, missed: readonly Change[], signal: AbortSignal): AsyncIterable<readonly Change[]> {
    const leave = () => {
      signal.removeEventListener("abort", end);
      this.#remove(watcher);
    };
    const watcher = new Watcher(scope, [...missed], this.#limit, leave);
    const end = () => watcher.end();
    this.#add(watcher);
    if (signal.aborted) watcher.end();
    else signal.addEventListener("abort", end, { once: true });
    return watcher;
  }

  /** Ends all watchers. */
  close(): void {
    const groups = [this.#all, ...this.#byNamespace.values(), ...this.#byKey.values()];
    for (const watcher of groups.flatMap((group) => [...group])) watcher.end();
  }

  #add(watcher: Watcher): void {
    const [groups, value] = this.#place(watcher.scope);
    if (!groups) this.#all.add(watcher);
    else groups.set(value, (groups.get(value) ?? new Set()).add(watcher));
  }

  #remove(watcher: Watcher): void {
    const [groups, value] = this.#place(watcher.scope);
    if (!groups) this.#all.delete(watcher);
    else if (groups.get(value)?.delete(watcher) && groups.get(value)?.size === 0) groups.delete(value);
  }

  #place({ namespace, key }: WatchScope): [Map<string, Set<Watcher>> | undefined, string] {
    if (key !== undefined) return [this.#byKey, key];
    return namespace === undefined ? [undefined, ""] : [this.#byNamespace, namespace];
  }
}

/**
 * One reader. Changes wait in a buffer; each turn takes all of them at once, so a reader that is busy gets fewer and larger batches.
 * A reader that waits is woken before any timer or socket has its turn.
 */
class Watcher implements AsyncIterableIterator<readonly Change[]> {
  readonly scope: WatchScope;
  readonly #limit: number;
  readonly #leave: () => void;
  #buffer: Change[];
  #wake: (() => void) | undefined;
  #ended = false;
  #failure: RevisionExpired | undefined;

  constructor(scope: WatchScope, buffer: Change[], limit: number, leave: () => void) {
    this.scope = scope;
    this.#buffer = buffer;
    this.#limit = limit;
    this.#leave = leave;
  }

  push(change: Change): void {
    if (this.#buffer.length >= this.#limit) {
      this.#failure = new RevisionExpired(`the watch fell more than ${this.#limit} changes behind`);
      this.end();
      return;
    }
    this.#buffer.push(change);
    this.#wake?.();
  }

  /** No more changes; what waits is dropped. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#buffer = [];
    this.#leave();
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<readonly Change[]>> {
    while (this.#buffer.length === 0 && !this.#ended) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure;
    if (this.#ended) return { done: true, value: undefined };
    const value = this.#buffer;
    this.#buffer = [];
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<readonly Change[]>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
