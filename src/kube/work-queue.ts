import type { Clock } from "#runtime/clock.ts";
import type { WorkQueueMetrics } from "#runtime/metrics.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/**
 * Keys that want work. It promises:
 *
 * - **Never twice at once.** A key that a worker holds is not handed out again before `done`.
 * - **Never lost.** A key added while a worker holds it is handed out once more after `done`.
 * - **Stingy.** A key added many times before a worker takes it is handed out once.
 * - **Fair.** Keys are handed out in the order they came; one added while held goes to the end after `done`.
 * - **A change is not a failure.** `add` waits for nothing and counts no attempt; only `retry` asks the limiter for a delay.
 * - **The earlier time counts.** Of several delayed adds of a key the earliest is kept, and an `add` before it does not cancel it.
 * - **An end.** After `shutDown` nothing more is accepted and delayed keys are dropped; what waits is still handed out.
 */
export interface WorkQueue {
  /** The queue's name in metrics. */
  readonly name: string;
  /** Keys waiting for a worker. */
  readonly depth: number;
  add(key: string): void;
  addAfter(key: string, ms: number): void;
  /** The key failed: adds it after the limiter's delay. */
  retry(key: string): void;
  /** The key succeeded: its failures no longer count. */
  forget(key: string): void;
  /** The next key, as soon as there is one; `undefined` when the queue has ended. Every key taken needs a `done`. */
  take(): Promise<string | undefined>;
  done(key: string): void;
  /** Ends the queue; resolves when nothing waits and no worker holds a key. */
  shutDown(): Promise<void>;
}

export interface WorkQueueOptions {
  readonly name: string;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly metrics?: WorkQueueMetrics;
}

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new KeyQueue(options);
}

class KeyQueue implements WorkQueue {
  readonly name: string;
  readonly #limiter: RateLimiter;
  readonly #clock: Clock;
  readonly #metrics: WorkQueueMetrics | undefined;
  /** Keys in the order they came, from `#head` on; `#since` holds the same keys and since when each waits. */
  #order: string[] = [];
  #head = 0;
  readonly #since = new Map<string, number>();
  /** Keys that workers hold, since when, and whether they were added meanwhile. */
  readonly #held = new Map<string, { readonly since: number; again?: number }>();
  readonly #delayed = new Map<string, { readonly due: number; readonly cancel: () => void }>();
  /** Workers that wait, the longest first. */
  #takers: ((key: string | undefined) => void)[] = [];
  #ended: PromiseWithResolvers<void> | undefined;

  constructor({ name, limiter, clock, metrics }: WorkQueueOptions) {
    this.name = name;
    this.#limiter = limiter;
    this.#clock = clock;
    this.#metrics = metrics;
    metrics?.opened({
      name,
      depth: () => this.depth,
      inHand: () => [...this.#held.values()].map(({ since }) => (clock.monotonic() - since) / 1000),
    });
  }

  get depth(): number {
    return this.#since.size;
  }

  add(key: string): void {
    if (this.#ended) return;
    const held = this.#held.get(key);
    if (this.#since.has(key) || held?.again !== undefined) return;
    this.#metrics?.added(this.name);
    if (held) held.again = this.#clock.monotonic();
    else this.#enqueue(key, this.#clock.monotonic());
  }

  addAfter(key: string, ms: number): void {
    if (this.#ended) return;
    this.#metrics?.retried(this.name);
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const due = this.#clock.monotonic() + ms;
    const delayed = this.#delayed.get(key);
    if (delayed && delayed.due <= due) return;
    delayed?.cancel();
    const cancel = this.#clock.after(ms, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { due, cancel });
  }

  retry(key: string): void {
    this.addAfter(key, this.#limiter.delayOf(key));
  }

  forget(key: string): void {
    this.#limiter.forget(key);
  }

  async take(): Promise<string | undefined> {
    const key = this.#shift();
    if (key !== undefined || this.#ended) return key;
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: string): void {
    const held = this.#held.get(key);
    if (!held) return;
    this.#held.delete(key);
    this.#metrics?.done(this.name, (this.#clock.monotonic() - held.since) / 1000);
    if (held.again !== undefined) this.#enqueue(key, held.again);
    this.#endIfDrained();
  }

  shutDown(): Promise<void> {
    if (!this.#ended) {
      this.#ended = Promise.withResolvers();
      for (const { cancel } of this.#delayed.values()) cancel();
      this.#delayed.clear();
      for (const taker of this.#takers) taker(undefined);
      this.#takers = [];
    }
    this.#endIfDrained();
    return this.#ended.promise;
  }

  #enqueue(key: string, since: number): void {
    this.#since.set(key, since);
    this.#order.push(key);
    const taker = this.#takers.shift();
    if (taker) taker(this.#shift());
  }

  #shift(): string | undefined {
    const key = this.#order[this.#head];
    if (key === undefined) return undefined;
    this.#head++;
    if (this.#head > 1024 && this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
    const now = this.#clock.monotonic();
    this.#metrics?.taken(this.name, (now - (this.#since.get(key) ?? now)) / 1000);
    this.#since.delete(key);
    this.#held.set(key, { since: now });
    return key;
  }

  #endIfDrained(): void {
    if (this.#ended && this.#since.size === 0 && this.#held.size === 0) this.#ended.resolve();
  }
}
