import type { GameServer } from "#api/agones/gameserver.ts";
import { needsHostPort } from "#api/agones/port-policy.ts";
import type { Pod, PodCondition } from "#api/core/pod.ts";
import { failureOf } from "../gameserver/decide-health.ts";
import { morePorts } from "../more-ports.ts";
import type { Obstacle } from "./decide-conditions.ts";

/** What keeps a server from starting; undefined when nothing of the kind is known. */
export function obstacleOf(server: GameServer, pod: Pod | undefined, portSetting?: string): Obstacle | undefined {
  const noNode = whyNoNode(server, pod, portSetting);
  if (noNode !== undefined) return { reason: "ServersUnschedulable", message: noNode };
  const message = cannotBeMade(pod);
  return message === undefined ? undefined : { reason: "ContainersWaiting", message };
}

/** An orderly shutdown of its node ended the Pod: that is no fault of its game. */
export const endedWithNode = (pod: Pod | undefined): boolean => pod?.status?.reason === "Terminated";

/** Why a container cannot be made, in the words of the kubelet: somebody has to change something. */
const CANNOT_BE_MADE: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "CreateContainerConfigError",
]);

interface WaitingContainer {
  readonly name: string;
  readonly reason: string;
  readonly message?: string;
}

/** The first container that says what it waits for. */
function waitingOf(pod: Pod | undefined): WaitingContainer | undefined {
  for (const { name, state } of pod?.status?.containerStatuses ?? []) {
    const { reason, message } = state?.waiting ?? {};
    if (reason) return { name, reason, ...(message !== undefined && { message }) };
  }
  return undefined;
}

function cannotBeMade(pod: Pod | undefined): string | undefined {
  const waiting = waitingOf(pod);
  return waiting && CANNOT_BE_MADE.has(waiting.reason) ? toldOf(waiting) : undefined;
}

/** What holds up a Pod, in the cluster's words: where it changes, what is said of its server may change. */
export const heldUpBy = (pod: Pod | undefined): string | undefined =>
  unschedulableOf(pod)?.message ?? cannotBeMade(pod);

const toldOf = ({ name, reason, message }: WaitingContainer): string =>
  `container ${name} waits: ${reason}${message ? `: ${message}` : ""}`;

/** Why no node takes a server's Pod, in words for people; undefined when one did, or none was asked. */
function whyNoNode({ spec }: GameServer, pod: Pod | undefined, portSetting?: string): string | undefined {
  const unschedulable = unschedulableOf(pod);
  if (!unschedulable) return undefined;
  const { message = "the scheduler does not say why" } = unschedulable;
  const outOfPorts = message.includes("free ports") && spec.ports?.some(needsHostPort);
  const cure = outOfPorts ? morePorts(portSetting) : "";
  return `no node takes its Pod: ${message.replace(/\.$/, "")}${cure}`;
}

/** What the scheduler says of a Pod that no node can take. */
const unschedulableOf = (pod: Pod | undefined): PodCondition | undefined =>
  pod?.status?.conditions?.find(({ reason }) => reason === "Unschedulable");

/**
 * What a server that is not Ready waits for, or how it ended, in words for the people who run it. `pod` is the one of its name;
 * `portSetting` names what host ports are set by.
 */
export function whyNotReady(server: GameServer, pod: Pod | undefined, portSetting?: string): string {
  const { status } = server;
  const state = status?.state ?? "new";
  if (pod?.status?.message) return pod.status.message;
  const failure = pod?.status?.containerStatuses?.map(failureOf).find((each) => each !== undefined);
  if (failure) return failure;
  const ended = pod?.status?.containerStatuses?.find(({ state: container }) => container?.terminated)?.name;
  const must = "a game must call Ready and keep running";
  if (state === "Shutdown" && ended) return `container ${ended} exited with code 0 before it said Ready: ${must}`;
  if (state === "Shutdown") return `it was shut down before it said Ready: ${must}`;
  if (ended) return `container ${ended} exited with code 0`;
  const { phase } = pod?.status ?? {};
  const { disabled = false, periodSeconds } = server.spec.health ?? {};
  if (state === "Unhealthy" && phase === "Running" && !disabled && periodSeconds)
    return `its game runs and did not call Health() of the SDK every ${periodSeconds} s`;
  if (state === "Error" || state === "Unhealthy") return `it is ${state}; its events say why`;
  if (!pod) return `it is ${state} and has no Pod`;
  const noNode = whyNoNode(server, pod, portSetting);
  if (noNode) return noNode;
  const waiting = waitingOf(pod);
  if (waiting) return toldOf(waiting);
  if (state === "Scheduled" && phase === "Running") return "its game runs and has not called Ready() of the SDK";
  return `it is ${state} and its Pod is ${phase ?? "new"}`;
}
