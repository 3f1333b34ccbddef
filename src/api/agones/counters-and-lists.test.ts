import { describe, expect, test } from "vitest";
import {
  type ActionOutcome,
  addAggregates,
  appendListValues,
  deleteListValues,
  INT64_MAX,
  saturatingAdd,
  updateCount,
  updateCounterCapacity,
  updateListCapacity,
} from "./counters-and-lists.ts";
import { stored } from "./gameserver.fixture.ts";

const server = stored({
  counters: { rooms: { count: 4n, capacity: 10n } },
  lists: { players: { capacity: 3n, values: ["ann", "bo"] } },
});
const rooms = ({ gameServer }: ActionOutcome) => gameServer.status?.counters?.rooms;
const players = ({ gameServer }: ActionOutcome) => gameServer.status?.lists?.players;

describe("counter actions", () => {
  test.each([
    ["+3", updateCount(server, "rooms", "Increment", 3n), 7n, 10n],
    ["+7 stops at the capacity", updateCount(server, "rooms", "Increment", 7n), 10n, 10n],
    ["+max stops at the capacity", updateCount(server, "rooms", "Increment", INT64_MAX), 10n, 10n],
    ["−1", updateCount(server, "rooms", "Decrement", 1n), 3n, 10n],
    ["−5 stops at zero", updateCount(server, "rooms", "Decrement", 5n), 0n, 10n],
    ["a lower capacity takes the count along", updateCounterCapacity(server, "rooms", 2n), 2n, 2n],
    ["a higher capacity leaves the count", updateCounterCapacity(server, "rooms", INT64_MAX), 4n, INT64_MAX],
  ])("%s", (_, outcome, count, capacity) => {
    expect(outcome.error).toBeUndefined();
    expect(rooms(outcome)).toEqual({ count, capacity });
  });

  test.each([
    [
      updateCount(server, "rooms", "Double", 1n),
      "unable to UpdateCount with Name rooms, Action Double, Amount 1. Allocation action must be one of Increment or Decrement",
    ],
    [
      updateCount(server, "rooms", "Increment", -1n),
      "unable to UpdateCount with Name rooms, Action Increment, Amount -1. Amount must be greater than 0",
    ],
    [
      updateCount(server, "nope", "Increment", 1n),
      "unable to UpdateCount with Name nope, Action Increment, Amount 1. Counter not found in GameServer duel-1",
    ],
    [
      updateCounterCapacity(server, "rooms", -2n),
      "unable to UpdateCounterCapacity: Name rooms, Capacity -2. Capacity must be greater than or equal to 0",
    ],
    [
      updateCounterCapacity(server, "toString", 2n),
      "unable to UpdateCounterCapacity: Name toString, Capacity 2. Counter not found in GameServer duel-1",
    ],
  ])("a refused action changes nothing and says: %#", (outcome, error) => {
    expect(outcome).toEqual({ gameServer: server, error });
    expect(outcome.gameServer).toBe(server);
  });
});

describe("list actions", () => {
  test.each([
    ["values are appended in order", appendListValues(server, "players", ["cy"]), ["ann", "bo", "cy"], 3n],
    ["known values are not doubled", appendListValues(server, "players", ["bo", "cy", "cy"]), ["ann", "bo", "cy"], 3n],
    ["what exceeds the capacity is cut", appendListValues(server, "players", ["cy", "di"]), ["ann", "bo", "cy"], 3n],
    ["values are deleted, unknown ones ignored", deleteListValues(server, "players", ["ann", "zoe"]), ["bo"], 3n],
    ["a lower capacity keeps the first values", updateListCapacity(server, "players", 1n), ["ann"], 1n],
    ["capacity zero empties", updateListCapacity(server, "players", 0n), [], 0n],
    ["1000 is allowed", updateListCapacity(server, "players", 1000n), ["ann", "bo"], 1000n],
  ])("%s", (_, outcome, values, capacity) => {
    expect(outcome.error).toBeUndefined();
    expect(players(outcome)).toEqual({ values, capacity });
  });

  test.each([
    [
      updateListCapacity(server, "players", 1001n),
      "unable to UpdateListCapacity: Name players, Capacity 1001. Capacity must be between 0 and 1000, inclusive",
    ],
    [
      updateListCapacity(server, "nope", 1n),
      "unable to UpdateListCapacity: Name nope, Capacity 1. List not found in GameServer duel-1",
    ],
    [
      appendListValues(server, "nope", ["a", "b"]),
      "unable to AppendListValues: Name nope, Values [a b]. List not found in GameServer duel-1",
    ],
    [
      deleteListValues(server, "nope", ["a"]),
      "unable to DeleteListValues: Name nope, Values [a]. List not found in GameServer duel-1",
    ],
  ])("a refused action changes nothing and says: %#", (outcome, error) => {
    expect(outcome).toEqual({ gameServer: server, error });
  });
});

describe("sums", () => {
  test("stay within int64", () => {
    expect(saturatingAdd(INT64_MAX, 1n)).toBe(INT64_MAX);
    expect(saturatingAdd(-INT64_MAX, -INT64_MAX)).toBe(-(2n ** 63n));
    expect(saturatingAdd(2n ** 53n, 1n)).toBe(9007199254740993n);
  });

  test("of aggregates go member by member, absent ones are zero", () => {
    expect(addAggregates({ count: INT64_MAX, capacity: 1n }, { count: 1n, allocatedCount: 2n })).toEqual({
      count: INT64_MAX,
      capacity: 1n,
      allocatedCount: 2n,
      allocatedCapacity: 0n,
    });
  });
});
