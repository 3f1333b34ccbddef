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

/** At `time`, the file was `size` bytes long. */
interface Mark {
  readonly time: number;
  readonly size: number;
}

const LOOK_MS = 5_000;
const MOST_MARKS = 500;

export class LogKeeper implements Runnable {
  readonly name = "container logs";
  readonly #options: LogKeeperOptions;
  #marks = new Map<string, readonly Mark[]>();

  constructor(options: LogKeeperOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      await this.look().catch((error: unknown) => log.warn({ error }, "Logs of containers cannot be looked after"));
      await clock.sleep(LOOK_MS, signal).catch(() => {});
    }
  }

  /** One round over all logs. */
  async look(): Promise<void> {
    const marks = new Map<string, readonly Mark[]>();
    for (const file of this.#options.files()) {
      if (await rotateLog(file, this.#options.maxBytes)) continue;
      marks.set(file, await this.#marked(file));
    }
    this.#marks = marks;
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

  /** A byte from which on everything written since `time` is found; lines a little older may be, too. */
  startOf(file: string, time: number): number {
    return this.#marks.get(file)?.findLast((mark) => mark.time <= time)?.size ?? 0;
  }

  /** When the byte at `offset` was in the file at the latest. */
  timeAt(file: string, offset: number): number {
    return this.#marks.get(file)?.find((mark) => mark.size > offset)?.time ?? this.#options.clock.now();
  }
}
