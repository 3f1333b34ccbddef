/** Answers for the log of a container: which run is meant, what part of it, and until when. */
import { access } from "node:fs/promises";
import { badRequest, notFound, statusError } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import { containersOf, isLive } from "./decide-pod.ts";
import type { LogPiece } from "./log-frames.ts";
import type { LogKeeper } from "./log-keeper.ts";
import type { LogPlace } from "./log-parts.ts";
import { type LogChunk, readLog, stampLines } from "./log-reader.ts";
import type { PodWorker } from "./pod-worker.ts";
import type { PodWorkers } from "./pod-workers.ts";
import { logFileOf } from "./process-host.ts";
import type { StateFolder } from "./state-folder.ts";

const NEWLINE = 10;

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
  /** Go on where an earlier answer ended, as it said in `LogPiece.next`; `tailLines` and `sinceSeconds` say nothing then. */
  readonly from?: string;
}

export interface PodLogSources {
  readonly workers: Pick<PodWorkers, "find">;
  readonly folder: StateFolder;
  readonly keeper: LogKeeper;
  readonly clock: Clock;
  /** All pods of the node are known, with what an earlier agent left of them. */
  readonly recovered: () => boolean;
}

/**
 * Rejects with a `StatusError`: no such pod, no such container, nothing of it has run, or, as ServiceUnavailable, that nothing is known
 * yet. The log of a handler container is empty.
 */
export async function openPodLog(
  query: PodLogQuery,
  { workers, folder, keeper, clock, recovered }: PodLogSources,
  signal: AbortSignal,
): Promise<AsyncIterable<LogPiece>> {
  if (!recovered())
    throw statusError(
      "ServiceUnavailable",
      "the node agent does not answer for its pods yet: it has just been started",
    );
  const worker = workers.find(query.namespace, query.pod);
  if (!worker) throw notFound("", "pods", query.pod);
  const container = containerOf(worker, query);
  // What it has to say stands in the agent's own log.
  if (worker.isHandler(container)) return nothing();
  const resumed = query.from === undefined ? undefined : resumptionOf(query.from);
  const run = resumed?.run ?? runOf(worker, container, query.previous ?? false);
  const file = logFileOf(folder.runFile(worker.pod.metadata.uid ?? "", container, run));
  await access(file).catch(() => {
    throw noLog(worker, container, query.previous ?? false);
  });
  const { tailLines, limitBytes, sinceSeconds, follow = false } = query;
  const startAt = sinceSeconds === undefined ? undefined : keeper.startOf(file, clock.now() - sinceSeconds * 1000);
  const ended = () => {
    const view = worker.views.get(container);
    return query.previous === true || view?.restartCount !== run || !isLive(view);
  };
  const selection = resumed ? { limitBytes, from: resumed.place } : { tailLines, limitBytes, startAt };
  const chunks = readLog(file, selection, follow ? { ended, clock, signal } : undefined);
  const timeAt = (offset: number) => keeper.timeAt(file, offset);
  const atLineStart = resumed?.atLineStart ?? true;
  return piecesOf(query.timestamps ? stampLines(chunks, timeAt, atLineStart) : chunks, run, atLineStart);
}

async function* nothing(): AsyncGenerator<LogPiece> {}

async function* piecesOf(chunks: AsyncIterable<LogChunk>, run: number, atLineStart: boolean): AsyncGenerator<LogPiece> {
  let lineBegins = atLineStart;
  for await (const { bytes, next } of chunks) {
    if (bytes.length > 0) lineBegins = bytes.at(-1) === NEWLINE;
    yield { bytes, next: `${run}.${next.older}.${next.offset}.${lineBegins}` };
  }
}

interface Resumption {
  readonly run: number;
  readonly place: LogPlace;
  readonly atLineStart: boolean;
}

function resumptionOf(from: string): Resumption {
  const [, run, older = "", offset, atLineStart] = /^(\d+)\.(\d*)\.(-?\d+)\.(true|false)$/.exec(from) ?? [];
  if (run === undefined) throw badRequest(`from is no place in a log: ${JSON.stringify(from)}`);
  return { run: Number(run), place: { older, offset: Number(offset) }, atLineStart: atLineStart === "true" };
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
