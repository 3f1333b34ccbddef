import type { Clock } from "#runtime/clock.ts";
import { TokenBucket } from "#runtime/token-bucket.ts";

/** How long a key that failed waits before its next attempt. One limiter belongs to one queue. */
export interface RateLimiter {
  /** Counts one more failure of `key` and says how many milliseconds to wait. */
  delayOf(key: string): number;
  /** The key succeeded: its next failure counts as the first. */
  forget(key: string): void;
  /** Failures counted since the last success. */
  failures(key: string): number;
}

function countingLimiter(delay: (failures: number) => number): RateLimiter {
  const counts = new Map<string, number>();
  return {
    delayOf: (key) => {
      const failures = (counts.get(key) ?? 0) + 1;
      counts.set(key, failures);
      return delay(failures);
    },
    forget: (key) => void counts.delete(key),
    failures: (key) => counts.get(key) ?? 0,
  };
}

/** `fastMs` for the first five failures of a key, `slowMs` for every later one. */
export const fastThenSlow = (fastMs: number, slowMs: number): RateLimiter =>
  countingLimiter((failures) => (failures <= 5 ? fastMs : slowMs));

/** "GS fast": 20 ms five times, then 500 ms. For GameServers. */
export const gameServerLimiter = (): RateLimiter => fastThenSlow(20, 500);

/** "Fast(3s)": 200 ms five times, then 3 s. For GameServerSets, Fleets and FleetAutoscalers. */
export const fastLimiter = (): RateLimiter => fastThenSlow(200, 3000);

/** 5 ms, doubled with every failure of the key, 1,000 s at most. */
export const exponentialLimiter = (): RateLimiter =>
  countingLimiter((failures) => Math.min(5 * 2 ** (failures - 1), 1_000_000));

/**
 * "Default": exponential by key, and over all keys together no more than 10 attempts a second after a burst of 100,
 * whichever is later.
 */
export function defaultLimiter(clock: Clock): RateLimiter {
  const byKey = exponentialLimiter();
  const bucket = new TokenBucket({ burst: 100, refillMs: 100 }, clock);
  return {
    ...byKey,
    delayOf: (key) => Math.max(byKey.delayOf(key), bucket.reserve()),
  };
}
