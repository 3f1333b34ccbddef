import { applyAddressAndPorts, developmentReady, withPodAddresses } from "#api/agones/address.ts";
import type { CloudProduct } from "#api/agones/cloud-product/cloud-product.ts";
import { FINALIZER, LEGACY_FINALIZER, READY_CONTAINER_ID_ANNOTATION } from "#api/agones/constants.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { isDevelopment } from "#api/agones/predicates.ts";
import type { EventType } from "#api/core/event.ts";
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";

/** An event to record on the GameServer once its write succeeded. */
export interface Note {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** What a GameServer needs next. Each step is a write, or ends the pass. */
export type Step =
  | { readonly type: "done" }
  /** Nothing to do until the named thing is seen; its event brings the server back. */
  | { readonly type: "wait"; readonly for: string }
  /** As `wait`, for what has no event that leads to the server: to be looked at again soon. */
  | { readonly type: "poll"; readonly for: string }
  /** Not possible as things are; to be tried again ever more slowly. */
  | { readonly type: "fail"; readonly error: unknown }
  | { readonly type: "allocatePorts" }
  | { readonly type: "createPod" }
  /** Note on the Pod which container is the one that became Ready, then decide again. */
  | { readonly type: "markPod"; readonly pod: Pod; readonly containerId: string }
  | { readonly type: "write"; readonly gameServer: GameServer; readonly notes: readonly Note[] }
  | { readonly type: "deletePod"; readonly pod: Pod }
  /** The Pod is not in the cache: write the server without our finalizers, once the API says so too. */
  | { readonly type: "release"; readonly gameServer: GameServer }
  | { readonly type: "deleteGameServer" };

export interface StepSnapshot {
  readonly gameServer: GameServer;
  /** The Pod that this very GameServer controls, if the cache has it. */
  readonly pod: Pod | undefined;
  /** The node the Pod is on, if the cache has it. */
  readonly node: Node | undefined;
}

/** What the installation says about Pods. */
export interface PodRules {
  readonly gates: Pick<FeatureGates, "SidecarContainers">;
  readonly product: CloudProduct;
}

const normal = (reason: string, message: string): Note => ({ type: "Normal", reason, message });
const done: Step = { type: "done" };
const waitFor = (what: string): Step => ({ type: "wait", for: what });
const write = (gameServer: GameServer, ...notes: Note[]): Step => ({ type: "write", gameServer, notes });

export const withState = (gameServer: GameServer, state: GameServerState): GameServer => ({
  ...gameServer,
  status: { ...gameServer.status, state },
});

/**
 * The life of a GameServer, one step at a time: ports, Pod, address, Ready, deletion.
 * Writing what a step returns and deciding again walks several states in one pass.
 */
export function decideStep(snapshot: StepSnapshot, rules: PodRules): Step {
  const { gameServer } = snapshot;
  if (gameServer.metadata.deletionTimestamp) return decideDeletion(snapshot);
  const development = isDevelopment(gameServer);
  switch (gameServer.status?.state) {
    case "PortAllocation":
      return { type: "allocatePorts" };
    case "Creating":
      return development ? write(developmentReady(gameServer)) : { type: "createPod" };
    case "Starting":
      return development ? done : decideScheduled(snapshot, rules);
    case "RequestReady":
      return development ? write(withState(gameServer, "Ready")) : decideReady(snapshot, rules);
    case "Ready":
    case "Reserved":
    case "Allocated":
      return development ? done : decideLateAddress(snapshot);
    case "Shutdown":
      return { type: "deleteGameServer" };
    default:
      return done;
  }
}

/** The Pod goes first; the finalizer holds the GameServer until the Pod has gone. */
function decideDeletion({ gameServer, pod }: StepSnapshot): Step {
  if (pod && !isDevelopment(gameServer))
    return pod.metadata.deletionTimestamp ? waitFor("Pod to end") : { type: "deletePod", pod };
  const finalizers = gameServer.metadata.finalizers ?? [];
  const left = finalizers.filter((each) => each !== FINALIZER && each !== LEGACY_FINALIZER);
  const released = { ...gameServer, metadata: { ...gameServer.metadata, finalizers: left } };
  return left.length === finalizers.length ? done : { type: "release", gameServer: released };
}

function decideScheduled({ gameServer, pod, node }: StepSnapshot, rules: PodRules): Step {
  if (!pod) return waitFor("Pod in the cache");
  if (pod.spec.nodeName && !pod.status?.podIPs?.length) return waitFor("Pod IPs");
  return placed(gameServer, pod, node, rules, (there) =>
    write(withState(there, "Scheduled"), normal("Scheduled", "Address and port populated")),
  );
}

/** The SDK may ask for Ready before the address is known: whichever step comes first fills it. */
function decideReady({ gameServer, pod, node }: StepSnapshot, rules: PodRules): Step {
  if (!pod) return waitFor("Pod in the cache");
  const become = (there: GameServer, ...notes: Note[]): Step => {
    const marked = rules.gates.SidecarContainers ? there : withReadyContainer(there, pod);
    if ("type" in marked) return marked;
    return write(withState(marked, "Ready"), ...notes, normal("Ready", "SDK.Ready() complete"));
  };
  if (gameServer.status?.nodeName) return become(withPodAddresses(gameServer, pod));
  return placed(gameServer, pod, node, rules, (there) => become(there, normal("Ready", "Address and port populated")));
}

/** A server that was Ready before its Pod had an address gets that one too, whatever it does meanwhile. */
function decideLateAddress({ gameServer, pod }: StepSnapshot): Step {
  if (!pod || pod.spec.nodeName !== gameServer.status?.nodeName) return done;
  const complete = withPodAddresses(gameServer, pod);
  return complete === gameServer ? done : write(complete);
}

/** Goes on with the server at the address of its node, once its Pod has one. */
function placed(
  gameServer: GameServer,
  pod: Pod,
  node: Node | undefined,
  { product }: PodRules,
  goOn: (there: GameServer) => Step,
): Step {
  if (!pod.spec.nodeName) return waitFor("Pod to be scheduled");
  if (!node) return { type: "poll", for: "Node in the cache" };
  let there: GameServer;
  try {
    there = applyAddressAndPorts(gameServer, pod, node, product);
  } catch (error) {
    return { type: "fail", error };
  }
  return goOn(there);
}

/**
 * Without sidecar containers the kubelet restarts a game's container. Which one was Ready is noted once, on the Pod first and then
 * on the server: a later one has lost the match.
 */
function withReadyContainer(gameServer: GameServer, pod: Pod): GameServer | Step {
  const { annotations } = gameServer.metadata;
  const game = pod.status?.containerStatuses?.find(({ name }) => name === gameServer.spec.container);
  const containerId = annotations?.[READY_CONTAINER_ID_ANNOTATION] ?? (game?.state?.running && game.containerID);
  if (!containerId) return waitFor("game container to run");
  if (pod.metadata.annotations?.[READY_CONTAINER_ID_ANNOTATION] !== containerId)
    return { type: "markPod", pod, containerId };
  if (annotations?.[READY_CONTAINER_ID_ANNOTATION]) return gameServer;
  const marked = { ...annotations, [READY_CONTAINER_ID_ANNOTATION]: containerId };
  return { ...gameServer, metadata: { ...gameServer.metadata, annotations: marked } };
}
