import { addressOf, applyAddressAndPorts } from "#api/agones/address.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeforeReady, isBeingDeleted, isDevelopment, isGameServerPod, isTerminal } from "#api/agones/predicates.ts";
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

export const unhealthy = (gameServer: GameServer, message: string): PodVerdict => ({
  gameServer: withState(gameServer, "Unhealthy"),
  note: { type: "Warning", reason: "Unhealthy", message },
});

/** Nothing that becomes of its Pod changes it any more. */
export const isSettled = (gameServer: GameServer): boolean =>
  isBeingDeleted(gameServer) || isTerminal(gameServer) || isDevelopment(gameServer);

/** The Pod, when it is this very server's: one that an earlier server of the name left behind says nothing of this one. */
export const ownPod = ({ gameServer, pod }: PodSnapshot): Pod | undefined =>
  pod && isGameServerPod(pod) && isControlledBy(pod, gameServer) ? pod : undefined;

/** A server whose Pod was made and is gone, or belongs to somebody else, is Unhealthy. The caller asks the API once more first. */
export function decideMissingPod(snapshot: PodSnapshot): PodVerdict {
  const { gameServer } = snapshot;
  const { state } = gameServer.status ?? {};
  if (isSettled(gameServer) || !state || state === "PortAllocation" || state === "Creating") return undefined;
  return ownPod(snapshot) ? undefined : unhealthy(gameServer, "Pod is missing");
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
    // Whatever host ports a cloud product gave are in the spec by now.
    gameServer: applyAddressAndPorts(gameServer, pod, node),
    note: {
      type: "Warning",
      reason: gameServer.status?.state ?? "",
      message: "Address updated due to Node migration",
    },
  };
}
