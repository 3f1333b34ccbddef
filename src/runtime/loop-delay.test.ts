import { expect, test, vi } from "vitest";
import { FakeClock } from "./clock.ts";
import { silentLogger } from "./logger.ts";
import { loopDelayMonitor } from "./loop-delay.ts";

test("reports the longest stall of each period and warns above the bound", async () => {
  const clock = new FakeClock();
  const log = { ...silentLogger, warn: vi.fn() };
  const delays = { max: 0, enable: vi.fn(), disable: vi.fn(), reset: vi.fn() };
  const seen: number[] = [];
  const observe = (seconds: number) => void seen.push(seconds);
  const abort = new AbortController();
  const running = loopDelayMonitor({ clock, log, delays, observe, warnMs: 100, periodMs: 1000 }).run(abort.signal);
  delays.max = 50e6;
  await clock.advance(1000);
  delays.max = 150e6;
  await clock.advance(1000);
  expect(seen).toEqual([0.05, 0.15]);
  expect(delays.reset).toHaveBeenCalledTimes(3);
  expect(log.warn.mock.calls).toEqual([[{ longestMs: 150 }, "event loop stalled"]]);
  abort.abort();
  await running;
  expect(delays.disable).toHaveBeenCalledOnce();
});
