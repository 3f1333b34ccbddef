/** Counters, lists and players: changes that count on what is stored, and say the same on whatever is stored by then. */
import type { GameServer, GameServerStatus } from "#api/agones/gameserver.ts";
import { applyToCounter, type CounterChange, counterOf, mergeCounterChanges } from "./decide-counter.ts";
import { applyToList, type ListChange, listOf } from "./decide-list.ts";
import { applyToPlayers, type PlayersChange } from "./decide-players.ts";
import { mergeValuesChanges } from "./decide-values.ts";

export type CountsChange = CounterChange | ListChange | PlayersChange;

export const isCountsChange = <T extends { readonly type: string }>(change: T): change is T & CountsChange =>
  change.type === "counter" || change.type === "list" || change.type === "players";

/** The server with the changes, one after the other. A counter or list that it does not have is passed over. */
export function applyCounts(gameServer: GameServer, changes: readonly CountsChange[]): GameServer {
  return changes.reduce(applyOne, gameServer);
}

function applyOne(gameServer: GameServer, change: CountsChange): GameServer {
  const { status } = gameServer;
  switch (change.type) {
    case "counter": {
      const counter = counterOf(gameServer, change.key);
      if (!counter) return gameServer;
      const counters = { ...status?.counters, [change.key]: applyToCounter(counter, change) };
      return withStatus(gameServer, { counters });
    }
    case "list": {
      const list = listOf(gameServer, change.key);
      if (!list) return gameServer;
      return withStatus(gameServer, { lists: { ...status?.lists, [change.key]: applyToList(list, change) } });
    }
    case "players":
      return withStatus(gameServer, { players: applyToPlayers(status?.players ?? {}, change) });
  }
}

const withStatus = (gameServer: GameServer, status: GameServerStatus): GameServer => ({
  ...gameServer,
  status: { ...gameServer.status, ...status },
});

/** One change that does what the two do one after the other. Both are of one kind and key. */
export function mergeCounts<T extends CountsChange>(older: T, newer: T): T {
  if (older.type === "counter" && newer.type === "counter") return { ...newer, ...mergeCounterChanges(older, newer) };
  if (older.type === "counter" || newer.type === "counter") return newer;
  return { ...newer, ...mergeValuesChanges(older, newer) };
}

/** What is told of a write that changed counters, lists or players. */
export function countsEvents(
  before: GameServer,
  after: GameServer,
  changes: readonly CountsChange[],
): readonly { readonly type: "Normal"; readonly reason: string; readonly message: string }[] {
  const keys = (type: "counter" | "list") =>
    new Set(changes.flatMap((change) => (change.type === type ? [change.key] : [])));
  const counters = [...keys("counter")].flatMap((key) => {
    const [old, now] = [counterOf(before, key), counterOf(after, key)];
    if (!now || (old?.count === now.count && old?.capacity === now.capacity)) return [];
    return [event("UpdateCounter", `Counter ${key} updated to Count:${now.count} Capacity:${now.capacity}`)];
  });
  const lists = [...keys("list")].flatMap((key) => {
    const [old, now] = [listOf(before, key), listOf(after, key)];
    const isSame = old?.capacity === now?.capacity && isEqual(old?.values ?? [], now?.values ?? []);
    return isSame ? [] : [event("UpdateList", `List ${key} updated`)];
  });
  const [old, now] = [before.status?.players, after.status?.players];
  const players = changes.some(({ type }) => type === "players") && now;
  return [
    ...counters,
    ...lists,
    ...(players && old?.capacity !== now.capacity ? [event("PlayerCapacity", `Set to ${now.capacity}`)] : []),
    ...(players && !isEqual(old?.ids ?? [], now.ids ?? []) ? [event("PlayerCount", `Set to ${now.count}`)] : []),
  ];
}

const event = (reason: string, message: string) => ({ type: "Normal" as const, reason, message });

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);
