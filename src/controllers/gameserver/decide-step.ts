import { applyAddressAndPorts, developmentReady } from "#api/agones/address.ts";
import { FINALIZER, LEGACY_FINALIZER } from "#api/agones/constants.ts";
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
  | { readonly type: "allocatePorts" }
  | { readonly type: "createPod" }
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

const normal = (reason: string, message: string): Note => ({ type: "Normal", reason, message });
const done: Step = { type: "done" };
const waitFor = (what: string): Step => ({ type: "wait", for: what });

export const withState = (gameServer: GameServer, state: GameServerState): GameServer => ({
  ...gameServer,
  status: { ...gameServer.status, state },
});

/**
 * The life of a GameServer, one step at a time: ports, Pod, address, Ready, deletion.
 * Writing what a step returns and deciding again walks several states in one pass.
 */
export function decideStep(snapshot: StepSnapshot): Step {
  const { gameServer } = snapshot;
  if (gameServer.metadata.deletionTimestamp) return decideDeletion(snapshot);
  const development = isDevelopment(gameServer);
  switch (gameServer.status?.state) {
    case "PortAllocation":
      return { type: "allocatePorts" };
    case "Creating":
      return development ? write(developmentReady(gameServer)) : { type: "createPod" };
    case "Starting":
      return development ? done : decideScheduled(snapshot);
    case "RequestReady":
      return development ? write(withState(gameServer, "Ready")) : decideReady(snapshot);
    case "Shutdown":
      return { type: "deleteGameServer" };
    default:
      return done;
  }
}

const write = (gameServer: GameServer, ...notes: Note[]): Step => ({ type: "write", gameServer, notes });

/** The Pod goes first; the finalizer holds the GameServer until the Pod has gone. */
function decideDeletion({ gameServer, pod }: StepSnapshot): Step {
  if (pod && !isDevelopment(gameServer))
    return pod.metadata.deletionTimestamp ? waitFor("Pod to end") : { type: "deletePod", pod };
  const finalizers = gameServer.metadata.finalizers ?? [];
  const left = finalizers.filter((each) => each !== FINALIZER && each !== LEGACY_FINALIZER);
  const released = { ...gameServer, metadata: { ...gameServer.metadata, finalizers: left } };
  return left.length === finalizers.length ? done : { type: "release", gameServer: released };
}

function decideScheduled({ gameServer, pod, node }: StepSnapshot): Step {
  if (!pod) return waitFor("Pod in the cache");
  if (!pod.spec.nodeName) return waitFor("Pod to be scheduled");
  if (!pod.status?.podIPs?.length) return waitFor("Pod IPs");
  if (!node) return waitFor("Node in the cache");
  return write(
    withState(applyAddressAndPorts(gameServer, pod, node), "Scheduled"),
    normal("Scheduled", "Address and port populated"),
  );
}

/** The SDK may ask for Ready before the address is known: whichever step comes first fills it. */
function decideReady({ gameServer, pod, node }: StepSnapshot): Step {
  if (!pod) return waitFor("Pod in the cache");
  const ready = normal("Ready", "SDK.Ready() complete");
  if (gameServer.status?.nodeName) return write(withState(gameServer, "Ready"), ready);
  if (!pod.spec.nodeName) return waitFor("Pod to be scheduled");
  if (!node) return waitFor("Node in the cache");
  return write(
    withState(applyAddressAndPorts(gameServer, pod, node), "Ready"),
    normal("Ready", "Address and port populated"),
    ready,
  );
}
