import { describe, expect, test } from "vitest";
import { titled } from "../meta/promise-row.ts";
import type { Priority } from "./common.ts";
import { deletionOrder, type NodeCounts } from "./deletion-order.ts";
import { stored } from "./gameserver.fixture.ts";
import type { GameServer, GameServerState } from "./gameserver.ts";
import { availableCapacity, comparePriorities } from "./priorities.ts";
import { priorities, type Room } from "./states.promises.ts";

const server = (name: string, nodeName: string, state: GameServerState = "Ready", used?: bigint, createdAt?: string) =>
  stored(
    { state, nodeName, counters: used === undefined ? null : { rooms: { count: used, capacity: 10n } } },
    { name, creationTimestamp: createdAt },
  );
const names = (servers: readonly GameServer[]) => servers.map(({ metadata }) => metadata.name);
const counts = new Map<string, NodeCounts>([
  ["busy", { ready: 3, allocated: 4 }],
  ["calm", { ready: 1, allocated: 1 }],
  ["cool", { ready: 2, allocated: 0 }],
]);
const rooms = (order?: Priority["order"]): Priority[] => [{ type: "Counter", key: "rooms", order }];

describe("priorities", () => {
  const withRoom = ({ counter, list }: Room) =>
    stored({
      counters: counter === undefined ? null : { rooms: { count: counter, capacity: 10n } },
      lists: list === undefined ? null : { rooms: { capacity: list + 1n, values: ["a"] } },
    });

  test.each(titled(priorities))("%s: %s", (_section, _name, { priorities, a, b, first }) => {
    const order = { a: -1, b: 1, neither: 0 }[first];
    expect(comparePriorities(priorities, withRoom(a), withRoom(b))).toBe(order);
    expect(comparePriorities(priorities, withRoom(b), withRoom(a))).toBe(order === 0 ? 0 : -order);
  });

  test("room is capacity less count, or less the number of values", () => {
    const gameServer = stored({
      counters: { rooms: { count: 3n, capacity: 2n ** 63n - 1n } },
      lists: { players: { capacity: 5n, values: ["a", "b"] } },
    });
    expect(availableCapacity(gameServer, { type: "Counter", key: "rooms" })).toBe(2n ** 63n - 4n);
    expect(availableCapacity(gameServer, { type: "List", key: "players" })).toBe(3n);
    expect(availableCapacity(gameServer, { type: "List", key: "rooms" })).toBeUndefined();
    expect(availableCapacity(gameServer, { key: "rooms" })).toBeUndefined();
  });
});

describe("deletion order, Packed", () => {
  const packed = (priorities: readonly Priority[], ...servers: GameServer[]) =>
    names(deletionOrder("Packed", priorities, servers, counts));

  test("servers on no known node go first", () => {
    expect(packed([], server("a", "calm"), server("b", "gone"), server("c", ""))).toEqual(["b", "c", "a"]);
  });

  test("the node with the fewest Ready and Allocated servers is emptied first", () => {
    expect(packed([], server("a", "busy"), server("b", "calm"))).toEqual(["b", "a"]);
  });

  test("equal nodes are emptied one after the other, by name", () => {
    const servers = [server("a", "cool"), server("b", "calm"), server("c", "cool"), server("d", "calm")];
    expect(packed([], ...servers)).toEqual(["b", "d", "a", "c"]);
  });

  test("on one node, those not Ready yet go before Ready ones, then priorities and the name decide", () => {
    const servers = [
      server("a", "busy", "Ready", 1n),
      server("b", "busy", "Ready", 9n),
      server("c", "busy", "Ready", 9n),
      server("d", "busy", "Scheduled", 0n),
    ];
    expect(packed(rooms("Ascending"), ...servers)).toEqual(["d", "b", "c", "a"]);
  });

  test("absent strategy is Packed, and the array handed in is left alone", () => {
    const servers = Object.freeze([server("a", "busy"), server("b", "calm")]);
    expect(names(deletionOrder(undefined, [], servers, counts))).toEqual(["b", "a"]);
  });
});

describe("deletion order, Distributed", () => {
  test("servers not Ready yet, then priorities, then the oldest, then the name", () => {
    const servers = [
      server("starting", "busy", "Scheduled", 5n, "2030-01-04T00:00:00Z"),
      server("young", "busy", "Ready", 5n, "2030-01-02T00:00:00Z"),
      server("old", "calm", "Ready", 5n, "2030-01-01T00:00:00Z"),
      server("full", "calm", "Ready", 9n, "2030-01-03T00:00:00Z"),
      server("also-old", "busy", "Ready", 5n, "2030-01-01T00:00:00Z"),
    ];
    expect(names(deletionOrder("Distributed", rooms("Ascending"), servers, counts))).toEqual([
      "starting",
      "full",
      "also-old",
      "old",
      "young",
    ]);
  });
});
