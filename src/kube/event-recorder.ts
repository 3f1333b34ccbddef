import type { EventType } from "#api/core/event.ts";
import { EVENTS } from "#api/core/resources.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { type KubeObject, objectKey } from "#api/meta/object.ts";
import { isAlreadyExists, isNotFound } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import type { Writer } from "./client.ts";
import { createController, ExpectedRetry } from "./controller.ts";
import { EventCorrelator, type EventSeries, eventOf } from "./event-series.ts";
import { fastThenSlow } from "./rate-limiter.ts";
import { TransportError } from "./transport.ts";

/** Tells people what happened to an object, as Kubernetes Events. Never waits, never throws; losing one is no failure. */
export interface EventRecorder {
  event(object: KubeObject, type: EventType, reason: string, message: string): void;
}

export interface EventRecorderOptions {
  /** `source.component`, for instance `gameserver-controller`. */
  readonly component: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** From 0 to 1; tells the names of two recorders' events apart. Default `Math.random`. */
  readonly random?: () => number;
}

/** What is normal is told so much later: the work it tells of goes on first, and equal events become one write. */
const HOLD_MS = 1000;
/** How many events may wait to be written; further ones are dropped, with one warning. */
const MOST_WAITING = 4000;
/** How often a write is tried while the API server cannot be reached. */
const MOST_ATTEMPTS = 12;
/** How long a stop waits for what is still to be written. */
const FLUSH_MS = 2000;

/**
 * Writes in the background while it runs, warnings at once and other events after a second, and what waits when it stops for up to
 * 2 s. The same reason and message for the same
 * object raise the count of one Event; of each object at most 25 events at once are written, then one every 5 minutes.
 */
export function createEventRecorder(
  client: Pick<Writer, "create" | "patch">,
  { component, clock, log, random = Math.random }: EventRecorderOptions,
): EventRecorder & Runnable {
  const correlator = new EventCorrelator(clock);
  const due = new Set<EventSeries>();
  const limiter = fastThenSlow(200, 10_000);
  let sequence = Math.floor(random() * 1_000_000);
  let full = false;

  const create = async (series: EventSeries): Promise<void> => {
    sequence = (sequence + 1) % 1_000_000;
    const suffix = (BigInt(clock.now()) * 1_000_000n + BigInt(sequence)).toString(16);
    const { metadata } = await client.create(EVENTS, eventOf(series, suffix, component));
    series.stored = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
  };

  const store = async (series: EventSeries): Promise<void> => {
    if (series.stored) {
      const { namespace, name } = series.stored;
      const patch: JsonObject = { count: series.count, lastTimestamp: series.last };
      try {
        await client.patch(EVENTS, namespace, name, { type: "merge", patch });
        return;
      } catch (error) {
        // Events live for an hour or so; the series begins a new one.
        if (!isNotFound(error)) throw error;
      }
    }
    await create(series).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
      return create(series);
    });
  };

  const write = async (series: EventSeries): Promise<void> => {
    settle(series, false);
    try {
      await store(series);
    } catch (error) {
      if (error instanceof TransportError && limiter.failures(series.key) < MOST_ATTEMPTS) {
        settle(series, true);
        throw new ExpectedRetry("the API server could not be reached", { cause: error });
      }
      log.warn({ error, component, reason: series.reason }, "event was not written");
    }
  };

  const settle = (series: EventSeries, waits: boolean): void => {
    series.due = waits;
    if (waits) due.add(series);
    else due.delete(series);
    full &&= due.size >= MOST_WAITING;
  };

  const writers = createController({
    name: `events ${component}`,
    reconcile: async (key) => {
      const series = correlator.get(key);
      if (series?.due) await write(series);
    },
    workers: 4,
    limiter,
    clock,
    log,
  });

  return {
    name: writers.name,
    event: (object, type, reason, message) => {
      const series = correlator.observe(object, type, reason, message);
      if (!series || series.due) return;
      if (due.size >= MOST_WAITING) {
        if (!full) log.warn({ component, object: objectKey(object) }, "too many events wait, dropping");
        full = true;
        return;
      }
      settle(series, true);
      writers.enqueueAfter(series.key, type === "Normal" ? HOLD_MS : 0);
    },
    run: async (signal) => {
      await writers.run(signal);
      const enough = new AbortController();
      const flush = (async () => {
        for (const series of due) if (!enough.signal.aborted) await write(series).catch(() => settle(series, false));
      })();
      await Promise.race([flush, clock.sleep(FLUSH_MS, enough.signal).catch(() => {})]);
      enough.abort();
    },
  };
}
