import { describe, expect, test } from "vitest";
import { buildGameServer } from "../fixtures.ts";
import { StartFailures } from "./start-failures.ts";

describe("StartFailures", () => {
  test("each failed round doubles the delay, and after the second only one server is tried", () => {
    const failures = new StartFailures();
    expect(failures.budget(0)).toBe(Number.POSITIVE_INFINITY);
    const delays: number[] = [];
    let now = 0;
    for (let round = 0; round < 12; round++) {
      expect(failures.observe([buildGameServer(`s${round}`, "Unhealthy")], now)).toBe(true);
      expect(failures.budget(now)).toBe(0);
      delays.push(failures.delay(now));
      now += failures.delay(now);
      expect(failures.budget(now)).toBe(round === 0 ? Number.POSITIVE_INFINITY : 1);
    }
    expect(delays.slice(0, 10)).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000, 256000, 512000]);
    expect(delays.at(-1)).toBe(600000);
  });

  test("a build that dies at start is tried fewer than 20 times in an hour", () => {
    const failures = new StartFailures();
    let made = 0;
    for (let now = 0; now < 3_600_000; now += 250)
      if (failures.budget(now) > 0) failures.observe([buildGameServer(`s${made++}`, "Error")], now);
    expect(made).toBeLessThan(20);
  });

  test("many servers failing together are one round", () => {
    const failures = new StartFailures();
    const many = Array.from({ length: 50 }, (_, i) => buildGameServer(`s${i}`, "Unhealthy"));
    failures.observe(many, 0);
    expect(failures.observe(many, 10)).toBe(false);
    expect(failures.delay(0)).toBe(1000);
  });

  test("one server that becomes Ready ends the delay", () => {
    const failures = new StartFailures();
    failures.observe([buildGameServer("a", "Unhealthy")], 0);
    failures.observe([buildGameServer("b", "Ready")], 500);
    expect(failures.delay(500)).toBe(0);
    expect(failures.rounds).toBe(0);
  });

  test("a server that was Ready and then fails is no failed start", () => {
    const failures = new StartFailures();
    failures.observe([buildGameServer("a", "Ready")], 0);
    expect(failures.observe([buildGameServer("a", "Unhealthy")], 1)).toBe(false);
    expect(failures.delay(1)).toBe(0);
  });
});
