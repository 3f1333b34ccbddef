/** Which states belong to which set of states, and what priorities make of servers. */
import type { PromiseRow } from "../meta/promise-row.ts";
import type { Priority } from "./common.ts";
import type { GameServer, GameServerState } from "./gameserver.ts";
import { isActive, isBeforePod, isBeforeReady, isBeingDeleted, isDeletable, isTerminal } from "./predicates.ts";

interface StatesPromise extends PromiseRow {
  readonly holds: (server: GameServer) => boolean;
  /** All others are not of them. */
  readonly states: readonly GameServerState[];
}

const beforePod = ["PortAllocation", "Creating", "Starting"] as const;

export const states: readonly StatesPromise[] = [
  { section: "4.4", name: "before Ready", holds: isBeforeReady, states: [...beforePod, "Scheduled", "RequestReady"] },
  { section: "4.4", name: "before its Pod", holds: isBeforePod, states: beforePod },
  { section: "4.4", name: "active", holds: isActive, states: ["Ready", "Reserved", "Allocated"] },
  { section: "4.4", name: "at its end", holds: isTerminal, states: ["Shutdown", "Error", "Unhealthy"] },
  { section: "4.4", name: "being deleted", holds: isBeingDeleted, states: ["Shutdown"] },
  {
    section: "4.4",
    name: "not to be deleted by us",
    holds: (server) => !isDeletable(server),
    states: ["Reserved", "Allocated"],
  },
];

/** A counter of a capacity of 10 that stands there, a list of that many free places, or neither. */
export interface Room {
  readonly counter?: bigint;
  readonly list?: bigint;
}

interface PriorityPromise extends PromiseRow {
  readonly priorities: readonly Priority[];
  readonly a: Room;
  readonly b: Room;
  /** Which comes first. */
  readonly first: "a" | "b" | "neither";
}

const counter = (order?: Priority["order"]): Priority => ({ type: "Counter", key: "rooms", order });
const list = (order?: Priority["order"]): Priority => ({ type: "List", key: "rooms", order });
const row = (
  name: string,
  priorities: readonly Priority[],
  [a, b]: readonly [Room, Room],
  first: PriorityPromise["first"],
): PriorityPromise => ({ section: "3", name, priorities, a, b, first });
const counted: readonly [Room, Room] = [{ counter: 9n }, { counter: 1n }];

export const priorities: readonly PriorityPromise[] = [
  row("Ascending puts less room first", [counter("Ascending")], counted, "a"),
  row("Descending puts more room first", [counter("Descending")], counted, "b"),
  row("a list's room is its capacity less its values", [list("Ascending")], [{ list: 1n }, { list: 2n }], "a"),
  row("no order is Ascending", [counter()], counted, "a"),
  row("a server without the counter is last when Ascending", [counter("Ascending")], [{}, { counter: 1n }], "b"),
  row("a server without the counter is last when Descending", [counter("Descending")], [{}, { counter: 1n }], "b"),
  row("two servers without the counter are alike", [counter("Descending")], [{}, { list: 3n }], "neither"),
  row("a list is no counter", [counter("Ascending")], [{ list: 1n }, { counter: 1n }], "b"),
  row("no priorities", [], counted, "neither"),
  row(
    "the first priority that tells them apart decides",
    [counter("Ascending"), list("Descending")],
    [
      { counter: 5n, list: 1n },
      { counter: 5n, list: 2n },
    ],
    "b",
  ),
  row("the second does not count when the first decides", [counter("Ascending"), list("Descending")], counted, "a"),
];
