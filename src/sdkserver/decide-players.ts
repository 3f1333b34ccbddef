/** What a call does to the players of a game. */
import type { GameServer, PlayerStatus } from "#api/agones/gameserver.ts";
import { NO_VALUES, type ValuesChange } from "./decide-values.ts";

export interface PlayersChange extends ValuesChange {
  readonly type: "players";
}

type Decision = { readonly change?: PlayersChange } | { readonly refused: string };

/** Whoever is connected, in the order in which they came. */
export const playersOf = ({ status }: GameServer): readonly string[] => status?.players?.ids ?? [];

export const playerCapacityOf = ({ status }: GameServer): bigint => status?.players?.capacity ?? 0n;

/** Nothing when the player is connected already. */
export function decideConnect(gameServer: GameServer, id: string): Decision {
  const ids = playersOf(gameServer);
  if (ids.includes(id)) return {};
  if (BigInt(ids.length) >= playerCapacityOf(gameServer)) return { refused: "players are already at capacity" };
  return { change: { type: "players", ...NO_VALUES, add: [id] } };
}

/** Nothing when the player is not connected. */
export function decideDisconnect(gameServer: GameServer, id: string): Decision {
  return playersOf(gameServer).includes(id) ? { change: { type: "players", ...NO_VALUES, remove: [id] } } : {};
}

/** Any number will do; below the number of players it sends nobody away. */
export const decidePlayerCapacity = (capacity: bigint): Decision => ({
  change: { type: "players", ...NO_VALUES, capacity },
});

export function applyToPlayers(players: PlayerStatus, { capacity, remove, add }: PlayersChange): PlayerStatus {
  const removed = new Set(remove);
  const ids = [...new Set([...(players.ids ?? []).filter((id) => !removed.has(id)), ...add])];
  return { ...players, capacity: capacity ?? players.capacity ?? 0n, ids, count: BigInt(ids.length) };
}
