import type { GameServer } from "#api/agones/gameserver.ts";
import { isActive } from "#api/agones/predicates.ts";

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 600_000;
/** What refuses servers, such as a quota, may end at any time, and nothing tells of it. */
const LONGEST_AFTER_REFUSAL_MS = 60_000;

interface Seen {
  /** The round that was on when the server was seen first. */
  readonly round: number;
  wasReady: boolean;
}

/**
 * Remembers how a set's servers fail to start, so that a broken build is tried ever more slowly instead of in a storm.
 * A round is the servers made since the last failure that counted; its first failure begins a new round and doubles the delay,
 * later ones of the same servers change nothing. One server that becomes Ready ends it all. In memory alone: after a restart of
 * the controller the first delay counts again. Times are milliseconds since 1970.
 */
export class StartFailures {
  #round = 0;
  /** Rounds that failed since a server became Ready. */
  #failed = 0;
  #until = 0;
  /** Refusals since the API server took a server. */
  #refused = 0;
  #refusal: string | undefined;
  /** By name, which a server has before its UID is known. */
  readonly #seen = new Map<string, Seen>();

  /** Looks at all servers of the set; true when a new round of failures just began. */
  observe(servers: readonly GameServer[], now: number): boolean {
    let failed = false;
    for (const server of this.#lookAt(servers)) {
      const seen = this.#seen.get(nameOf(server));
      if (!seen || seen.wasReady) continue;
      if (isActive(server)) {
        seen.wasReady = true;
        if (this.#failed > 0) this.#until = 0;
        this.#failed = 0;
      } else failed ||= hasFailed(server) && seen.round === this.#round;
    }
    if (!failed) return false;
    this.#round++;
    this.#failed++;
    this.#until = now + this.#pause;
    return true;
  }

  /** Of the servers those that ended before they were Ready. */
  failed(servers: readonly GameServer[]): readonly GameServer[] {
    return servers.filter((server) => hasFailed(server) && !this.#seen.get(nameOf(server))?.wasReady);
  }

  /** Milliseconds between two tries; undefined while starts do not fail. */
  get pauseMs(): number | undefined {
    return this.#failed > 0 ? this.#pause : undefined;
  }

  /** The API server refused to make a server, and why: one is tried ever more slowly, once a minute in the end. */
  refused(why: string, now: number): void {
    this.#refusal = why;
    this.#until = now + Math.min(LONGEST_AFTER_REFUSAL_MS, FIRST_DELAY_MS * 2 ** this.#refused++);
  }

  /** The API server takes servers of the set. */
  accepted(): void {
    this.#refusal = undefined;
    this.#refused = 0;
  }

  /** What the API server says against servers of the set. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Servers were just made. While starts keep failing the next one waits as long as after a failure. */
  made(count: number, now: number): void {
    if (count > 0 && this.#failed >= 2) this.#until = now + this.#pause;
  }

  /** Milliseconds until servers may be made again. */
  delay(now: number): number {
    return Math.max(0, this.#until - now);
  }

  /** How many may be made now: none during a delay, one to try after a second failed round or a refusal, else any number. */
  budget(now: number): number {
    if (this.delay(now) > 0) return 0;
    return this.#failed >= 2 || this.#refused > 0 ? 1 : Number.POSITIVE_INFINITY;
  }

  get #pause(): number {
    return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failed - 1));
  }

  /** Remembers those seen first and forgets those that are gone. */
  #lookAt(servers: readonly GameServer[]): readonly GameServer[] {
    const names = new Set(servers.map(nameOf));
    for (const name of this.#seen.keys()) if (!names.has(name)) this.#seen.delete(name);
    for (const name of names) if (!this.#seen.has(name)) this.#seen.set(name, { round: this.#round, wasReady: false });
    return servers;
  }
}

const nameOf = ({ metadata }: GameServer): string => metadata.name ?? "";
const hasFailed = ({ status }: GameServer): boolean => status?.state === "Unhealthy" || status?.state === "Error";
