import type { Logger } from "./logger.ts";

/**
 * Everything long-lived: `run` works until the signal aborts and resolves once it has stopped cleanly.
 * A rejection, or resolving early, is a failure of the whole program.
 */
export interface Runnable {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when what comes after this one may start (caches filled, socket open). Absent: at once. */
  ready?(): Promise<void>;
}

/**
 * Runs groups one after another, each when the one before is ready, and stops them in reverse:
 * a group is told to stop only after all later ones have ended.
 * Resolves after `signal` aborted and everything stopped; rejects with the first failure, after stopping the rest.
 */
export async function runGroups(
  groups: readonly (readonly Runnable[])[],
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const stopped = aborted(stop);
  const started: { readonly abort: AbortController; readonly done: Promise<unknown> }[] = [];
  let failure: { readonly error: unknown } | undefined;

  const fail = (runnable: Runnable, error: unknown): void => {
    failure ??= { error };
    log.error({ runnable: runnable.name, error }, "runnable failed");
    failed.abort(error);
  };
  const start = async (runnable: Runnable, own: AbortSignal): Promise<void> => {
    try {
      await runnable.run(own);
      if (!own.aborted) throw new Error(`${runnable.name} ended unasked`);
    } catch (error) {
      if (!isAbort(error, own)) fail(runnable, error);
    }
  };
  const opened = async (runnable: Runnable): Promise<void> => {
    try {
      await runnable.ready?.();
    } catch (error) {
      if (!stop.aborted) fail(runnable, error);
    }
  };

  for (const group of groups) {
    if (stop.aborted) break;
    const abort = new AbortController();
    started.push({ abort, done: Promise.all(group.map((runnable) => start(runnable, abort.signal))) });
    await Promise.race([Promise.all(group.map(opened)), stopped]);
  }

  await stopped;
  for (const { abort, done } of started.reverse()) {
    abort.abort();
    await done;
  }
  if (failure) throw failure.error;
}

/** Resolves when the signal aborts; at once when it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** True for the signal's own reason, and for the AbortError that Node's APIs make of it. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}
