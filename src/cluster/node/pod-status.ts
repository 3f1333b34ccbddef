/** The status a node reports for a pod: a pure function of the pod, its containers as they are, and the status before. */
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodPhase,
  PodStatus,
} from "#api/core/pod.ts";
import { rfc3339 } from "#runtime/clock.ts";
import { hasFailedInit, isInitialized, isLive, type PodSnapshot } from "./decide-pod.ts";
import {
  type ContainerView,
  isFinal,
  isSidecar,
  restartAt,
  restartPolicyOf,
  type Termination,
} from "./decide-restart.ts";

/** Where the pod's processes are reached: the node's own addresses, for there is no network between. */
export interface PodAddresses {
  readonly hostIP: string;
  readonly podIPs: readonly string[];
}

/** Keeps conditions that others own, and every transition time whose condition did not change. */
export function podStatus(snapshot: PodSnapshot, { hostIP, podIPs }: PodAddresses): PodStatus {
  const { pod, now } = snapshot;
  const [podIP] = podIPs;
  const phase = phaseOf(snapshot);
  const statuses = (list: readonly Container[]) => list.map((container) => containerStatus(snapshot, container));
  return {
    ...pod.status,
    phase,
    ...(snapshot.nodeStopped && isFinalPhase(phase) && NODE_STOPPED),
    conditions: conditionsOf(snapshot, phase),
    hostIP,
    ...(podIP !== undefined && { podIP, podIPs: podIPs.map((ip) => ({ ip })) }),
    startTime: pod.status?.startTime ?? rfc3339(now),
    containerStatuses: statuses(pod.spec.containers),
    ...(pod.spec.initContainers && { initContainerStatuses: statuses(pod.spec.initContainers) }),
  };
}

/** The reason that the kubelet gives a pod which a shutdown of its node ended. */
const NODE_STOPPED = { reason: "Terminated", message: "the node was shut down, and its game servers with it" };

const isFinalPhase = (phase: PodPhase | undefined): phase is "Succeeded" | "Failed" =>
  phase === "Succeeded" || phase === "Failed";

/** A phase is final only when nothing of the pod runs any more, sidecars included. */
function phaseOf(snapshot: PodSnapshot): PodPhase {
  const { pod, containers } = snapshot;
  const before = pod.status?.phase;
  if (isFinalPhase(before)) return before;
  const phase = phaseByContainers(snapshot);
  if (!isFinalPhase(phase) || ![...containers.values()].some(isLive)) return phase;
  return isInitialized(snapshot) ? "Running" : "Pending";
}

function phaseByContainers(snapshot: PodSnapshot): PodPhase {
  const { pod, containers } = snapshot;
  if (hasFailedInit(pod, containers)) return "Failed";
  if (!isInitialized(snapshot)) return "Pending";
  const views = pod.spec.containers.map(({ name }) => containers.get(name));
  if (views.some((view) => !view || (isWaiting(view) && !view.last))) return "Pending";
  const ends = views.map((view) => (view?.state.kind === "ended" ? view.state.end : undefined));
  const allFinal = pod.spec.containers.every(({ name }) => isFinal(containers.get(name), restartPolicyOf(pod, name)));
  if (!allFinal) return "Running";
  return ends.every((end) => end?.exitCode === 0) ? "Succeeded" : "Failed";
}

const isWaiting = ({ state }: ContainerView): boolean => state.kind === "waiting" || state.kind === "starting";

function containerStatus(snapshot: PodSnapshot, { name, image = "" }: Container): ContainerStatus {
  const view = snapshot.containers.get(name);
  const state = view ? stateOf(snapshot, name, view) : waiting("ContainerCreating");
  const running = view?.state.kind === "running" ? view.state : undefined;
  const lastEnd = state.terminated ? view?.last : view?.state.kind === "ended" ? view.state.end : view?.last;
  const containerID =
    running?.containerID ?? (state.terminated ?? (lastEnd && terminated(lastEnd).terminated))?.containerID;
  return {
    name,
    image,
    imageID: "",
    ...(containerID !== undefined && { containerID }),
    ready: isReady(snapshot, name),
    started: running?.started ?? false,
    restartCount: view?.restartCount ?? 0,
    state,
    lastState: lastEnd ? terminated(lastEnd) : {},
  };
}

