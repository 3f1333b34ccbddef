import { CONTAINER_ANNOTATION, FLEET_LABEL, GAMESERVERSET_LABEL } from "#api/agones/constants.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import type { Node } from "#api/core/node.ts";
import type { ContainerState, ContainerStatus, Pod } from "#api/core/pod.ts";
import { NODES, PODS } from "#api/core/resources.ts";
import { controllerOf, type KubeObject } from "#api/meta/object.ts";
import type { Client } from "#kube/client.ts";
import type { Informer } from "#kube/informer.ts";
import { createInformer, type InformerOptions } from "#kube/shared-informer.ts";
import { whyFailed } from "./why-failed.ts";

/** The caches all controllers of a process share. */
export interface ControllerInformers {
  readonly gameServers: Informer<GameServer>;
  readonly gameServerSets: Informer<GameServerSet>;
  readonly fleets: Informer<Fleet>;
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
}

/** What all caches are opened with. */
type CacheOptions = Omit<InformerOptions<KubeObject>, "transform">;

/** Index of GameServers and GameServerSets by the UID of what controls them. */
export const BY_OWNER = "owner";

/** The caches over a client, with the indexes that the controllers read by. They do not run yet. */
export function createControllerInformers(client: Client, options: CacheOptions): ControllerInformers {
  const informers = {
    gameServers: createInformer(client, GAMESERVERS, options),
    gameServerSets: createInformer(client, GAMESERVERSETS, options),
    fleets: createInformer(client, FLEETS, options),
    pods: createInformer(client, PODS, { ...options, transform: trimPod }),
    nodes: createInformer(client, NODES, options),
  };
  addIndexes(informers);
  return informers;
}

function addIndexes({ gameServers, gameServerSets }: ControllerInformers): void {
  const owner = (object: GameServer | GameServerSet) => controllerOf(object)?.uid ?? [];
  gameServers.addIndex(BY_OWNER, (server) =>
    server.metadata.labels?.[GAMESERVERSET_LABEL] ? [owner(server)].flat() : [],
  );
  gameServerSets.addIndex(BY_OWNER, (set) => (set.metadata.labels?.[FLEET_LABEL] ? [owner(set)].flat() : []));
}

/** Keeps of a Pod what the controllers decide on; a cache of 10,000 Pods stays small. Its message says why it failed. */
export function trimPod(pod: Pod): Pod {
  const { name, namespace, uid, resourceVersion, labels, annotations, ownerReferences, deletionTimestamp } =
    pod.metadata;
  const { nodeName, restartPolicy } = pod.spec;
  const { phase, reason, podIPs, conditions, containerStatuses } = pod.status ?? {};
  const game = containerStatuses?.find(({ name }) => name === annotations?.[CONTAINER_ANNOTATION]);
  const unschedulable = conditions?.find(({ reason }) => reason === "Unschedulable");
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata: { name, namespace, uid, resourceVersion, labels, annotations, ownerReferences, deletionTimestamp },
    spec: { containers: [], ...(nodeName && { nodeName }), ...(restartPolicy && { restartPolicy }) },
    status: {
      phase,
      reason,
      message: whyFailed(pod),
      podIPs,
      ...(unschedulable && { conditions: [unschedulable] }),
      ...(game && { containerStatuses: [trimContainer(game)] }),
    },
  };
}

/** What every container waits for before it runs. */
const USUAL_WAITS: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);

/** How the game's container runs, or how it ended, or what unusual it waits for. */
function trimContainer({ name, containerID, state, lastState }: ContainerStatus): ContainerStatus {
  const unread = { image: "", imageID: "", ready: false, restartCount: 0 };
  return { ...unread, name, containerID, state: trimState(state), lastState: trimState(lastState) };
}

function trimState({ running, terminated, waiting }: ContainerState = {}): ContainerState | undefined {
  if (waiting?.reason && !USUAL_WAITS.has(waiting.reason)) return { waiting };
  if (terminated) return { terminated: { exitCode: terminated.exitCode, message: terminated.message } };
  return running && { running: {} };
}
