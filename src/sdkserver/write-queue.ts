/** When a session writes: at once when it was idle, then at most once an interval, later and later while it fails. */
import type { Clock } from "#runtime/clock.ts";

/**
 * How an attempt went. `done`: nothing is left but what was asked for meanwhile. `again`: the race was lost, and a
 * newer object is already there. `stale`: it was lost, and nobody has seen the newer object yet. `retry`: it failed.
 * `gone`: there is nothing left to write to.
 */
export type WriteOutcome = "done" | "again" | "stale" | "retry" | "gone";

export interface WriteQueueOptions {
  readonly clock: Clock;
  /** Least time between the starts of two writes, in milliseconds. */
  readonly intervalMs: number;
  /** From 0 to 1; spreads the attempts of many servers. */
  readonly random: () => number;
}

/** Longest wait between two attempts: how stale an object may become while the API fails and recovers. */
const MOST_BACKOFF_MS = 5000;

/** The interval while closing. */
const LAST_INTERVAL_MS = 50;

export class WriteQueue {
  readonly #write: () => Promise<WriteOutcome>;
  readonly #options: WriteQueueOptions;
  #running: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  /** When the timer fires. */
  #due = 0;
  #asked = false;
  #waitsForNewer = false;
  #closed = false;
  #closing: (() => void) | undefined;
  #failures = 0;
  #lastStart = Number.NEGATIVE_INFINITY;

  /** `write` makes one attempt with everything that waits; it must not reject. Never two at once. */
  constructor(write: () => Promise<WriteOutcome>, options: WriteQueueOptions) {
    this.#write = write;
    this.#options = options;
  }

  /** Something waits to be written. True when the attempt begins at once, false when it has to wait for anything. */
  request(): boolean {
    this.#asked = true;
    if (this.#closed || this.#running) return false;
    const { clock, intervalMs } = this.#options;
    if (!this.#cancelTimer) this.#schedule(this.#lastStart + intervalMs - clock.monotonic());
    return this.#due <= clock.monotonic();
  }

  /** A newer object was seen: a race that was lost can be run again. */
  refresh(): void {
    if (!this.#waitsForNewer || this.#running || this.#closed) return;
    this.#schedule(0);
  }

  /** Writes what waits without pausing; resolves when that is done or `budgetMs` have passed. Then nothing is written any more. */
  async close(budgetMs: number): Promise<void> {
    if (this.#asked || this.#running) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = this.#options.clock.after(budgetMs, resolve);
      this.#closing = resolve;
      if (!this.#running) this.#schedule(0);
      await promise;
      cancel();
    }
    this.abandon();
  }

  /** Drops what waits; nothing is written any more. */
  abandon(): void {
    this.#closed = true;
    this.#asked = false;
    this.#cancelTimer?.();
    this.#closing?.();
  }

  #schedule(delayMs: number): void {
    const { clock } = this.#options;
    this.#cancelTimer?.();
    this.#due = clock.monotonic() + Math.max(0, delayMs);
    this.#cancelTimer = clock.after(Math.max(0, delayMs), () => {
      this.#running = this.#attempt();
    });
  }

  async #attempt(): Promise<void> {
    this.#cancelTimer = undefined;
    this.#asked = false;
    this.#waitsForNewer = false;
    this.#lastStart = this.#options.clock.monotonic();
    const outcome = await this.#write();
    this.#running = undefined;
    this.#failures = outcome === "done" ? 0 : this.#failures + 1;
    if (outcome === "gone") return this.abandon();
    if (outcome !== "done") this.#asked = true;
    if (!this.#asked) this.#closing?.();
    if (!this.#asked || this.#closed) return;
    this.#waitsForNewer = outcome === "stale";
    this.#schedule(this.#delayAfter(outcome));
  }

  #delayAfter(outcome: WriteOutcome): number {
    const { clock, random } = this.#options;
    const intervalMs = this.#closing ? LAST_INTERVAL_MS : this.#options.intervalMs;
    if (outcome === "done") return this.#lastStart + intervalMs - clock.monotonic();
    // Others' writes bound how often this happens.
    if (outcome === "again") return 0;
    const backoff = Math.min(MOST_BACKOFF_MS, Math.max(intervalMs, 1) * 2 ** (this.#failures - 1));
    return backoff * (0.5 + random() / 2);
  }
}
