import type { GameServer } from "#api/agones/gameserver.ts";
import { isActive } from "#api/agones/predicates.ts";

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 600_000;
/** What refuses servers, such as a quota, may end at any time, and nothing tells of it. */
const LONGEST_AFTER_REFUSAL_MS = 60_000;
/** A server that fails sooner after its creation has failed to start, even though it was Ready. */
export const SOON_MS = 10_000;

interface Seen {
  /** The round that was on when the server was seen first. */
  readonly round: number;
  /** Settled: its start succeeded, or failed and was counted, or was cut short by somebody else. */
  start: "underWay" | "saidReady" | "settled";
}

/** A server whose failed start began a new round. */
export interface StartFailure {
  readonly server: GameServer;
  /** Its game had called Ready of the SDK. */
  readonly saidReady: boolean;
}

/**
 * Remembers how a set's servers fail to start, so that a broken build is tried ever more slowly instead of in a storm. A start fails
 * when the server ends before its game calls Ready, in whatever way, or fails within `SOON_MS` of its creation; a server that ends
 * well after Ready has started, however short its life.
 * A round is the servers made since the last failure that counted; its first failure begins a new round and doubles the delay,
 * later ones of the same servers change nothing. One start that succeeds ends it all: that is Ready, or where servers fail after
 * Ready `SOON_MS` of life. In memory alone: after a restart of the controller the first delay counts again. Times are milliseconds
 * since 1970.
 */
export class StartFailures {
  #round = 0;
  /** Rounds that failed since a start succeeded. */
  #failed = 0;
  /** One of them after Ready: being Ready proves nothing now. */
  #afterReady = false;
  #until = 0;
  /** Refusals since the API server took a server. */
  #refused = 0;
  #refusal: string | undefined;
  /** By name, which a server has before its UID is known. */
  readonly #seen = new Map<string, Seen>();
  /** Servers that went since the last look, as they were last. */
  #gone: readonly GameServer[] = [];

  /**
   * Looks at all servers of the set; what failed when a new round of failures just began. A server that ended by no fault of its
   * own is `excused`, and says nothing.
   */
  observe(
    servers: readonly GameServer[],
    now: number,
    excused: (server: GameServer) => boolean = () => false,
  ): StartFailure | undefined {
    this.meet(servers);
    let failure: StartFailure | undefined;
    for (const each of [servers, this.#gone])
      for (const server of each) {
        const failed = this.#lookAt(server, now, excused);
        failure ??= failed;
      }
    this.#gone = [];
    if (this.#seen.size > servers.length) this.#forgetAllBut(servers);
    if (!failure) return undefined;
    if (this.#failed === 0) this.#settleOld(servers, now);
    this.#round++;
    this.#failed++;
    this.#afterReady ||= failure.saidReady;
    this.#until = now + this.#pause;
    return failure;
  }

  /** Servers that were just made belong to the round that is on. Of those that had ended when they were seen first nothing is known. */
  meet(servers: readonly GameServer[]): void {
    for (const server of servers)
      if (!this.#seen.has(nameOf(server)))
        this.#seen.set(nameOf(server), { round: this.#round, start: hasEnded(server) ? "settled" : "underWay" });
  }

  /** A server changed. It may say Ready and end between two looks at all of them. */
  changed(server: GameServer): void {
    const seen = this.#seen.get(nameOf(server));
    if (seen?.start !== "underWay" || !saysReady(server)) return;
    seen.start = "saidReady";
    if (!this.#afterReady) this.#succeeded();
  }

  /** A server is gone. */
  gone(server: GameServer): void {
    this.#gone = [...this.#gone, server];
  }

  /** The set itself takes these away: how they end says nothing of their game. */
  removing(servers: readonly GameServer[]): void {
    for (const server of servers) {
      const seen = this.#seen.get(nameOf(server));
      if (seen) seen.start = "settled";
    }
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

  /** Milliseconds until one of the servers will have lived long enough to end the delays; undefined when there is none. */
  recheckAfter(servers: readonly GameServer[], now: number): number | undefined {
    if (!this.#afterReady) return undefined;
    const lived = servers.filter((server) => this.#seen.get(nameOf(server))?.start === "saidReady");
    return lived.length === 0
      ? undefined
      : Math.max(0, Math.min(...lived.map((server) => SOON_MS - ageOf(server, now))));
  }

  #lookAt(server: GameServer, now: number, excused: (server: GameServer) => boolean): StartFailure | undefined {
    this.changed(server);
    const seen = this.#seen.get(nameOf(server));
    if (!seen || seen.start === "settled") return undefined;
    const saidReady = seen.start === "saidReady";
    const isOld = () => ageOf(server, now) >= SOON_MS;
    if (hasFailed(server) || hasEnded(server)) {
      seen.start = "settled";
      if (excused(server)) return undefined;
      const succeeded = saidReady && (hasEnded(server) || isOld());
      if (!succeeded) return seen.round === this.#round ? { server, saidReady } : undefined;
      if (hasEnded(server)) this.#succeeded();
    } else if (server.metadata.deletionTimestamp) seen.start = "settled";
    // Most of the time nothing fails, and nobody needs to know how old thousands of servers are.
    else if (saidReady && this.#failed > 0 && isOld()) {
      seen.start = "settled";
      this.#succeeded();
    }
    return undefined;
  }

  /** Servers that were made long ago prove nothing of those that fail now. */
  #settleOld(servers: readonly GameServer[], now: number): void {
    for (const server of servers) {
      const seen = this.#seen.get(nameOf(server));
      if (seen?.start === "saidReady" && ageOf(server, now) >= SOON_MS) seen.start = "settled";
    }
  }

  #forgetAllBut(servers: readonly GameServer[]): void {
    const names = new Set(servers.map(nameOf));
    for (const name of this.#seen.keys()) if (!names.has(name)) this.#seen.delete(name);
  }

  #succeeded(): void {
    if (this.#failed > 0) this.#until = 0;
    this.#failed = 0;
    this.#afterReady = false;
  }

  get #pause(): number {
    return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failed - 1));
  }
}

const nameOf = ({ metadata }: GameServer): string => metadata.name ?? "";
const ageOf = ({ metadata }: GameServer, now: number): number =>
  metadata.creationTimestamp ? now - Date.parse(metadata.creationTimestamp) : 0;
const hasFailed = ({ status }: GameServer): boolean => status?.state === "Unhealthy" || status?.state === "Error";
const hasEnded = ({ status }: GameServer): boolean => status?.state === "Shutdown";
const saysReady = (server: GameServer): boolean => server.status?.state === "RequestReady" || isActive(server);
