import { setImmediate } from "node:timers/promises";
import type { Clock } from "#runtime/clock.ts";

/** Lets long work in small steps not hold the event loop: a lost Lease costs more than a late deletion. */
export class TimeSlice {
  readonly #clock: Clock;
  readonly #ms: number;
  #began: number;

  /** `ms`: how long work may go on without letting others have their turn. */
  constructor(clock: Clock, ms = 5) {
    this.#clock = clock;
    this.#ms = ms;
    this.#began = clock.monotonic();
  }

  /** To be awaited between two steps. */
  async breathe(): Promise<void> {
    if (this.#clock.monotonic() - this.#began < this.#ms) return;
    await setImmediate();
    this.#began = this.#clock.monotonic();
  }
}
