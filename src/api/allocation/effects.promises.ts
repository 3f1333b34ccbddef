/**
 * What an allocation does to a Ready server called `duel-1` at noon of 2030: it has the label `mode: ranked`, the annotation `owner: x`, a
 * counter `rooms` at 4 of 10 and a list `players` of `ann` and `bo` with a capacity of 3.
 */
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { Members, PromiseRow } from "../meta/promise-row.ts";
import type { CounterAction, GameServerAllocationSpec, ListAction } from "./gameserverallocation.ts";

interface EffectPromise extends PromiseRow {
  readonly spec: GameServerAllocationSpec;
  readonly gates?: Partial<FeatureGates>;
  /** Of the server afterwards. */
  readonly shows: Members;
  /** What the server's events tell of actions that failed. */
  readonly errors?: readonly string[];
}

const INT64_MAX = 2n ** 63n - 1n;
const stamp = { "agones.dev/last-allocated": "2030-01-01T12:00:00.123Z" };
const untouched = {
  "status.counters": { rooms: { count: 4n, capacity: 10n } },
  "status.lists": { players: { capacity: 3n, values: ["ann", "bo"] } },
};

const counted = (name: string, rooms: CounterAction, count: bigint, capacity = 10n): EffectPromise => ({
  section: "9.7.4",
  name,
  spec: { counters: { rooms } },
  shows: { ...untouched, "status.counters": { rooms: { count, capacity } } },
});
const listed = (name: string, players: ListAction, values: readonly string[], capacity = 3n): EffectPromise => ({
  section: "9.7.4",
  name,
  spec: { lists: { players } },
  shows: { ...untouched, "status.lists": { players: { capacity, values } } },
});
const failed = (name: string, spec: GameServerAllocationSpec, ...errors: readonly string[]): EffectPromise => ({
  section: "9.7",
  name,
  spec,
  shows: { ...untouched, "status.state": "Allocated" },
  errors,
});

