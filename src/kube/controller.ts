import { isConflict } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { WorkQueueMetrics } from "#runtime/metrics.ts";
import { aborted, type Runnable } from "#runtime/runnable.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { createWorkQueue, type WorkQueue } from "./work-queue.ts";

/**
 * Brings the world one step nearer to what the object `key` asks for, from the present state alone. Fulfilled: done, until something
 * changes or the time it named has passed. Rejected: tried again after the limiter's delay, however often, except for `TerminalError`.
 * `signal` aborts when the program stops: waits end then, writes under way are finished.
 */
export type Reconciler = (key: string, signal: AbortSignal) => Promise<Outcome>;

// biome-ignore lint/suspicious/noConfusingVoidType: a reconciler without anything to say returns nothing
export type Outcome = void | { readonly requeueAfterMs: number };

/** Trying again would not help: logged, and the key rests until it is enqueued anew. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
  readonly code = "Terminal";
}

/** Not yet, and no fault: something that is on its way has not arrived. Tried again like a failure, but logged at trace only. */
export class ExpectedRetry extends Error {
  override readonly name = "ExpectedRetry";
  readonly code = "ExpectedRetry";
}

export interface ControllerOptions {
  /** Names the queue in metrics and the controller in logs: `agones.dev.FleetController`. */
  readonly name: string;
  readonly reconcile: Reconciler;
  /** What log lines call a key, such as `gsKey`. Default: `key`. */
  readonly logKey?: string;
  /** How many keys are worked on at once. */
  readonly workers: number;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: WorkQueueMetrics;
}

/** Keys in, reconciles out. Keys may be enqueued before `run`; a stop lets the reconciles under way finish and drops the rest. */
export interface Controller extends Runnable {
  /** At once: for what changed. */
  enqueue(key: string): void;
  enqueueAfter(key: string, ms: number): void;
  /** The liveness of its queue: as many workers run as were asked for (none before the start and after the end). */
  healthy(): boolean;
}

export function createController(options: ControllerOptions): Controller {
  return new QueueController(options);
}

class QueueController implements Controller {
  readonly name: string;
  readonly #reconcile: Reconciler;
  readonly #logKey: string;
  readonly #workers: number;
  readonly #queue: WorkQueue;
  readonly #log: Logger;
  #wanted = 0;
  #running = 0;

  constructor({ name, reconcile, logKey = "key", workers, limiter, clock, log, metrics }: ControllerOptions) {
    this.name = name;
    this.#reconcile = reconcile;
    this.#logKey = logKey;
    this.#workers = workers;
    this.#queue = createWorkQueue({ name, limiter, clock, metrics });
    this.#log = log.child({ controller: name });
  }

  enqueue(key: string): void {
    this.#queue.add(key);
  }

  enqueueAfter(key: string, ms: number): void {
    this.#queue.addAfter(key, ms);
  }

  healthy(): boolean {
    return this.#running === this.#wanted;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#wanted = this.#workers;
    // Once for all workers: an abort signal with hundreds of listeners is slow.
    void aborted(signal).then(() => this.#queue.shutDown());
    await Promise.all(Array.from({ length: this.#workers }, () => this.#work(signal)));
    this.#wanted = 0;
  }

  async #work(signal: AbortSignal): Promise<void> {
    this.#running++;
    try {
      while (!signal.aborted) {
        const key = await this.#queue.take();
        if (key === undefined) return;
        try {
          if (!signal.aborted) await this.#process(key, signal);
        } finally {
          this.#queue.done(key);
        }
      }
    } finally {
      this.#running--;
    }
  }

  /** The one place that decides what becomes of a key: forgotten, tried again, or asked for later. */
  async #process(key: string, signal: AbortSignal): Promise<void> {
    try {
      const outcome = await this.#reconcile(key, signal);
      this.#queue.forget(key);
      if (outcome) this.#queue.addAfter(key, outcome.requeueAfterMs);
    } catch (error) {
      if (signal.aborted && error === signal.reason) return;
      if (error instanceof TerminalError) {
        this.#log.error({ [this.#logKey]: key, error }, "reconcile failed for good");
        this.#queue.forget(key);
      } else {
        if (error instanceof ExpectedRetry || isConflict(error))
          this.#log.trace({ [this.#logKey]: key, error }, "reconcile not done yet");
        else this.#log.error({ [this.#logKey]: key, error }, "reconcile failed");
        this.#queue.retry(key);
      }
    }
  }
}
