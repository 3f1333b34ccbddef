/** How many answers one sender gets. */
import type { Clock } from "#runtime/clock.ts";
import { TokenBucket, type TokenBucketOptions } from "#runtime/token-bucket.ts";

export interface RateLimitOptions {
  /** Answers per second for one sender. As many whole ones may come at once, so less than one allows none. */
  readonly perSecond: number;
  /** Senders that are remembered; of more, those heard of longer ago are forgotten. Default 65,536: some 10 MB. */
  readonly most?: number;
  readonly clock: Pick<Clock, "monotonic">;
}

const MOST_SENDERS = 65_536;

/** A token bucket for each sender. */
export class RateLimit {
  readonly #rate: TokenBucketOptions;
  readonly #most: number;
  readonly #clock: Pick<Clock, "monotonic">;
  /** Senders heard of since the last turn, and those heard of before: two tables that change places cost the same at any size. */
  #recent = new Map<string, TokenBucket>();
  #earlier = new Map<string, TokenBucket>();

  constructor({ perSecond, most = MOST_SENDERS, clock }: RateLimitOptions) {
    this.#rate = { burst: Math.floor(perSecond), refillMs: 1000 / perSecond };
    this.#most = most;
    this.#clock = clock;
  }

  /** Whether the sender may be answered now; if so, one of its answers is used up. */
  allows(sender: string): boolean {
    if (this.#rate.burst < 1) return false;
    const bucket = this.#recent.get(sender) ?? this.#taken(sender) ?? new TokenBucket(this.#rate, this.#clock);
    this.#recent.set(sender, bucket);
    if (this.#recent.size >= this.#most / 2) this.sweep();
    return bucket.take();
  }

  /** Forgets senders not heard of since the sweep before. Full again after a second, their buckets are as new. */
  sweep(): void {
    this.#earlier = this.#recent;
    this.#recent = new Map();
  }

  /** Senders that are remembered. */
  get size(): number {
    return this.#recent.size + this.#earlier.size;
  }

  #taken(sender: string): TokenBucket | undefined {
    const bucket = this.#earlier.get(sender);
    if (bucket) this.#earlier.delete(sender);
    return bucket;
  }
}
