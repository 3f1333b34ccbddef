import { setTimeout as delay } from "node:timers/promises";

/** Where time comes from. Everything that waits or stamps takes one; tests hand in `FakeClock`. */
export interface Clock {
  /** Milliseconds since 1970, UTC; may jump. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. For durations and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `callback` once after `ms`; the returned function cancels. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // `performance` would load a module of its own for it.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    await delay(ms, undefined, { signal }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    });
  },
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** RFC 3339 in UTC with whole seconds, as `metav1.Time` prints it. */
export function rfc3339(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

interface Waiting {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that moves only when told to. `advance` fires what falls due, in order, letting promises settle in between. */
export class FakeClock implements Clock {
  #now: number;
  readonly #start: number;
  #order = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(start: number = Date.UTC(2030, 0, 1)) {
    this.#now = start;
    this.#start = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = this.after(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      const onAbort = () => {
        cancel();
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  after(ms: number, run: () => void): () => void {
    const entry: Waiting = { due: this.#now + Math.max(0, ms), order: this.#order++, run };
    this.#waiting.add(entry);
    return () => this.#waiting.delete(entry);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#waiting.size;
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = [...this.#waiting]
        .filter(({ due }) => due <= end)
        .sort((a, b) => a.due - b.due || a.order - b.order)[0];
      if (!next) break;
      this.#waiting.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.run();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets all promises that are ready run: one turn of the event loop. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
