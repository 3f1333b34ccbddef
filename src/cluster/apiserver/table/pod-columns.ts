/** How a pod's state is told in one word, following kubectl's server-side printing. */
import type { Container, ContainerStatus, Pod } from "#api/core/pod.ts";
import { humanDuration } from "./human-duration.ts";

export interface PodSummary {
  /** Ready containers and sidecars of all, `1/2`. */
  readonly ready: string;
  readonly status: string;
  /** `3 (2m ago)`. */
  readonly restarts: string;
}

interface Progress {
  reason: string;
  ready: number;
  restarts: number;
  /** Milliseconds since 1970 of the latest termination before a restart; 0 for none. */
  lastRestart: number;
}

export function summarizePod({ metadata, spec, status = {} }: Pod, now: number): PodSummary {
  const initContainers = new Map((spec?.initContainers ?? []).map((container) => [container.name, container]));
  const sidecars = [...initContainers.values()].filter(isSidecar).length;
  const progress: Progress = { reason: phaseReason(status), ready: 0, restarts: 0, lastRestart: 0 };
  const initializing = followInit(status.initContainerStatuses ?? [], initContainers, progress);
  if (!initializing || hasCondition(status, "Initialized")) followMain(status, initContainers, progress);
  const terminal = status.phase === "Succeeded" || status.phase === "Failed";
  if (metadata.deletionTimestamp) {
    if (status.reason === "NodeLost") progress.reason = "Unknown";
    else if (!terminal) progress.reason = "Terminating";
  }
  const ago =
    progress.restarts > 0 && progress.lastRestart > 0 ? ` (${humanDuration(now - progress.lastRestart)} ago)` : "";
  return {
    ready: `${progress.ready}/${(spec?.containers ?? []).length + sidecars}`,
    status: progress.reason,
    restarts: `${progress.restarts}${ago}`,
  };
}

type PodStatus = NonNullable<Pod["status"]>;

function phaseReason(status: PodStatus): string {
  const gated = status.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated");
  return gated ? "SchedulingGated" : status.reason || (status.phase ?? "");
}

const isSidecar = (container: Container | undefined): boolean => container?.restartPolicy === "Always";

const hasCondition = (status: PodStatus, type: string): boolean =>
  status.conditions?.find((condition) => condition.type === type)?.status === "True";

/** Goes through the init containers up to the first that is not done; true when there is one. */
function followInit(
  statuses: readonly ContainerStatus[],
  initContainers: ReadonlyMap<string, Container>,
  progress: Progress,
): boolean {
  for (const [position, container] of statuses.entries()) {
    countRestarts(container, progress);
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (isSidecar(initContainers.get(container.name)) && container.started) {
      if (container.ready) progress.ready++;
      continue;
    }
    if (terminated) progress.reason = `Init:${terminationReason(terminated)}`;
    else if (waiting?.reason && waiting.reason !== "PodInitializing") progress.reason = `Init:${waiting.reason}`;
    else progress.reason = `Init:${position}/${initContainers.size}`;
    return true;
  }
  return false;
}

/** Once initialized only the restarts of sidecars and main containers count. */
function followMain(status: PodStatus, initContainers: ReadonlyMap<string, Container>, progress: Progress): void {
  progress.restarts = 0;
  progress.lastRestart = 0;
  for (const container of status.initContainerStatuses ?? []) {
    if (isSidecar(initContainers.get(container.name))) countRestarts(container, progress);
  }
  let running = false;
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    countRestarts(container, progress);
    const { terminated, waiting } = container.state ?? {};
    if (waiting?.reason) progress.reason = waiting.reason;
    else if (terminated) progress.reason = terminationReason(terminated);
    else if (container.ready && container.state?.running) {
      running = true;
      progress.ready++;
    }
  }
  if (progress.reason === "Completed" && running) {
    progress.reason = hasCondition(status, "Ready") ? "Running" : "NotReady";
  }
}

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

const terminationReason = ({ reason, signal, exitCode }: Terminated): string =>
  reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);

function countRestarts({ restartCount, lastState }: ContainerStatus, progress: Progress): void {
  progress.restarts += restartCount ?? 0;
  const finished = lastState?.terminated?.finishedAt;
  if (finished) progress.lastRestart = Math.max(progress.lastRestart, Date.parse(finished) || 0);
}
