import { describe, expect, it } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { RateLimit } from "./rate-limit.ts";

const allowed = (limit: RateLimit, sender: string, times: number): number =>
  Array.from({ length: times }, () => limit.allows(sender)).filter(Boolean).length;

describe("a sender", () => {
  it("is answered as often at once as in a second, then as its tokens come back", async () => {
    const clock = new FakeClock();
    const limit = new RateLimit({ perSecond: 20, clock });
    expect(allowed(limit, "a", 100)).toBe(20);
    await clock.advance(49);
    expect(limit.allows("a")).toBe(false);
    await clock.advance(1);
    expect(allowed(limit, "a", 5)).toBe(1);
    await clock.advance(1000);
    expect(allowed(limit, "a", 100)).toBe(20);
    await clock.advance(60_000);
    expect(allowed(limit, "a", 100)).toBe(20);
  });

  it("uses up nobody else's answers", () => {
    const limit = new RateLimit({ perSecond: 2, clock: new FakeClock() });
    expect(allowed(limit, "a", 9)).toBe(2);
    expect(allowed(limit, "b", 9)).toBe(2);
  });

  it.each([
    [0, 0],
    [0.9, 0],
    [1, 1],
    [2.5, 2],
  ])("gets, at %d a second, %d at once", (perSecond, burst) => {
    const limit = new RateLimit({ perSecond, clock: new FakeClock() });
    expect(allowed(limit, "a", 9)).toBe(burst);
    expect(limit.size).toBe(burst === 0 ? 0 : 1);
  });

  it("gets its fraction of a second, over a longer time", async () => {
    const clock = new FakeClock();
    const limit = new RateLimit({ perSecond: 2.5, clock });
    let answers = allowed(limit, "a", 9);
    for (let tenth = 0; tenth < 100; tenth++) {
      await clock.advance(100);
      answers += allowed(limit, "a", 9);
    }
    expect(answers).toBe(27);
  });
});

describe("the table", () => {
  it("stays bounded under a million senders, and keeps those heard of last", () => {
    const limit = new RateLimit({ perSecond: 1, most: 1000, clock: new FakeClock() });
    let answers = 0;
    for (let sender = 0; sender < 1_000_000; sender++) if (limit.allows(`10.0.0.1 ${sender}`)) answers++;
    expect(answers).toBe(1_000_000);
    expect(limit.size).toBeLessThanOrEqual(1000);
    expect(limit.allows("10.0.0.1 999999")).toBe(false);
    expect(limit.allows("10.0.0.1 999501")).toBe(false);
    expect(limit.allows("10.0.0.1 1")).toBe(true);
    expect(limit.size).toBeLessThanOrEqual(1000);
  });

  it("forgets at a sweep who was not heard of since the sweep before", () => {
    const limit = new RateLimit({ perSecond: 1, clock: new FakeClock() });
    for (const sender of ["silent", "chatty"]) limit.allows(sender);
    limit.sweep();
    expect(limit.size).toBe(2);
    expect(limit.allows("chatty")).toBe(false);
    expect(limit.size).toBe(2);
    limit.sweep();
    expect(limit.size).toBe(1);
    expect(limit.allows("chatty")).toBe(false);
    expect(limit.allows("silent")).toBe(true);
    limit.sweep();
    limit.sweep();
    expect(limit.size).toBe(0);
  });
});
