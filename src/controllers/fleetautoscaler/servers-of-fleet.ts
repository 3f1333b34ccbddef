import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { BY_OWNER, type ControllerInformers } from "../informers.ts";

/** The servers of all sets of a fleet, by ownership: a fleet of the same name in another namespace has none of them. */
export function serversOfFleet(
  { gameServerSets, gameServers }: Pick<ControllerInformers, "gameServerSets" | "gameServers">,
  { metadata: { uid = "" } }: Fleet,
): readonly GameServer[] {
  const sets = gameServerSets.lister.byIndex(BY_OWNER, uid);
  return sets.flatMap(({ metadata }) => gameServers.lister.byIndex(BY_OWNER, metadata.uid ?? ""));
}
