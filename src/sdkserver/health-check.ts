/** Counts missed signs of life of one game server. */
import type { Health } from "#api/agones/gameserver.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";

export interface HealthCheckOptions {
  readonly clock: Clock;
  /** Is told of every missed sign of life. */
  readonly log: Logger;
  /**
   * The SDK server restarted under a running game: missed health counts only from the first new ping, because clients
   * open their Health stream once and may never do so again.
   */
  readonly resumed: boolean;
  /** Whether missed signs of life do not count for now: somebody holds the game at a breakpoint. */
  readonly paused: () => boolean;
  /** Called after every run that finds too many missed. */
  readonly onUnhealthy: () => void;
  /** Called once, when a resumed server would have missed its first ping. */
  readonly onSuspended: () => void;
}

const DEFAULT_PERIOD_SECONDS = 5;
const DEFAULT_THRESHOLD = 3;

export class HealthCheck {
  readonly #options: HealthCheckOptions;
  #suspended: boolean;
  #told = false;
  #pinged = false;
  #lastPing = 0;
  #failures = 0;
  #threshold = DEFAULT_THRESHOLD;
  #periodMs = 0;
  #started = false;
  #cancel: (() => void) | undefined;

  constructor(options: HealthCheckOptions) {
    this.#options = options;
    this.#suspended = options.resumed;
  }

  /** A sign of life. */
  ping(): void {
    this.#pinged = true;
    this.#lastPing = this.#options.clock.monotonic();
    this.#failures = 0;
    this.#suspended = false;
  }

  /**
   * Starts counting, once: a first ping is due one period from now. The first probe of the game's container calls
   * this, so that pulling an image or starting slowly costs no health. Later calls do nothing: neither other settings nor an end of
   * `disabled` count for a server that runs.
   */
  start(health: Health | undefined): void {
    if (this.#started) return;
    this.#started = true;
    if (health?.disabled) return;
    this.#periodMs = (positive(health?.periodSeconds) ?? DEFAULT_PERIOD_SECONDS) * 1000;
    this.#threshold = positive(health?.failureThreshold) ?? DEFAULT_THRESHOLD;
    this.#lastPing = this.#options.clock.monotonic();
    this.#next();
  }

  /** It turns out that an earlier life served this game: as `resumed`, unless a ping came already. */
  suspend(): void {
    this.#suspended ||= !this.#pinged;
  }

  get healthy(): boolean {
    return this.#failures < this.#threshold;
  }

  stop(): void {
    this.#started = true;
    this.#cancel?.();
  }

  #next(): void {
    const due = this.#options.clock.monotonic() + this.#periodMs;
    this.#cancel = this.#options.clock.after(this.#periodMs, () => {
      // Woken more than a period late, we ourselves did not run: pings may still wait to be read.
      if (this.#options.clock.monotonic() <= due + this.#periodMs) this.#check();
      this.#next();
    });
  }

  #check(): void {
    const now = this.#options.clock.monotonic();
    if (this.#options.paused()) {
      // After the pause a game has its whole time again.
      this.#lastPing = now;
      this.#failures = 0;
      return;
    }
    if (now <= this.#lastPing + this.#periodMs) return;
    if (this.#suspended) {
      if (!this.#told) this.#options.onSuspended();
      this.#told = true;
      return;
    }
    this.#failures++;
    const missed = { failures: this.#failures, failureThreshold: this.#threshold };
    this.#options.log.warn(missed, "GameServer Health Check failed");
    if (!this.healthy) this.#options.onUnhealthy();
  }
}

const positive = (value: number | undefined): number | undefined => (value && value > 0 ? value : undefined);
