import { CONTAINER_ANNOTATION, READY_CONTAINER_ID_ANNOTATION } from "#api/agones/constants.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeforeReady, isDeletable } from "#api/agones/predicates.ts";
import type { ContainerStatus, Pod } from "#api/core/pod.ts";
import { tellingLine } from "#api/core/telling-line.ts";
import { isSettled, ownPod, type PodSnapshot, type PodVerdict, unhealthy } from "./decide-pod-health.ts";
import { type PodRules, withState } from "./decide-step.ts";

/**
 * A Pod that failed, was evicted or lost its game, and one that is being deleted under a server that nobody plays on, make the
 * server Unhealthy.
 */
export function decideHealth(snapshot: PodSnapshot, rules: PodRules): PodVerdict {
  const { gameServer } = snapshot;
  const pod = ownPod(snapshot);
  if (isSettled(gameServer) || !pod) return undefined;
  const fault =
    podFault(pod) ?? (rules.gates.SidecarContainers ? gameFault(pod) : restartFault(gameServer, pod, rules));
  // A match goes on while its Pod has time to end; a server without one must not get a new match.
  const leaving = pod.metadata.deletionTimestamp !== undefined && isDeletable(gameServer);
  if (fault === undefined && !leaving) return undefined;
  return unhealthy(gameServer, `Issue with Gameserver pod${fault ? `: ${fault}` : ""}`);
}

/** A game that ended well is over: the server shuts down, whatever else still runs in its Pod. Only with sidecar containers. */
export function decideSucceeded(snapshot: PodSnapshot): PodVerdict {
  const { gameServer } = snapshot;
  const pod = ownPod(snapshot);
  if (isSettled(gameServer) || !pod || pod.metadata.deletionTimestamp) return undefined;
  const succeeded = pod.status?.phase === "Succeeded";
  const game = gameOf(pod);
  const over = game && endedForGood(game, pod) && game.state?.terminated?.exitCode === 0;
  if (!succeeded && !(over && pod.status?.phase === "Running")) return undefined;
  const message = succeeded ? "Pod is in Succeeded state" : `Container ${game?.name} has ended`;
  return { gameServer: withState(gameServer, "Shutdown"), note: { type: "Normal", reason: "Shutdown", message } };
}

/** How a container ended that failed, with the line of its output that says best why, in words for people. */
export function failureOf({ name, state }: ContainerStatus): string | undefined {
  const { exitCode = 0, message = "" } = state?.terminated ?? {};
  if (exitCode === 0) return undefined;
  const why = tellingLine(message);
  return `container ${name} ended with exit code ${exitCode}${why && `: ${why}`}`;
}

const gameOf = ({ metadata, status }: Pod): ContainerStatus | undefined =>
  status?.containerStatuses?.find(({ name }) => name === metadata.annotations?.[CONTAINER_ANNOTATION]);

/** What ends every Pod: empty when the Pod does not say why. */
function podFault({ status }: Pod): string | undefined {
  const failed = status?.reason === "Evicted" || status?.phase === "Failed";
  return failed ? (status.message ?? "") : undefined;
}

/** A game that failed and that nothing starts again, while other containers keep its Pod going. */
function gameFault(pod: Pod): string | undefined {
  const game = gameOf(pod);
  return game && endedForGood(game, pod) ? failureOf(game) : undefined;
}

function endedForGood({ state }: ContainerStatus, { spec }: Pod): boolean {
  if (!state?.terminated) return false;
  return spec.restartPolicy === "Never" || (spec.restartPolicy === "OnFailure" && state.terminated.exitCode === 0);
}

/**
 * Without sidecar containers a Pod never fails by itself: it waits for ports for ever, and its containers are started again. That is
 * well before the server is Ready; after it the match is lost.
 */
function restartFault(gameServer: GameServer, pod: Pod, { product }: PodRules): string | undefined {
  const unschedulable = pod.status?.conditions?.find(
    ({ type, reason }) => type === "PodScheduled" && reason === "Unschedulable",
  )?.message;
  if (unschedulable?.includes("free ports") && !product.waitsForFreePorts) return unschedulable;
  if (pod.status?.phase === "Succeeded") return "its game has ended";
  const game = gameOf(pod);
  if (!game?.state?.terminated && !game?.lastState?.terminated) return undefined;
  const ready = gameServer.metadata.annotations?.[READY_CONTAINER_ID_ANNOTATION];
  // One cache shows the mark and the other not yet: the event of the other brings the server back.
  if (ready !== pod.metadata.annotations?.[READY_CONTAINER_ID_ANNOTATION]) return undefined;
  if (endedForGood(game, pod)) return failureOf(game) ?? `container ${game.name} has ended`;
  if (isBeforeReady(gameServer)) return undefined;
  // A start before the server was Ready is forgiven.
  if (!game.state?.terminated && game.containerID === ready) return undefined;
  const state = game.state?.terminated ? game.state : game.lastState;
  return failureOf({ ...game, ...(state && { state }) }) ?? `container ${game.name} has ended`;
}