function stateOf(snapshot: PodSnapshot, name: string, view: ContainerView): ContainerState {
  const { state } = view;
  switch (state.kind) {
    case "running":
      return { running: { startedAt: rfc3339(state.startedAt) } };
    case "starting":
      return waiting("ContainerCreating");
    case "ended":
      return backsOff(snapshot, name, view) ? crashLoop(snapshot.pod, name, view) : terminated(state.end);
    case "waiting":
      if (state.attempts === 0 && isBehindInit(snapshot, name)) return waiting("PodInitializing");
      return waiting(state.reason, state.message);
  }
}

const waiting = (reason: string, message?: string): ContainerState => ({
  waiting: { reason, ...(message !== undefined && { message }) },
});

function terminated({ startedAt, finishedAt, message, containerID, exitCode, reason }: Termination): ContainerState {
  return {
    terminated: {
      exitCode,
      reason,
      ...(message !== undefined && { message }),
      startedAt: rfc3339(startedAt ?? finishedAt),
      finishedAt: rfc3339(finishedAt),
      ...(containerID !== undefined && { containerID }),
    },
  };
}

/** It will start again, but not yet. */
function backsOff({ pod, mode }: PodSnapshot, name: string, view: ContainerView): boolean {
  return (
    mode === "run" &&
    view.state.kind === "ended" &&
    !isFinal(view, restartPolicyOf(pod, name)) &&
    restartAt(view) > view.state.end.finishedAt
  );
}

function crashLoop({ metadata }: Pod, name: string, { backoffMs = 0 }: ContainerView): ContainerState {
  const { name: pod, namespace, uid } = metadata;
  const seconds = Math.round(backoffMs / 1000);
  const wait = seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  return waiting(
    "CrashLoopBackOff",
    `back-off ${wait} restarting failed container=${name} pod=${pod}_${namespace}(${uid})`,
  );
}

function isBehindInit(snapshot: PodSnapshot, name: string): boolean {
  if (snapshot.handlers.has(name) || isInitialized(snapshot)) return false;
  const inits = snapshot.pod.spec.initContainers ?? [];
  return inits.length > 0 && inits[0]?.name !== name;
}

/** A finished init container counts as ready for good; a sidecar and every other container while it runs and its probe agrees. */
function isReady({ pod, containers }: PodSnapshot, name: string): boolean {
  const state = containers.get(name)?.state;
  if (state?.kind === "running") return state.started && state.ready;
  const init = pod.spec.initContainers?.some((container) => container.name === name) && !isSidecar(pod, name);
  return init === true && state?.kind === "ended" && state.end.exitCode === 0;
}

function conditionsOf(snapshot: PodSnapshot, phase: PodPhase): readonly PodCondition[] {
  const { pod, now } = snapshot;
  const inits = (pod.spec.initContainers ?? []).filter(
    ({ name }) => !isReady(snapshot, name) && !isStarted(snapshot, name),
  );
  const sidecars = (pod.spec.initContainers ?? []).filter(({ name }) => isSidecar(pod, name));
  const unready = [...sidecars, ...pod.spec.containers].filter(({ name }) => !isReady(snapshot, name));
  const initialized = phase === "Succeeded" || isInitialized(snapshot);
  const ready = readiness(phase, unready);
  const own: readonly PodCondition[] = [
    condition(
      "Initialized",
      initialized,
      "ContainersNotInitialized",
      `containers with incomplete status: [${names(inits)}]`,
    ),
    { type: "Ready", ...ready },
    { type: "ContainersReady", ...ready },
    { type: "PodScheduled", status: "True" },
  ];
  const before = pod.status?.conditions ?? [];
  return [
    ...own.map((next) => {
      const old = before.find(({ type }) => type === next.type);
      if (next.type === "PodScheduled" && old) return old;
      const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : undefined;
      return { ...next, lastTransitionTime: lastTransitionTime ?? rfc3339(now) };
    }),
    ...before.filter(({ type }) => !own.some((condition) => condition.type === type)),
  ];
}

function readiness(phase: PodPhase, unready: readonly Container[]): Omit<PodCondition, "type"> {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  if (unready.length === 0) return { status: "True" };
  return {
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: [${names(unready)}]`,
  };
}

function condition(type: string, holds: boolean, reason: string, message: string): PodCondition {
  return holds ? { type, status: "True" } : { type, status: "False", reason, message };
}

const names = (list: readonly Container[]): string => list.map(({ name }) => name).join(" ");

function isStarted({ containers }: PodSnapshot, name: string): boolean {
  const state = containers.get(name)?.state;
  return state?.kind === "running" && state.started;
}
