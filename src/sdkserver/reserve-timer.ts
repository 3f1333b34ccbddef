/** Calls back when a reservation ends, however far away that is. */
import type { Clock } from "#runtime/clock.ts";

/** Timers of the platform hold 31 bits of milliseconds; beyond that they fire at once. */
const MOST_MS = 2 ** 31 - 1;

export class ReserveTimer {
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, onEnd: () => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** Takes the place of an earlier end. `endsAt` is in milliseconds since 1970; a past one ends at once. */
  arm(endsAt: number): void {
    this.cancel();
    const left = Math.max(0, endsAt - this.#clock.now());
    this.#cancel = this.#clock.after(Math.min(left, MOST_MS), () =>
      left > MOST_MS ? this.arm(endsAt) : this.#onEnd(),
    );
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
