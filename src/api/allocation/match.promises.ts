/** Which selectors match a Ready server with the label `mode: ranked`, 3 of 10 players, a counter `rooms` at 4 of 10 and a list of 2 of 5. */
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { PromiseRow } from "../meta/promise-row.ts";
import type { CounterSelector, GameServerSelector, ListSelector } from "./gameserverallocation.ts";

interface MatchPromise extends PromiseRow {
  readonly selector: GameServerSelector;
  readonly gates?: Partial<FeatureGates>;
  readonly matches: boolean;
}

const row = (
  name: string,
  selector: GameServerSelector,
  matches: boolean,
  gates?: Partial<FeatureGates>,
): MatchPromise => ({ section: "9.2", name, selector, matches, gates });
const rooms = (rooms: CounterSelector): GameServerSelector => ({ counters: { rooms } });
const players = (players: ListSelector): GameServerSelector => ({ lists: { players } });
const filtered = { PlayerAllocationFilter: true };
const off = { CountsAndLists: false };
const mode = (operator: string, ...values: readonly string[]): GameServerSelector => ({
  matchExpressions: [{ key: "mode", operator, ...(values.length > 0 && { values }) }],
});

export const matching: readonly MatchPromise[] = [
  row("an empty selector", {}, true),
  row("a label", { matchLabels: { mode: "ranked" } }, true),
  row("another value of the label", { matchLabels: { mode: "casual" } }, false),
  row("In", mode("In", "casual", "ranked"), true),
  row("NotIn", mode("NotIn", "ranked"), false),
  row("Exists", mode("Exists"), true),
  row("DoesNotExist", mode("DoesNotExist"), false),
  row("labels and expressions, both", { matchLabels: { mode: "ranked" }, ...mode("DoesNotExist") }, false),
  row("the state", { gameServerState: "Ready" }, true),
  row("another state", { gameServerState: "Allocated" }, false),
  row("a counter that is there", rooms({}), true),
  row("a counter that is not", { counters: { kills: {} } }, false),
  row("one of two counters", { counters: { rooms: {}, kills: {} } }, false),
  row("what every object inherits is no counter", { counters: { toString: {} } }, false),
  row("a counter's least room", rooms({ minAvailable: 6n }), true),
  row("a counter with less room", rooms({ minAvailable: 7n }), false),
  row("a counter's most room", rooms({ maxAvailable: 6n }), true),
  row("a counter with more room", rooms({ maxAvailable: 5n }), false),
  row("a counter's least count", rooms({ minCount: 4n }), true),
  row("a counter below its least count", rooms({ minCount: 5n }), false),
  row("a counter above its largest count", rooms({ maxCount: 3n }), false),
  row("a maximum of 0 is none", rooms({ maxCount: 0n, maxAvailable: 0n }), true),
  row("a list that is not there", { lists: { bans: {} } }, false),
  row("a list's least room", players({ minAvailable: 3n }), true),
  row("a list with less room", players({ minAvailable: 4n }), false),
  row("a list with more room", players({ maxAvailable: 2n }), false),
  row("a list that holds the value", players({ containsValue: "ann" }), true),
  row("a list that does not", players({ containsValue: "cy" }), false),
  row("an empty value is any", players({ containsValue: "" }), true),
  row("counters and lists without their gate", { counters: { kills: {} }, lists: { bans: {} } }, true, off),
  row("players within", { players: { minAvailable: 7n, maxAvailable: 7n } }, true, filtered),
  row("too little room for players", { players: { minAvailable: 8n, maxAvailable: 9n } }, false, filtered),
  row("too much room for players", { players: { minAvailable: 1n, maxAvailable: 6n } }, false, filtered),
  row("players without a maximum are not looked at", { players: { minAvailable: 8n } }, true, filtered),
  row("players without their gate", { players: { minAvailable: 8n, maxAvailable: 9n } }, true),
];
