/** When the SDK server of a Pod may end that is told to while its game may still run. */
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { isBeforePod, isBeingDeleted } from "#api/agones/predicates.ts";

export interface EndSnapshot {
  /** As it was seen last; `undefined` before it was seen, and when it is gone. */
  readonly gameServer: GameServer | undefined;
  readonly gone: boolean;
  /** What the game asked this process for last. */
  readonly asked: GameServerState | undefined;
}

/**
 * A game that never asked for a state, in this life or an earlier one, is not waited for. Any other is served until its Shutdown is
 * stored; a server that is being deleted stores none, so that there the game's word counts.
 */
export function mayEnd({ gameServer, gone, asked }: EndSnapshot): boolean {
  if (gone || gameServer?.status?.state === "Shutdown") return true;
  if (asked !== undefined) return asked === "Shutdown" && gameServer !== undefined && isBeingDeleted(gameServer);
  return !gameServer || isBeforePod(gameServer) || gameServer.status?.state === "Scheduled";
}
