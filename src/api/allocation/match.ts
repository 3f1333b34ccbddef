/** Which servers a selector takes. */
import type { CounterStatus, ListStatus } from "../agones/common.ts";
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { GameServer } from "../agones/gameserver.ts";
import { labelSelectorMatcher } from "../meta/label-selector.ts";
import type { CounterSelector, GameServerSelector, ListSelector } from "./gameserverallocation.ts";

type Test = (gameServer: GameServer) => boolean;

/**
 * Compiles a selector once, to be asked often. Every condition must hold; a counter or list that is named must exist,
 * and a maximum of zero is none. Without `gameServerState` any state will do.
 * Throws `SelectorError` for labels that validation would have refused.
 */
export function selectorMatcher(selector: GameServerSelector, gates: FeatureGates): Test {
  const { matchLabels, matchExpressions, gameServerState } = selector;
  const labels = labelSelectorMatcher({
    matchLabels: matchLabels ?? undefined,
    matchExpressions: matchExpressions ?? undefined,
  });
  const tests: Test[] = [({ metadata }) => labels(metadata.labels)];
  if (gameServerState) tests.push(({ status }) => status?.state === gameServerState);
  if (gates.PlayerAllocationFilter && selector.players) tests.push(playersTest(selector.players));
  if (gates.CountsAndLists) {
    for (const [name, wanted] of Object.entries(selector.counters ?? {})) {
      tests.push(({ status }) => counterMatches(own(status?.counters, name), wanted));
    }
    for (const [name, wanted] of Object.entries(selector.lists ?? {})) {
      tests.push(({ status }) => listMatches(own(status?.lists, name), wanted));
    }
  }
  return (gameServer) => tests.every((test) => test(gameServer));
}

/** One question to a selector; see `selectorMatcher` for many. */
export const matches = (selector: GameServerSelector, gameServer: GameServer, gates: FeatureGates): boolean =>
  selectorMatcher(selector, gates)(gameServer);

function playersTest({ minAvailable, maxAvailable }: NonNullable<GameServerSelector["players"]>): Test {
  return ({ status }) => {
    const players = status?.players;
    if (!players || !maxAvailable) return true;
    return within((players.capacity ?? 0n) - (players.count ?? 0n), minAvailable, maxAvailable);
  };
}

function counterMatches(counter: CounterStatus | undefined, wanted: CounterSelector): boolean {
  if (!counter) return false;
  const { count = 0n, capacity = 0n } = counter;
  return (
    within(count, wanted.minCount, wanted.maxCount) &&
    within(capacity - count, wanted.minAvailable, wanted.maxAvailable)
  );
}

function listMatches(list: ListStatus | undefined, wanted: ListSelector): boolean {
  if (!list) return false;
  const { values = [], capacity = 0n } = list;
  return (
    within(capacity - BigInt(values.length), wanted.minAvailable, wanted.maxAvailable) &&
    (!wanted.containsValue || values.includes(wanted.containsValue))
  );
}

function within(value: bigint, least: bigint | undefined, most: bigint | undefined): boolean {
  return value >= (least ?? 0n) && (!most || value <= most);
}

function own<T>(map: Readonly<Record<string, T>> | null | undefined, name: string): T | undefined {
  return map && Object.hasOwn(map, name) ? map[name] : undefined;
}
