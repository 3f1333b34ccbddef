import { describe, expect, it } from "vitest";
import { startCounts } from "./counts-fixture.ts";

const start = (ids: readonly string[] = ["a", "b"], capacity = 3n) =>
  startCounts({ players: { count: BigInt(ids.length), capacity, ids } });

describe("players", () => {
  it("connect up to the capacity, each once", async () => {
    const { call, status } = start();
    expect(await call("playerConnect", { playerID: "c" })).toEqual({ bool: true });
    expect(await call("playerConnect", { playerID: "c" })).toEqual({ bool: false });
    expect(await call("playerConnect", { playerID: "d" })).toBe("Unknown: players are already at capacity");
    expect(status()?.players).toEqual({ count: 3n, capacity: 3n, ids: ["a", "b", "c"] });
  });

  it("disconnect, and the others keep their order", async () => {
    const { call, status } = start(["a", "b", "c"]);
    expect(await call("playerDisconnect", { playerID: "b" })).toEqual({ bool: true });
    expect(await call("playerDisconnect", { playerID: "b" })).toEqual({ bool: false });
    expect(status()?.players).toEqual({ count: 2n, capacity: 3n, ids: ["a", "c"] });
  });

  it("are told as they are, exactly and before anything is written", async () => {
    const { api, begin, clock } = start();
    api.faults.push("held");
    void begin("playerConnect", { playerID: "c" });
    void begin("playerDisconnect", { playerID: "a" });
    void begin("setPlayerCapacity", { count: 2n ** 63n - 1n });
    await clock.advance(0);
    expect(await begin("getConnectedPlayers")).toEqual({ list: ["b", "c"] });
    expect(await begin("getPlayerCount")).toEqual({ count: 2n });
    expect(await begin("getPlayerCapacity")).toEqual({ count: 2n ** 63n - 1n });
    expect(await begin("isPlayerConnected", { playerID: "c" })).toEqual({ bool: true });
    expect(await begin("isPlayerConnected", { playerID: "a" })).toEqual({ bool: false });
    expect(api.stored?.status?.players?.ids).toEqual(["a", "b"]);
  });

  it("stay when the capacity sinks below them; none can join", async () => {
    const { call, status } = start();
    expect(await call("setPlayerCapacity", { count: 1n })).toEqual({});
    expect(status()?.players).toEqual({ count: 2n, capacity: 1n, ids: ["a", "b"] });
    expect(await call("playerConnect", { playerID: "c" })).toBe("Unknown: players are already at capacity");
  });

  it("can join a server without players only after it got a capacity", async () => {
    const { call, clock, status, events } = startCounts({});
    expect(await call("getPlayerCapacity")).toEqual({ count: 0n });
    expect(await call("getConnectedPlayers")).toEqual({ list: [] });
    expect(await call("playerConnect", { playerID: "1234" })).toBe("Unknown: players are already at capacity");
    expect(await call("setPlayerCapacity", { count: 10n })).toEqual({});
    expect(await call("playerConnect", { playerID: "1234" })).toEqual({ bool: true });
    await clock.advance(500);
    expect(status()?.players).toEqual({ count: 1n, capacity: 10n, ids: ["1234"] });
    expect(events()).toEqual(["Normal PlayerCapacity: Set to 10", "Normal PlayerCount: Set to 1"]);
  });

  it("that come at once are one patch and one event", async () => {
    const { api, begin, clock, events, status } = start([], 10n);
    for (const playerID of ["a", "b", "c"]) void begin("playerConnect", { playerID });
    void begin("playerDisconnect", { playerID: "b" });
    await clock.advance(0);
    expect(api.patches).toHaveLength(1);
    expect(status()?.players).toEqual({ count: 2n, capacity: 10n, ids: ["a", "c"] });
    expect(events()).toEqual(["Normal PlayerCount: Set to 2"]);
  });

  it("join those of whom another has written meanwhile", async () => {
    const { api, begin, clock, status } = start([], 10n);
    api.faults.push("held");
    void begin("playerConnect", { playerID: "a" });
    await clock.advance(0);
    api.write({ status: { players: { count: 1n, capacity: 20n, ids: ["z"] } } });
    api.arrive();
    await clock.advance(500);
    expect(status()?.players).toEqual({ count: 2n, capacity: 20n, ids: ["z", "a"] });
  });

  it("are not told while the gate is off", async () => {
    const { call, api } = startCounts({ players: { count: 0n, capacity: 5n } }, { gates: { PlayerTracking: false } });
    for (const name of [
      "playerConnect",
      "playerDisconnect",
      "setPlayerCapacity",
      "getPlayerCapacity",
      "getPlayerCount",
      "isPlayerConnected",
      "getConnectedPlayers",
    ])
      expect(await call(name)).toBe("Unknown: PlayerTracking not enabled");
    expect(api.patches).toEqual([]);
  });
});
