import { describe, expect, test } from "vitest";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { buildGameServer } from "../fixtures.ts";
import { StartFailures } from "./start-failures.ts";

const madeAtZero = (name: string, state: GameServerState) =>
  buildGameServer(name, state, { metadata: { name, creationTimestamp: "1970-01-01T00:00:00Z" } });

describe("StartFailures", () => {
  test("each failed round doubles the delay, and after the second only one server is tried", () => {
    const failures = new StartFailures();
    expect(failures.budget(0)).toBe(Number.POSITIVE_INFINITY);
    const delays: number[] = [];
    let now = 0;
    for (let round = 0; round < 12; round++) {
      expect(failures.observe([buildGameServer(`s${round}`, "Unhealthy")], now)).toBeDefined();
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
    expect(failures.observe(many(0), 0)).toBeUndefined();
    expect(failures.observe(many(1), 10)).toMatchObject({ saidReady: false });
    expect(failures.observe(many(20), 5_000)).toBeUndefined();
    expect(failures.observe(many(50), 60_000)).toBeUndefined();
    expect(failures.budget(60_000)).toBe(Number.POSITIVE_INFINITY);
    expect(failures.observe([...many(50), buildGameServer("next", "Unhealthy")], 61_000)).toBeDefined();
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

  test.each<readonly [string, boolean, readonly (readonly [GameServerState, number])[]]>([
    [
      "ends with Shutdown before it was Ready: a failed start",
      true,
      [
        ["Scheduled", 1],
        ["Shutdown", 2],
      ],
    ],
    [
      "ends with Shutdown right after Ready: a short match",
      false,
      [
        ["Ready", 1],
        ["Shutdown", 2],
      ],
    ],
    [
      "ends with Shutdown as soon as it asked to be Ready",
      false,
      [
        ["RequestReady", 1],
        ["Shutdown", 2],
      ],
    ],
    [
      "fails right after Ready",
      true,
      [
        ["Ready", 1],
        ["Unhealthy", 2],
      ],
    ],
    [
      "fails in its match right after its creation",
      true,
      [
        ["Ready", 1],
        ["Allocated", 2],
        ["Unhealthy", 9_999],
      ],
    ],
    [
      "fails later",
      false,
      [
        ["Ready", 1],
        ["Unhealthy", 10_000],
      ],
    ],
    [
      "fails late, having taken its time to become Ready",
      false,
      [
        ["Scheduled", 1],
        ["Ready", 30_000],
        ["Unhealthy", 30_001],
      ],
    ],
    ["was in Shutdown when it was seen first, as after a restart", false, [["Shutdown", 1]]],
  ])("a server that %s", (_, counts, states) => {
    const failures = new StartFailures();
    const found = states.map(([state, age]) => failures.observe([madeAtZero("a", state)], age));
    expect(found.at(-1) !== undefined).toBe(counts);
    expect(failures.pauseMs !== undefined).toBe(counts);
  });

  test("a server that fails right after Ready is tried ever more slowly too, whatever others say meanwhile", () => {
    const failures = new StartFailures();
    const delays: number[] = [];
    let now = 0;
    for (let round = 0; round < 6; round++) {
      const creationTimestamp = new Date(now).toISOString();
      const server = (state: GameServerState) =>
        buildGameServer(`s${round}`, state, { metadata: { name: `s${round}`, creationTimestamp } });
      expect(failures.observe([server("Ready")], now)).toBeUndefined();
      expect(failures.observe([server("Unhealthy")], now + 300)).toMatchObject({ saidReady: true });
      delays.push(failures.delay(now + 300));
      now += 300 + failures.delay(now + 300);
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16000, 32000]);
  });

  test("once servers fail after Ready, ten seconds of life or a match that ends well end the delays; being Ready does not", () => {
    for (const proof of [
      ["Ready", 10_000],
      ["Shutdown", 5_000],
    ] as const) {
      const failures = new StartFailures();
      failures.observe([madeAtZero("a", "Ready")], 1);
      failures.observe([madeAtZero("a", "Unhealthy")], 2);
      const others = [madeAtZero("b", "Ready")];
      failures.observe(others, 3_000);
      expect(failures.pauseMs).toBe(1000);
      expect(failures.recheckAfter(others, 3_000)).toBe(7_000);
      failures.observe([madeAtZero("b", proof[0])], proof[1]);
      expect(failures.pauseMs).toBeUndefined();
      expect(failures.recheckAfter(others, 3_000)).toBeUndefined();
    }
  });

  test("servers that have lived long prove nothing of those that fail now", () => {
    const failures = new StartFailures();
    const old = madeAtZero("old", "Ready");
    failures.observe([old], 1);
    const made = (state: GameServerState) =>
      buildGameServer("new", state, { metadata: { name: "new", creationTimestamp: "1970-01-01T01:00:00Z" } });
    failures.observe([old, made("Ready")], 3_600_100);
    expect(failures.observe([old, made("Unhealthy")], 3_600_400)).toMatchObject({ saidReady: true });
    failures.observe([old], 3_601_000);
    expect(failures.pauseMs).toBe(1000);
  });

  test("a server that the set removes, or that somebody deletes, is no failed start", () => {
    const failures = new StartFailures();
    failures.observe([buildGameServer("a", "Scheduled"), buildGameServer("b", "Scheduled")], 0);
    failures.removing([buildGameServer("a", "Scheduled")]);
    const deletionTimestamp = "2030-01-01T00:00:00Z";
    const deleted = buildGameServer("b", "Scheduled", { metadata: { name: "b", deletionTimestamp } });
    expect(failures.observe([buildGameServer("a", "Shutdown"), deleted], 1)).toBeUndefined();
    expect(failures.observe([buildGameServer("b", "Shutdown")], 2)).toBeUndefined();
  });

  test("a server that was ended by something else than its game is no failed start", () => {
    const failures = new StartFailures();
    const excused = ({ metadata }: GameServer) => metadata.name === "a";
    failures.observe([madeAtZero("a", "Ready"), madeAtZero("b", "Ready")], 1);
    expect(failures.observe([madeAtZero("a", "Unhealthy"), madeAtZero("b", "Ready")], 2, excused)).toBeUndefined();
    expect(failures.pauseMs).toBeUndefined();
    const both = [madeAtZero("a", "Unhealthy"), madeAtZero("b", "Unhealthy")];
    expect(failures.observe(both, 3, excused)).toMatchObject({ server: { metadata: { name: "b" } } });
  });

  test("what happens between two looks counts: a server that went, and one that was Ready", () => {
    const failures = new StartFailures();
    failures.meet([buildGameServer("a", "Creating"), buildGameServer("b", "Creating")]);
    failures.changed(buildGameServer("b", "Ready"));
    failures.gone(buildGameServer("b", "Shutdown"));
    expect(failures.observe([buildGameServer("a", "Creating")], 0)).toBeUndefined();
    failures.gone(buildGameServer("a", "Shutdown"));
    expect(failures.observe([], 0)).toMatchObject({ saidReady: false, server: { metadata: { name: "a" } } });
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
