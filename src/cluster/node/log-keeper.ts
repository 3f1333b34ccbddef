/**
 * Looks after the logs of living runs: keeps them small, and notes from time to time how long each has become. The processes own
 * their log files, so these notes are all that tells when a line was written, to within `LOOK_MS`.
 */
import { stat } from "node:fs/promises";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { rotateLog } from "./container-log.ts";

export interface LogKeeperOptions {
  /** The log files of the runs that live now. */
  readonly files: () => Iterable<string>;
  /** A log that grew beyond this is moved aside. */
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** At `time`, the log reached to the offset `size`, from the beginning of the present part on. */
interface Mark {
  readonly time: number;
  readonly size: number;
}

const LOOK_MS = 5_000;
/** After a log was moved aside: it may be a flood. */
const LOOK_AGAIN_MS = 500;
const MOST_MARKS = 500;

export class LogKeeper implements Runnable {
  readonly name = "container logs";
  readonly #options: LogKeeperOptions;
  readonly #marks = new Map<string, readonly Mark[]>();

  constructor(options: LogKeeperOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      const moved = await this.look().catch((error: unknown) => {
        log.warn({ error }, "Logs of containers cannot be looked after");
        return 0;
      });
      await clock.sleep(moved > 0 ? LOOK_AGAIN_MS : LOOK_MS, signal).catch(() => {});
    }
  }

  /** One round over all logs; resolves with how many bytes were moved aside. */
  async look(): Promise<number> {
    const files = new Set(this.#options.files());
    let all = 0;
    for (const file of files) {
      const moved = await rotateLog(file, this.#options.maxBytes);
      all += moved;
      if (moved > 0) this.#marks.set(file, this.#shifted(file, moved));
      else this.#marks.set(file, await this.#marked(file));
    }
    for (const file of this.#marks.keys()) if (!files.has(file)) this.#marks.delete(file);
    return all;
  }

  /** Offsets count from the beginning of the present part; that of the older one is the last that is of use. */
  #shifted(file: string, moved: number): readonly Mark[] {
    const marks = [...(this.#marks.get(file) ?? []), { time: this.#options.clock.now(), size: moved }];
    const shifted = marks.map(({ time, size }) => ({ time, size: size - moved }));
    const first = shifted.findLastIndex(({ size }) => size <= -moved);
    return shifted.slice(Math.max(0, first));
  }

  async #marked(file: string): Promise<readonly Mark[]> {
    const marks = this.#marks.get(file) ?? [];
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    );
    if (size === (marks.at(-1)?.size ?? 0)) return marks;
    const thinned = marks.length < MOST_MARKS ? marks : marks.filter((_, index) => index % 2 === 1);
    return [...thinned, { time: this.#options.clock.now(), size }];
  }

  /** A byte from which on everything written since `time` is found; lines a little older may be, too. Below all of the log when nothing is known. */
  startOf(file: string, time: number): number {
    return this.#marks.get(file)?.findLast((mark) => mark.time <= time)?.size ?? Number.NEGATIVE_INFINITY;
  }

  /** When the byte at `offset` was in the log at the latest. */
  timeAt(file: string, offset: number): number {
    return this.#marks.get(file)?.find((mark) => mark.size > offset)?.time ?? this.#options.clock.now();
  }
}
