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
  const started: { readonly abort: AbortController; readonly done: Promise<unknown> }[] = [];
  let failure: unknown;

  const guard = async (runnable: Runnable, own: AbortSignal): Promise<void> => {
    try {
      await runnable.run(own);
      if (!own.aborted) throw new Error(`${runnable.name} ended unasked`);
    } catch (error) {
      if (own.aborted && own.reason === error) return;
      failure ??= error;
      log.error({ runnable: runnable.name, error }, "runnable failed");
      failed.abort(error);
    }
  };

  for (const group of groups) {
    if (stop.aborted) break;
    const abort = new AbortController();
    started.push({ abort, done: Promise.all(group.map((runnable) => guard(runnable, abort.signal))) });
    const aborted = new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([Promise.all(group.map((runnable) => runnable.ready?.())), aborted]).catch((error: unknown) => {
      failure ??= error;
      failed.abort(error);
    });
  }

  if (!stop.aborted)
    await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
  for (const { abort, done } of started.reverse()) {
    abort.abort();
    await done;
  }
  if (failure !== undefined) throw failure;
}
