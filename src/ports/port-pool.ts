import type { PortRange } from "./port-range.ts";

/**
 * The ports of one range and how many servers hold each. The least used are handed out first: while there are ports enough,
 * any node can take any server; after that a port is shared by as few servers as possible, each needing a node of its own.
 *
 * `take` and `put` are O(1): ports of equal use stand in one bucket, and know their place in it.
 */
export class PortPool {
  readonly range: PortRange;
  readonly #random: () => number;
  /** Use count and place in its bucket, by offset from `range.min`. */
  readonly #uses: Uint32Array;
  readonly #place: Uint32Array;
  readonly #buckets: number[][];
  #lowest = 0;

  /** `random` gives a number in [0, 1). */
  constructor(range: PortRange, random: () => number) {
    this.range = range;
    this.#random = random;
    const size = range.max - range.min + 1;
    this.#uses = new Uint32Array(size);
    this.#place = Uint32Array.from({ length: size }, (_, offset) => offset);
    this.#buckets = [Array.from({ length: size }, (_, offset) => offset)];
  }

  has(port: number): boolean {
    return port >= this.range.min && port <= this.range.max;
  }

  /** How many servers hold `port`. */
  uses(port: number): number {
    return this.#uses[port - this.range.min] ?? 0;
  }

  /**
   * Takes `count` least used ports, none of them in `except`: O(count + size of `except`). Fewer when the range has no others.
   * Those of one use follow one another from a random place on.
   */
  take(count: number, except: ReadonlySet<number>): readonly number[] {
    const taken: number[] = [];
    for (let level = this.#lowest; level < this.#buckets.length && taken.length < count; level++) {
      const bucket = this.#buckets[level] ?? [];
      const start = Math.floor(this.#random() * bucket.length);
      for (let step = 0; step < bucket.length && taken.length < count; step++) {
        const port = this.range.min + (bucket[(start + step) % bucket.length] ?? 0);
        if (!except.has(port)) taken.push(port);
      }
    }
    // Only now, since holding a port moves it to the next bucket.
    for (const port of taken) this.hold(port);
    return taken;
  }

  /** Counts one more holder of `port`, which must be in the range. */
  hold(port: number): void {
    this.#move(port - this.range.min, 1);
  }

  /** Counts one holder less. */
  put(port: number): void {
    this.#move(port - this.range.min, -1);
  }

  #move(offset: number, by: 1 | -1): void {
    const from = this.#uses[offset] ?? 0;
    const to = from + by;
    if (to < 0) throw new RangeError(`port ${offset + this.range.min} was put back more often than taken`);
    const source = this.#buckets[from] ?? [];
    const last = source.pop() ?? offset;
    const place = this.#place[offset] ?? 0;
    if (last !== offset) {
      source[place] = last;
      this.#place[last] = place;
    }
    this.#buckets[to] ??= [];
    const target = this.#buckets[to] ?? [];
    this.#place[offset] = target.length;
    target.push(offset);
    this.#uses[offset] = to;
    if (to < this.#lowest) this.#lowest = to;
    else while (this.#lowest < this.#buckets.length - 1 && this.#buckets[this.#lowest]?.length === 0) this.#lowest++;
  }
}
