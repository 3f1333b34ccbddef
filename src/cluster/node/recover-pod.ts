/** What is known about a pod's containers when the agent starts to look after it, perhaps not as the first agent to do so. */
import type { Container, Pod } from "#api/core/pod.ts";
import { type ContainerRuntime, type LiveContainer, type RecoveredRun, unknownEnd } from "./container-runtime.ts";
import { containersOf } from "./decide-pod.ts";
import type { ContainerView, Termination } from "./decide-restart.ts";
import type { ContainerRecord, PodRecord, PodStore } from "./state-folder.ts";

export interface RecoveredPod {
  readonly views: Map<string, ContainerView>;
  readonly live: ReadonlyMap<string, LiveContainer>;
  readonly stoppingSince: number | undefined;
  /** What has ended of it ended with the node. */
  readonly nodeStopped: boolean;
}

const untouched: ContainerView = {
  state: { kind: "waiting", reason: "ContainerCreating", attempts: 0, retryAt: 0 },
  restartCount: 0,
};

export function initialViews(pod: Pod): Map<string, ContainerView> {
  return new Map(containersOf(pod).map(({ name }) => [name, untouched]));
}

/**
 * From the record on disk and what still runs. Without a record the API's status stands in for it: a container that ran there
 * and is nowhere to be found has ended, and nobody knows how.
 */
export async function recoverViews(
  pod: Pod,
  store: PodStore,
  runtimeOf: (container: string) => ContainerRuntime,
  now: number,
): Promise<RecoveredPod> {
  const uid = pod.metadata.uid ?? "";
  const record = await store.load(uid);
  const views = new Map<string, ContainerView>();
  const live = new Map<string, LiveContainer>();
  for (const container of containersOf(pod)) {
    const { name } = container;
    const noted = record?.containers[name];
    const known = noted ?? fromStatus(pod, name);
    const runtime = runtimeOf(name);
    const found = known?.end ? undefined : await runtime.recover(uid, name, known?.run ?? 0);
    const { view, running } = recoverContainer(pod, container, { known, noted: noted !== undefined, found }, now);
    views.set(name, view);
    if (running) live.set(name, running);
  }
  // What still runs, though it was told to end, ends for reasons of its own.
  const nodeStopped = record?.nodeStopped === true && live.size === 0;
  return { views, live, stoppingSince: record?.stoppingSince, nodeStopped };
}

interface Traces {
  readonly known: ContainerRecord | undefined;
  /** It is known from the record, not from the API. */
  readonly noted: boolean;
  readonly found: RecoveredRun | undefined;
}

function recoverContainer(
  pod: Pod,
  container: Container,
  { known, noted, found }: Traces,
  now: number,
): { view: ContainerView; running?: LiveContainer } {
  const { run = 0, last, backoffMs, startedAt } = known ?? {};
  const view = { restartCount: run, ...(last && { last }), ...(backoffMs !== undefined && { backoffMs }) };
  const ended = (end: Termination) => ({ view: { ...view, state: { kind: "ended", end } as const } });
  if (known?.end) return ended(known.end);
  switch (found?.kind) {
    case "running": {
      const shown = statusOf(pod, container.name);
      const state = {
        kind: "running",
        containerID: found.container.id,
        startedAt: startedAt ?? now,
        started: container.startupProbe === undefined || shown?.started === true,
        ready: container.readinessProbe === undefined || shown?.ready === true,
        failed: false,
      } as const;
      return { view: { ...view, state }, running: found.container };
    }
    case "ended":
      return ended({ ...found.end, startedAt });
    case "resumes":
      return { view: { ...view, state: untouched.state, ...(startedAt !== undefined && { resumesFrom: startedAt }) } };
    default:
      // Noted and never seen: the agent ended between the note and the start.
      return known === undefined || noted
        ? { view: { ...view, state: untouched.state } }
        : ended({ ...unknownEnd(now), startedAt });
  }
}

const statusOf = (pod: Pod, name: string) =>
  [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].find(
    (status) => status.name === name,
  );

function fromStatus(pod: Pod, name: string): ContainerRecord | undefined {
  const status = statusOf(pod, name);
  if (!status) return undefined;
  const { restartCount: run, state = {}, lastState = {} } = status;
  const terminated = state.terminated ?? (state.waiting ? lastState.terminated : undefined);
  if (terminated) {
    const { exitCode, reason = "Error", message, containerID } = terminated;
    const finishedAt = Date.parse(terminated.finishedAt ?? "") || 0;
    const startedAt = Date.parse(terminated.startedAt ?? "") || finishedAt;
    return { run, end: { exitCode, reason, ...(message && { message }), containerID, startedAt, finishedAt } };
  }
  return state.running ? { run, startedAt: Date.parse(state.running.startedAt ?? "") || 0 } : undefined;
}

/** What a later agent must know. A run that has only been decided on is noted before it starts, so that it is looked for. */
export function recordOf(
  { metadata }: Pod,
  views: ReadonlyMap<string, ContainerView>,
  stopping: Pick<PodRecord, "stoppingSince" | "nodeStopped">,
): PodRecord {
  const containers: Record<string, ContainerRecord> = {};
  for (const [name, { state, restartCount: run, last, backoffMs, resumesFrom }] of views) {
    if (state.kind === "waiting" && run === 0 && !last && resumesFrom === undefined) continue;
    const since = state.kind === "starting" ? state.since : resumesFrom;
    const startedAt = state.kind === "running" ? state.startedAt : since;
    containers[name] = {
      run,
      ...(startedAt !== undefined && { startedAt }),
      ...(state.kind === "ended" && { end: state.end }),
      ...(last && { last }),
      ...(backoffMs !== undefined && { backoffMs }),
    };
  }
  const { uid = "", namespace = "", name = "" } = metadata;
  return { uid, namespace, name, ...stopping, containers };
}
