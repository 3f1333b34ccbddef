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

  test("servers made together are one round, however long after one another they fail", () => {
    const failures = new StartFailures();
    const many = (failed: number) =>
      Array.from({ length: 50 }, (_, i) => buildGameServer(`s${i}`, i < failed ? "Unhealthy" : "Scheduled"));
    expect(failures.observe(many(0), 0)).toBe(false);
    expect(failures.observe(many(1), 10)).toBe(true);
    expect(failures.observe(many(20), 5_000)).toBe(false);
    expect(failures.observe(many(50), 60_000)).toBe(false);
    expect(failures.budget(60_000)).toBe(Number.POSITIVE_INFINITY);
    expect(failures.observe([...many(50), buildGameServer("next", "Unhealthy")], 61_000)).toBe(true);
    expect(failures.delay(61_000)).toBe(2000);
  });

  test("while starts fail, servers are made one at a time, each as long after the one before as after a failure", () => {
    const failures = new StartFailures();
    failures.observe([buildGameServer("a", "Error")], 0);
    failures.observe([buildGameServer("b", "Error")], 1000);
    expect(failures.budget(3000)).toBe(1);
    failures.made(1, 3000);
    expect(failures.budget(4999)).toBe(0);
    expect(failures.budget(5000)).toBe(1);
  });

  test("one server that becomes Ready ends the delay", () => {
    const failures = new StartFailures();
    failures.observe([buildGameServer("a", "Unhealthy")], 0);
    failures.observe([buildGameServer("b", "Ready")], 500);
    expect(failures.delay(500)).toBe(0);
    expect(failures.budget(500)).toBe(Number.POSITIVE_INFINITY);
  });

  test("a server that was Ready and then fails is no failed start", () => {
    const failures = new StartFailures();
    failures.observe([buildGameServer("a", "Ready")], 0);
    expect(failures.observe([buildGameServer("a", "Unhealthy")], 1)).toBe(false);
    expect(failures.delay(1)).toBe(0);
  });

  test("after a refusal one server is tried, ever later but at least once a minute, until one is taken", () => {
    const failures = new StartFailures();
    const delays: number[] = [];
    let now = 0;
    for (let tries = 0; tries < 8; tries++) {
      failures.refused("exceeded quota", now);
      expect(failures.budget(now)).toBe(0);
      delays.push(failures.delay(now));
      now += failures.delay(now);
      expect(failures.budget(now)).toBe(1);
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]);
    expect(failures.refusal).toBe("exceeded quota");
    failures.accepted();
    expect([failures.refusal, failures.budget(now)]).toEqual([undefined, Number.POSITIVE_INFINITY]);
    expect(failures.pauseMs).toBeUndefined();
  });
});
