import type { GameServer } from "#api/agones/gameserver.ts";
import { isActive } from "#api/agones/predicates.ts";

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 600_000;

/**
 * Remembers how a set's servers fail to start, so that a broken build is tried ever more slowly instead of in a storm.
 * A round is the servers made since the last delay; a round with a failure doubles the delay. One server that becomes Ready
 * ends it. In memory alone: after a restart of the controller the first delay counts again.
 */
export class StartFailures {
  #rounds = 0;
  #until = 0;
  readonly #wasReady = new Set<string>();
  readonly #counted = new Set<string>();

  /** Looks at the set's servers; true when a new round of failures just began. `now`: milliseconds since 1970. */
  observe(servers: readonly GameServer[], now: number): boolean {
    let failed = false;
    const present = new Set<string>();
    for (const server of servers) {
      const uid = server.metadata.uid ?? "";
      present.add(uid);
      const state = server.status?.state;
      if (isActive(server) && !this.#wasReady.has(uid)) {
        this.#wasReady.add(uid);
        this.#rounds = 0;
        this.#until = 0;
      }
      if ((state === "Unhealthy" || state === "Error") && !this.#wasReady.has(uid) && !this.#counted.has(uid)) {
        this.#counted.add(uid);
        failed = true;
      }
    }
    for (const known of [this.#wasReady, this.#counted])
      for (const uid of known) if (!present.has(uid)) known.delete(uid);
    if (!failed || now < this.#until) return false;
    this.#rounds++;
    this.#until = now + Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#rounds - 1));
    return true;
  }

  /** Milliseconds until servers may be made again. */
  delay(now: number): number {
    return Math.max(0, this.#until - now);
  }

  /** How many may be made now: none during a delay, one to try after a second failed round, else any number. */
  budget(now: number): number {
    if (this.delay(now) > 0) return 0;
    return this.#rounds >= 2 ? 1 : Number.POSITIVE_INFINITY;
  }

  get rounds(): number {
    return this.#rounds;
  }
}
