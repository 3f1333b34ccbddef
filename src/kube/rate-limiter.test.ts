import { expect, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import {
  defaultLimiter,
  exponentialLimiter,
  fastLimiter,
  gameServerLimiter,
  type RateLimiter,
} from "./rate-limiter.ts";

const delays = (limiter: RateLimiter, count: number) => Array.from({ length: count }, () => limiter.delayOf("k"));

test.each([
  ["GS fast", gameServerLimiter(), [20, 20, 20, 20, 20, 500, 500]],
  ["Fast(3s)", fastLimiter(), [200, 200, 200, 200, 200, 3000, 3000]],
  ["exponential", exponentialLimiter(), [5, 10, 20, 40, 80, 160, 320]],
] as const)("%s waits as long as its contract says", (_name, limiter, wanted) => {
  expect(delays(limiter, 7)).toEqual(wanted);
});

test("the exponential delay ends at 1,000 s", () => {
  expect(delays(exponentialLimiter(), 2000).at(-1)).toBe(1_000_000);
});

test("a success starts the count anew, for its key alone", () => {
  const limiter = gameServerLimiter();
  delays(limiter, 6);
  limiter.delayOf("other");
  limiter.forget("k");
  expect(limiter.failures("k")).toBe(0);
  expect(limiter.failures("other")).toBe(1);
  expect(limiter.delayOf("k")).toBe(20);
});

test("the default limiter lets 100 failures through, then 10 a second", async () => {
  const clock = new FakeClock();
  const limiter = defaultLimiter(clock);
  const waits = Array.from({ length: 103 }, (_, key) => limiter.delayOf(String(key)));
  expect(waits.slice(0, 100)).toEqual(new Array(100).fill(5));
  expect(waits.slice(100)).toEqual([100, 200, 300]);
  await clock.advance(1300);
  expect(limiter.delayOf("later")).toBe(5);
});
