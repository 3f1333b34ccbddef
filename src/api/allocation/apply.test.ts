import { describe, expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { stored } from "../agones/gameserver.fixture.ts";
import { allocated, unallocated } from "./answer.ts";
import { applyAllocation } from "./apply.ts";
import type { GameServerAllocation, GameServerAllocationSpec } from "./gameserverallocation.ts";

const now = Date.UTC(2030, 0, 1, 12, 0, 0, 123);
const gates = featureGates();
const server = Object.freeze(
  stored(
    {
      state: "Ready",
      address: "203.0.113.7",
      ports: [{ name: "play", port: 7012 }],
      nodeName: "node-a",
      counters: { rooms: { count: 4n, capacity: 10n } },
      lists: { players: { capacity: 3n, values: ["ann", "bo"] } },
    },
    { labels: { mode: "ranked" }, annotations: { owner: "x" } },
  ),
);
const apply = (spec: GameServerAllocationSpec, on = gates) => applyAllocation(server, spec, now, on);

describe("an allocated server", () => {
  test("is Allocated, stamped, and carries the request's labels and annotations over its own", () => {
    const { gameServer, errors } = apply({
      metadata: { labels: { mode: "cup", match: "m-77" }, annotations: { "agones.dev/last-allocated": "mine" } },
    });
    expect(errors).toEqual({ counters: [], lists: [] });
    expect(gameServer.status).toEqual({ ...server.status, state: "Allocated" });
    expect(gameServer.metadata.labels).toEqual({ mode: "cup", match: "m-77" });
    expect(gameServer.metadata.annotations).toEqual({
      ...server.metadata.annotations,
      "agones.dev/last-allocated": "2030-01-01T12:00:00.123Z",
    });
    expect(server.status?.state).toBe("Ready");
  });

  test("has its counters changed, capacity before count", () => {
    const { gameServer } = apply({ counters: { rooms: { action: "Increment", amount: 9n, capacity: 12n } } });
    expect(gameServer.status?.counters).toEqual({ rooms: { count: 12n, capacity: 12n } });
  });

  test("has its lists changed: capacity, then additions, then deletions", () => {
    const { gameServer } = apply({
      lists: { players: { capacity: 3n, addValues: ["cy", "di"], deleteValues: ["ann"] } },
    });
    expect(gameServer.status?.lists).toEqual({ players: { capacity: 3n, values: ["bo", "cy"] } });
  });

  test("stays allocated when actions fail; the others are done and each failure is told", () => {
    const { gameServer, errors } = apply({
      counters: { rooms: { capacity: 5n, action: "Double", amount: 1n }, kills: { capacity: 1n } },
      lists: { players: { capacity: 1001n, addValues: ["cy"] }, bans: { deleteValues: ["x"] } },
    });
    expect(gameServer.status).toMatchObject({
      state: "Allocated",
      counters: { rooms: { count: 4n, capacity: 5n } },
      lists: { players: { capacity: 3n, values: ["ann", "bo", "cy"] } },
    });
    expect(gameServer.status?.counters).not.toHaveProperty("kills");
    expect(errors.counters).toEqual([
      expect.stringMatching(/^unable to UpdateCount with Name rooms, Action Double/),
      expect.stringMatching(/^unable to UpdateCounterCapacity: Name kills/),
    ]);
    expect(errors.lists).toEqual([
      expect.stringMatching(/^unable to UpdateListCapacity: Name players/),
      expect.stringMatching(/^unable to DeleteListValues: Name bans/),
    ]);
  });

  test("keeps counters and lists while the gate is off", () => {
    const off = featureGates({ CountsAndLists: false });
    const { gameServer, errors } = apply({ counters: { kills: { capacity: 1n } } }, off);
    expect(gameServer.status?.counters).toBe(server.status?.counters);
    expect(errors.counters).toEqual([]);
  });
});

describe("the answer", () => {
  const request: GameServerAllocation = {
    apiVersion: "allocation.agones.dev/v1",
    kind: "GameServerAllocation",
    metadata: { namespace: "games" },
    spec: { scheduling: "Packed" },
  };

  test("names the server and how to reach it, as it is after the update", () => {
    const { gameServer } = apply({});
    expect(allocated(request, gameServer, gates)).toEqual({
      ...request,
      metadata: { namespace: "games", name: "duel-1" },
      status: {
        state: "Allocated",
        gameServerName: "duel-1",
        ports: [{ name: "play", port: 7012 }],
        address: "203.0.113.7",
        nodeName: "node-a",
        source: "local",
        metadata: { labels: gameServer.metadata.labels, annotations: gameServer.metadata.annotations },
        counters: gameServer.status?.counters,
        lists: gameServer.status?.lists,
      },
    });
    expect(allocated(request, gameServer, featureGates({ CountsAndLists: false })).status).not.toHaveProperty("lists");
  });

  test.each(["UnAllocated", "Contention"] as const)("%s names none", (state) => {
    expect(unallocated(request, state)).toEqual({ ...request, status: { state, gameServerName: "", source: "" } });
  });
});
