import { isUnavailable } from "#api/meta/status.ts";
import { TransportError } from "#kube/transport.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Terminal } from "./output.ts";

/** A control plane that ended is started again within a second or two. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 300;

export interface OutageOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** For commands that last: rides over a moment in which the cluster does not answer, such as a new start of its control plane. */
export class Outage {
  readonly #options: OutageOptions;
  #since: number | undefined;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** The cluster has answered. */
  over(): void {
    this.#since = undefined;
  }

  /** Resolves when it is time to try again, or the signal aborts. Rejects with `fault` when it tells of something else, or nothing has answered for 10 s. */
  async ride(fault: unknown): Promise<void> {
    const { terminal, clock, signal } = this.#options;
    if (signal.aborted) return;
    if (!isOutage(fault)) throw fault;
    const now = clock.monotonic();
    if (this.#since === undefined) terminal.err(`${troubleOf(fault)}; trying again …`);
    this.#since ??= now;
    if (now - this.#since >= PATIENCE_MS) throw fault;
    await clock.sleep(PAUSE_MS, signal).catch(() => {});
  }
}

/** Who is up, but not yet able to answer, says so in its own words. */
const troubleOf = (fault: unknown): string =>
  isUnavailable(fault) ? fault.message : "The connection to the cluster broke off";

/** A server that stops answers as unavailable for its last moment. */
const isOutage = (fault: unknown): boolean => fault instanceof TransportError || isUnavailable(fault);
