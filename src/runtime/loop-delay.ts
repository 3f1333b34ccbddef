import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";
import type { Runnable } from "./runnable.ts";

/** Delays of the event loop since the last `reset`, in nanoseconds; what `perf_hooks` measures. */
interface LoopDelays {
  readonly max: number;
  enable(): unknown;
  disable(): unknown;
  reset(): void;
}

export interface LoopDelayOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** A longer stall is logged. Default 200 ms: a twentieth of what a Lease bears. */
  readonly warnMs?: number;
  /** How often the longest stall is read. Default 5 s. */
  readonly periodMs?: number;
  /** Receives the longest stall of each period, in seconds. */
  readonly observe?: (seconds: number) => void;
  readonly delays?: LoopDelays;
}

/** Watches for stalls of the event loop: leases and watches are late by as much. */
export function loopDelayMonitor(options: LoopDelayOptions): Runnable {
  const { clock, log, warnMs = 200, periodMs = 5000, observe } = options;
  return {
    name: "event loop delay",
    run: async (signal) => {
      const delays = options.delays ?? monitorEventLoopDelay({ resolution: 20 });
      delays.enable();
      try {
        for (;;) {
          delays.reset();
          await clock.sleep(periodMs, signal);
          const longestMs = delays.max / 1e6;
          observe?.(longestMs / 1000);
          if (longestMs > warnMs) log.warn({ longestMs: Math.round(longestMs) }, "event loop stalled");
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        delays.disable();
      }
    },
  };
}
