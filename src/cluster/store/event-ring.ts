/** Bounds of a collection that is a record of what happened: the newest `limit` objects, each for `ttlMs` after its last write. */
export interface RingLimits {
  readonly limit: number;
  readonly ttlMs: number;
}

/** Which keys of a bounded collection are over its limits. */
export class EventRing {
  readonly #limits: RingLimits;
  /** When each key was last written, the longest ago first. */
  readonly #written = new Map<string, number>();

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  /** Notes a write at `now`; the answer is a key that must go to make room. */
  wrote(key: string, now: number): string | undefined {
    this.#written.delete(key);
    this.#written.set(key, now);
    if (this.#written.size <= this.#limits.limit) return undefined;
    const [oldest] = this.#written.keys();
    return oldest;
  }

  removed(key: string): void {
    this.#written.delete(key);
  }

  /** At most `count` keys whose time is over at `now`. */
  expired(now: number, count: number): string[] {
    const keys: string[] = [];
    for (const [key, written] of this.#written) {
      if (keys.length >= count || now - written < this.#limits.ttlMs) break;
      keys.push(key);
    }
    return keys;
  }
}