export const effects: readonly EffectPromise[] = [
  {
    section: "9.7.1",
    name: "labels and annotations go over the server's own",
    spec: { metadata: { labels: { mode: "cup", match: "m-77" }, annotations: { map: "harbour" } } },
    shows: {
      "metadata.labels": { mode: "cup", match: "m-77" },
      "metadata.annotations.owner": "x",
      "metadata.annotations.map": "harbour",
    },
  },
  {
    section: "9.7.2",
    name: "the time is stamped, over a request's own",
    spec: { metadata: { annotations: { "agones.dev/last-allocated": "mine" } } },
    shows: { "metadata.annotations": { "agones.dev/sdk-version": "1.0.0", owner: "x", ...stamp } },
  },
  {
    section: "9.7.3",
    name: "the server is Allocated, and else what it was",
    spec: {},
    shows: { "status.state": "Allocated", "status.address": "203.0.113.7", ...untouched },
  },
  counted("a counter up", { action: "Increment", amount: 3n }, 7n),
  counted("a counter up to its capacity", { action: "Increment", amount: 7n }, 10n),
  counted("a counter up by the largest amount", { action: "Increment", amount: INT64_MAX }, 10n),
  counted("a counter down", { action: "Decrement", amount: 1n }, 3n),
  counted("a counter down to 0", { action: "Decrement", amount: 5n }, 0n),
  counted("a capacity below the count takes it along", { capacity: 2n }, 2n, 2n),
  counted("the largest capacity", { capacity: INT64_MAX }, 4n, INT64_MAX),
  counted("the capacity before the count", { action: "Increment", amount: 9n, capacity: 12n }, 12n, 12n),
  listed("values go to the end", { addValues: ["cy"] }, ["ann", "bo", "cy"]),
  listed("values that are there are not added again", { addValues: ["bo", "cy", "cy"] }, ["ann", "bo", "cy"]),
  listed("values beyond the capacity are cut", { addValues: ["cy", "di"] }, ["ann", "bo", "cy"]),
  listed("values are taken out, others do not matter", { deleteValues: ["ann", "zoe"] }, ["bo"]),
  listed("a capacity below the values keeps the first", { capacity: 1n }, ["ann"], 1n),
  listed("a capacity of 0", { capacity: 0n }, [], 0n),
  listed("a capacity of 1000", { capacity: 1000n }, ["ann", "bo"], 1000n),
  listed(
    "the capacity first, then additions, then deletions",
    { capacity: 3n, addValues: ["cy", "di"], deleteValues: ["ann"] },
    ["bo", "cy"],
  ),
  failed(
    "an unknown action",
    { counters: { rooms: { action: "Double", amount: 1n } } },
    "unable to UpdateCount with Name rooms, Action Double, Amount 1. Allocation action must be one of Increment or Decrement",
  ),
  failed(
    "a counter that is not there",
    { counters: { nope: { action: "Increment", amount: 1n, capacity: 2n } } },
    "unable to UpdateCounterCapacity: Name nope, Capacity 2. Counter not found in GameServer duel-1",
    "unable to UpdateCount with Name nope, Action Increment, Amount 1. Counter not found in GameServer duel-1",
  ),
  failed(
    "a list's capacity above 1000",
    { lists: { players: { capacity: 1001n } } },
    "unable to UpdateListCapacity: Name players, Capacity 1001. Capacity must be between 0 and 1000, inclusive",
  ),
  failed(
    "a list that is not there",
    { lists: { nope: { capacity: 1n, addValues: ["a", "b"], deleteValues: ["a"] } } },
    "unable to UpdateListCapacity: Name nope, Capacity 1. List not found in GameServer duel-1",
    "unable to AppendListValues: Name nope, Values [a b]. List not found in GameServer duel-1",
    "unable to DeleteListValues: Name nope, Values [a]. List not found in GameServer duel-1",
  ),
  {
    section: "9.7",
    name: "when one action fails the others are done",
    spec: {
      counters: { rooms: { capacity: 5n, action: "Double", amount: 1n } },
      lists: { players: { capacity: 1001n, addValues: ["cy"] } },
    },
    shows: {
      "status.state": "Allocated",
      "status.counters": { rooms: { count: 4n, capacity: 5n } },
      "status.lists": { players: { capacity: 3n, values: ["ann", "bo", "cy"] } },
    },
    errors: [
      "unable to UpdateCount with Name rooms, Action Double, Amount 1. Allocation action must be one of Increment or Decrement",
      "unable to UpdateListCapacity: Name players, Capacity 1001. Capacity must be between 0 and 1000, inclusive",
    ],
  },
  {
    section: "9.7",
    name: "without their gate actions are not done",
    spec: { counters: { kills: { capacity: 1n } }, lists: { players: { capacity: 1n } } },
    gates: { CountsAndLists: false },
    shows: untouched,
  },
];

interface AnswerPromise extends PromiseRow {
  readonly gates?: Partial<FeatureGates>;
  /** Without a server the state of the answer. */
  readonly state?: "UnAllocated" | "Contention";
  /** Of the answer to a request in the namespace `games`, Packed. */
  readonly shows: Members;
}

export const answers: readonly AnswerPromise[] = [
  {
    section: "9.3",
    name: "an allocated server, and how to reach it",
    shows: {
      "metadata.name": "duel-1",
      "metadata.namespace": "games",
      "spec.scheduling": "Packed",
      "status.state": "Allocated",
      "status.gameServerName": "duel-1",
      "status.ports": [{ name: "play", port: 7012 }],
      "status.address": "203.0.113.7",
      "status.addresses": undefined,
      "status.nodeName": "node-a",
      "status.source": "local",
      "status.metadata.labels": { mode: "ranked" },
      "status.metadata.annotations": { "agones.dev/sdk-version": "1.0.0", owner: "x", ...stamp },
      ...untouched,
    },
  },
  {
    section: "9.3",
    name: "counters and lists are not told without their gate",
    gates: { CountsAndLists: false },
    shows: { "status.gameServerName": "duel-1", "status.counters": undefined, "status.lists": undefined },
  },
  ...(["UnAllocated", "Contention"] as const).map((state) => ({
    section: "9.3",
    name: `${state} names no server`,
    state,
    shows: { "metadata.name": undefined, status: { state, gameServerName: "", source: "" } },
  })),
];
