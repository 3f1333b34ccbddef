import type { Clock } from "#runtime/clock.ts";

export interface BackoffOptions {
  /** The first wait, in milliseconds; every further one is twice as long. */
  readonly firstMs: number;
  readonly mostMs: number;
  readonly clock: Clock;
  /** From 0 to 1; spreads the waits of many clients between half and all of the delay. */
  readonly random?: () => number;
}

/** Waits longer and longer between attempts at one thing, until `reset`. */
export class Backoff {
  readonly #options: BackoffOptions;
  #delay: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#delay = options.firstMs;
  }

  /** Resolves after the next delay, or at once when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const { mostMs, clock, random = Math.random } = this.#options;
    const delay = this.#delay;
    this.#delay = Math.min(mostMs, delay * 2);
    await clock.sleep(delay * (0.5 + random() / 2), signal).catch(() => {});
  }

  reset(): void {
    this.#delay = this.#options.firstMs;
  }
}
