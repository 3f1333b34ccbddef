import { addressOf, applyAddressAndPorts } from "#api/agones/address.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import {
  isBeforeReady,
  isBeingDeleted,
  isDeletable,
  isDevelopment,
  isGameServerPod,
  isTerminal,
} from "#api/agones/predicates.ts";
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { isControlledBy } from "#api/meta/object.ts";
import { type Note, withState } from "./decide-step.ts";

/** What became of a server's Pod, and what the server becomes of it. `undefined`: nothing to do. */
export type PodVerdict = { readonly gameServer: GameServer; readonly note: Note } | undefined;

export interface PodSnapshot {
  readonly gameServer: GameServer;
  /** The Pod of the server's name, whoever controls it. */
  readonly pod: Pod | undefined;
  readonly node: Node | undefined;
}

const unhealthy = (gameServer: GameServer, message: string): PodVerdict => ({
  gameServer: withState(gameServer, "Unhealthy"),
  note: { type: "Warning", reason: "Unhealthy", message },
});

const isSettled = (gameServer: GameServer): boolean =>
  isBeingDeleted(gameServer) || isTerminal(gameServer) || isDevelopment(gameServer);

/** The Pod, when it is this very server's: one that an earlier server of the name left behind says nothing of this one. */
const ownPod = ({ gameServer, pod }: PodSnapshot): Pod | undefined =>
  pod && isGameServerPod(pod) && isControlledBy(pod, gameServer) ? pod : undefined;

/** A Pod that failed or was evicted, and one that is being deleted under a living server, make it Unhealthy. */
export function decideHealth(snapshot: PodSnapshot): PodVerdict {
  const { gameServer } = snapshot;
  const pod = ownPod(snapshot);
  if (isSettled(gameServer) || !pod) return undefined;
  const failed = pod.status?.reason === "Evicted" || pod.status?.phase === "Failed";
  // A match goes on while its Pod has time to end; a server without one must not get a new match.
  const leaving = pod.metadata.deletionTimestamp !== undefined && isDeletable(gameServer);
  const why = failed && pod.status?.message ? `: ${pod.status.message}` : "";
  return failed || leaving ? unhealthy(gameServer, `Issue with Gameserver pod${why}`) : undefined;
}

/** A server whose Pod was made and is gone, or belongs to somebody else, is Unhealthy. The caller asks the API once more first. */
export function decideMissingPod(snapshot: PodSnapshot): PodVerdict {
  const { gameServer } = snapshot;
  const { state } = gameServer.status ?? {};
  if (isSettled(gameServer) || !state || state === "PortAllocation" || state === "Creating") return undefined;
  return ownPod(snapshot) ? undefined : unhealthy(gameServer, "Pod is missing");
}

/** A Pod whose processes all ended well means the game is over: the server shuts down. */
export function decideSucceeded(snapshot: PodSnapshot): PodVerdict {
  const { gameServer } = snapshot;
  const pod = ownPod(snapshot);
  if (isSettled(gameServer) || pod?.status?.phase !== "Succeeded" || pod.metadata.deletionTimestamp) return undefined;
  return {
    gameServer: withState(gameServer, "Shutdown"),
    note: { type: "Normal", reason: "Shutdown", message: "Pod is in Succeeded state" },
  };
}

/** A Pod on another node than its server says, or a node that changed its addresses: before Ready follow, after it Unhealthy. */
export function decideMigration(snapshot: PodSnapshot): PodVerdict {
  const { gameServer, node } = snapshot;
  const pod = ownPod(snapshot);
  const known = gameServer.status?.nodeName;
  if (isSettled(gameServer) || !known || !pod?.spec.nodeName || pod.metadata.deletionTimestamp) return undefined;
  // A node that has no usable address yet is looked at again when it has.
  if (!node || node.metadata.deletionTimestamp || addressOf(node).primary === undefined) return undefined;
  const isNodeAddress = node.status?.addresses?.some(({ address }) => address === gameServer.status?.address);
  if (pod.spec.nodeName === known && isNodeAddress) return undefined;
  if (!isBeforeReady(gameServer)) return unhealthy(gameServer, "Node migration occurred");
  return {
    gameServer: applyAddressAndPorts(gameServer, pod, node),
    note: {
      type: "Warning",
      reason: gameServer.status?.state ?? "",
      message: "Address updated due to Node migration",
    },
  };
}
