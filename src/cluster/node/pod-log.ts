/** Answers for the log of a container: which run is meant, what part of it, and until when. */
import { access } from "node:fs/promises";
import { Readable } from "node:stream";
import { badRequest, notFound } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import { containersOf, isLive } from "./decide-pod.ts";
import type { LogKeeper } from "./log-keeper.ts";
import { readLog, stampLines } from "./log-reader.ts";
import type { PodWorker } from "./pod-worker.ts";
import type { PodWorkers } from "./pod-workers.ts";
import { logFileOf } from "./process-host.ts";
import type { StateFolder } from "./state-folder.ts";

export interface PodLogQuery {
  readonly namespace: string;
  readonly pod: string;
  /** May be left out when the pod has one container (init containers do not count). */
  readonly container?: string;
  readonly previous?: boolean;
  readonly tailLines?: number;
  /** Go on with what is written later, until the container ends. */
  readonly follow?: boolean;
  /** Lines up to some seconds older may come, too: their times are known only roughly. */
  readonly sinceSeconds?: number;
  readonly timestamps?: boolean;
  readonly limitBytes?: number;
}

export interface PodLogSources {
  readonly workers: Pick<PodWorkers, "find">;
  readonly folder: StateFolder;
  readonly keeper: LogKeeper;
  readonly clock: Clock;
}

/** Rejects with a `StatusError`: no such pod, no such container, or nothing of it has run. The log of a handler container is empty. */
export async function openPodLog(
  query: PodLogQuery,
  { workers, folder, keeper, clock }: PodLogSources,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const worker = workers.find(query.namespace, query.pod);
  if (!worker) throw notFound("", "pods", query.pod);
  const container = containerOf(worker, query);
  // What it has to say stands in the agent's own log.
  if (worker.isHandler(container)) return Readable.from([]);
  const run = runOf(worker, container, query.previous ?? false);
  const file = logFileOf(folder.runFile(worker.pod.metadata.uid ?? "", container, run));
  await access(file).catch(() => {
    throw noLog(worker, container, query.previous ?? false);
  });
  const { tailLines, limitBytes, sinceSeconds, follow = false } = query;
  const startAt = sinceSeconds === undefined ? 0 : keeper.startOf(file, clock.now() - sinceSeconds * 1000);
  const ended = () => {
    const view = worker.views.get(container);
    return query.previous === true || view?.restartCount !== run || !isLive(view);
  };
  const chunks = readLog(file, { tailLines, limitBytes, startAt }, follow ? { ended, clock, signal } : undefined);
  return query.timestamps ? stampLines(chunks, (offset) => keeper.timeAt(file, offset)) : bytesOf(chunks);
}

async function* bytesOf(chunks: ReturnType<typeof readLog>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of chunks) yield bytes;
}

function containerOf({ pod }: PodWorker, { container, pod: name }: PodLogQuery): string {
  if (container !== undefined) {
    if (containersOf(pod).some((candidate) => candidate.name === container)) return container;
    throw badRequest(`container ${container} is not valid for pod ${name}`);
  }
  const [only, ...others] = pod.spec.containers;
  if (only && others.length === 0) return only.name;
  const choices = pod.spec.containers.map((candidate) => candidate.name).join(" ");
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${choices}]`);
}

/** A container that waits for its next run shows the one that ended. */
function runOf(worker: PodWorker, container: string, previous: boolean): number {
  const view = worker.views.get(container);
  const run = view?.restartCount ?? 0;
  const waits = view?.state.kind === "waiting" || view?.state.kind === "starting";
  if (previous && run === 0) throw noLog(worker, container, true);
  return previous || (waits && view.last) ? run - 1 : run;
}

function noLog({ pod, views }: PodWorker, container: string, previous: boolean): Error {
  const { name } = pod.metadata;
  if (previous) return badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  const state = views.get(container)?.state;
  const why = state?.kind === "waiting" ? `is waiting to start: ${state.message ?? state.reason}` : "has no log";
  return badRequest(`container "${container}" in pod "${name}" ${why}`);
}
