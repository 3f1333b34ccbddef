/** The request document completed: what a caller gets back. */
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { GameServer } from "../agones/gameserver.ts";
import type { GameServerAllocation, GameServerAllocationStatus } from "./gameserverallocation.ts";

/** A server of this cluster; otherwise the remote endpoint is named. */
const LOCAL_SOURCE = "local";

/** Names the server and copies what a client needs to reach it, as it is after the update. */
export function allocated(
  allocation: GameServerAllocation,
  gameServer: GameServer,
  gates: FeatureGates,
): GameServerAllocation {
  const { name = "" } = gameServer.metadata;
  return {
    ...allocation,
    metadata: { ...allocation.metadata, name },
    status: allocatedStatus(gameServer, gates),
  };
}

/** No server: none matched, or others were faster. For HTTP this is a success; `status.state` tells. */
export function unallocated(
  allocation: GameServerAllocation,
  state: "UnAllocated" | "Contention",
): GameServerAllocation {
  return { ...allocation, status: { state, gameServerName: "", source: "" } };
}

function allocatedStatus(
  { metadata, status = {} }: GameServer,
  { CountsAndLists }: FeatureGates,
): GameServerAllocationStatus {
  const { labels, annotations } = metadata;
  return {
    state: "Allocated",
    gameServerName: metadata.name ?? "",
    ...(status.ports?.length && { ports: status.ports }),
    ...(status.address && { address: status.address }),
    ...(status.addresses?.length && { addresses: status.addresses }),
    ...(status.nodeName && { nodeName: status.nodeName }),
    source: LOCAL_SOURCE,
    metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
    ...(CountsAndLists && status.counters && { counters: status.counters }),
    ...(CountsAndLists && status.lists && { lists: status.lists }),
  };
}
