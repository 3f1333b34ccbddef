import type { Clock } from "./clock.ts";

/** As many tokens at once as `burst`, and then one more every `refillMs`. A new bucket is full. */
export interface TokenBucketOptions {
  readonly burst: number;
  readonly refillMs: number;
}

/** Keeps what is done within a rate, as client-go's rate limiters do. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  readonly #clock: Pick<Clock, "monotonic">;
  #tokens: number;
  #filled: number;

  constructor(options: TokenBucketOptions, clock: Pick<Clock, "monotonic">) {
    this.#options = options;
    this.#clock = clock;
    this.#tokens = options.burst;
    this.#filled = clock.monotonic();
  }

  /** Takes a token if there is one. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes the next token, which may still be on its way: answers for how many milliseconds. */
  reserve(): number {
    this.#fill();
    this.#tokens--;
    return Math.max(0, -this.#tokens * this.#options.refillMs);
  }

  #fill(): void {
    const { burst, refillMs } = this.#options;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#filled) / refillMs);
    this.#filled = now;
  }
}
