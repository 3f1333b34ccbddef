/**
 * One game server as its own SDK sees it: what the game asks for goes in, what is stored comes out.
 *
 * A call is answered once its change can no longer be lost: as a rule it is in the object by then, else on file. Changes reach the
 * object by one queue that merges all kinds into one guarded patch. Reads and watches show what is stored, never what waits; only the
 * calls for counters, lists and players count with what waits.
 */
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeingDeleted } from "#api/agones/predicates.ts";
import { isHealthPaused } from "#api/core/health-pause.ts";
import type { Writer } from "#kube/client.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import type { Clock } from "#runtime/clock.ts";
import { RpcError } from "#runtime/grpc/rpc-error.ts";
import type { Logger } from "#runtime/logger.ts";
import { TokenBucket } from "#runtime/token-bucket.ts";
import { ChangeWriter } from "./change-writer.ts";
import { applyCounts, type CountsChange } from "./decide-counts.ts";
import { type Change, lastAllocated, SDK_WRITE_ANNOTATION, type StateChange } from "./decide-write.ts";
import type { GameServerSource } from "./game-server-source.ts";
import { HealthCheck } from "./health-check.ts";
import type { KeptChanges } from "./kept-changes.ts";
import { LatestValues } from "./latest-values.ts";
import { annotationChange, labelChange } from "./metadata-entries.ts";
import { NewestGameServer } from "./newest-game-server.ts";
import { ReserveTimer } from "./reserve-timer.ts";

export interface SessionOptions {
  readonly namespace: string;
  readonly name: string;
  /** UID of the very object this game belongs to, when it is known; another one under the same name is not served. */
  readonly uid?: string;
  readonly source: GameServerSource;
  readonly writer: Pick<Writer, "patch">;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  /** Least time between two writes, in milliseconds. */
  readonly intervalMs: number;
  /** The SDK server served this very game before, in an earlier life. */
  readonly resumed: boolean;
  /** What an earlier life left to do, or nothing. */
  readonly kept: KeptChanges;
  /** Keeps for the next life what waits. Absent: changes live as long as this process, and calls are answered at once. */
  readonly keep?: (content: KeptChanges) => Promise<void>;
  readonly random: () => number;
  /** The server goes on after Shutdown, and after it was found Unhealthy: nothing around it ends it. */
  readonly endless?: boolean;
  /** Told of each state that the game asks for. */
  readonly onAsked?: (state: StateChange["state"]) => void;
}

type CountsDecision = { readonly change?: CountsChange } | { readonly refused: string };

interface Counted {
  readonly gameServer: GameServer;
  readonly changed: boolean;
}

/** How long a read waits for an object that the watch has not shown yet. */
const FIRST_SIGHT_MS = 10_000;
/** Versions that wait for one slow watcher. */
const WATCH_BACKLOG = 16;
/** Half of what one object may have of events: a game that counts a lot must not hide its states, nor that it was found unhealthy. */
const COUNTS_EVENTS = { burst: 12, refillMs: 600_000 };
/** Go's longest duration, about 292 years. */
const MOST_SECONDS = 9_223_372_036n;

const stopped = () => new RpcError("Unavailable", "the SDK server is stopping");

export class GameServerSession {
  readonly #options: SessionOptions;
  readonly #newest = new NewestGameServer();
  readonly #changes: ChangeWriter;
  readonly #health: HealthCheck;
  readonly #reserve: ReserveTimer;
  readonly #closed = new AbortController();
  readonly #countsEvents: TokenBucket;
  #unhealthy: boolean;
  #stopping = false;
  #unsubscribe = (): void => {};

  constructor(options: SessionOptions) {
    const { clock, log, resumed } = options;
    this.#options = options;
    this.#countsEvents = new TokenBucket(COUNTS_EVENTS, clock);
    this.#changes = new ChangeWriter({
      ...options,
      newest: this.#newest,
      onWritten: (write, superseded) => {
        const { events = [], countsEvents = [], reservedUntil } = write ?? {};
        for (const { type, reason, message } of events) this.#event(type, reason, message);
        for (const { type, reason, message } of countsEvents)
          if (this.#countsEvents.take()) this.#event(type, reason, message);
        if (superseded || this.#stopping) return;
        if (!write) this.#takeUpReservation();
        else if (reservedUntil !== undefined) this.#reserve.arm(reservedUntil);
      },
    });
    this.#unhealthy = this.#changes.waitingState?.state === "Unhealthy";
    this.#reserve = new ReserveTimer(clock, () =>
      this.#unasked({ ...this.#stateNow("RequestReady"), onlyFrom: "Reserved" }),
    );
    this.#health = new HealthCheck({
      clock,
      log,
      resumed,
      paused: () => {
        const { current } = this.#newest;
        return current !== undefined && isHealthPaused(current, clock.now());
      },
      onUnhealthy: () => this.#failHealth(),
      onSuspended: () =>
        this.#event("Normal", "HealthSuspended", "SDK server restarted: missed health counts from the next ping on"),
    });
  }

  /** Begins to follow the object, and takes up a reservation that was running. */
  start(): void {
    const { source, namespace, name } = this.#options;
    this.#newest.subscribe((gameServer) => {
      if (!gameServer) this.#end();
    });
    this.#unsubscribe = source.subscribe(namespace, name, (gameServer) => this.#see(gameServer));
    const present = source.get(namespace, name);
    if (present) this.#see(present);
  }

  /** Refuses changes from now on with `Unavailable`, writes what waits for at most `budgetMs`, then ends every stream. */
  async stop(budgetMs: number): Promise<void> {
    this.#stopping = true;
    this.#health.stop();
    this.#reserve.cancel();
    await this.#changes.close(budgetMs);
    this.#end();
    this.#closed.abort(stopped());
  }

  ready(): Promise<void> {
    return this.#ask(this.#stateNow("RequestReady"));
  }

  allocate(): Promise<void> {
    return this.#ask(this.#stateNow("Allocated"));
  }

  shutdown(): Promise<void> {
    return this.#ask(this.#stateNow("Shutdown"));
  }

  /** Zero or less: without an end. */
  reserve(seconds: bigint): Promise<void> {
    const bounded = seconds > MOST_SECONDS ? MOST_SECONDS : seconds;
    return this.#ask({
      ...this.#stateNow("Reserved"),
      ...(bounded > 0n && { reservedForMs: Number(bounded) * 1000 }),
    });
  }

  async setLabel(key: string, value: string): Promise<void> {
    await this.#note(labelChange(key, value));
  }

  async setAnnotation(key: string, value: string): Promise<void> {
    await this.#note(annotationChange(key, value));
  }

  /**
   * Changes counters, lists or players. `decide` sees the stored object with all of them that wait, so that no two calls are taken for
   * one; resolves with that object as the change makes it. Refuses with `Unknown` and changes nothing when `decide` refuses.
   */
  async count(signal: AbortSignal, decide: (seen: GameServer) => CountsDecision): Promise<Counted> {
    await this.read(signal);
    // From here on until the change is noted, nobody else has a turn.
    const seen = this.#counted();
    const decision = decide(seen);
    if ("refused" in decision) throw new RpcError("Unknown", decision.refused);
    if (!decision.change) return { gameServer: seen, changed: false };
    await this.#note(decision.change);
    return { gameServer: applyCounts(seen, [decision.change]), changed: true };
  }

  /** The stored object with the counters, lists and players that wait; what a call has changed is seen by the next. */
  async readCounts(signal: AbortSignal): Promise<GameServer> {
    await this.read(signal);
    return this.#counted();
  }

  ping(): void {
    this.#health.ping();
  }

  /** The answer to a health probe of the game; the first one starts the counting of missed pings. */
  probe(): boolean {
    if (this.#newest.current && !this.#newest.gone) this.#health.start(this.#newest.current.spec.health);
    return this.#health.healthy;
  }

  /** The stored object. Waits for the first sight of it; refuses with `Unknown` when there is none. */
  async read(signal: AbortSignal): Promise<GameServer> {
    if (this.#newest.current) return this.#newest.current;
    const { namespace, name, source, clock } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<GameServer>();
    const refuse = (why: string) =>
      reject(new RpcError("Unknown", `could not retrieve GameServer ${namespace}/${name}: ${why}`));
    const leave = this.#newest.subscribe((seen) => (seen ? resolve(seen) : refuse("it is gone")));
    const forget = this.#onEnd(signal, reject);
    let cancel = (): void => {};
    void source.synced.then(() => {
      cancel = clock.after(FIRST_SIGHT_MS, () => refuse("not found"));
    });
    return promise.finally(() => {
      leave();
      forget();
      cancel();
    });
  }

  /** The stored object now, then every newer version, until `signal` aborts or the session stops. */
  async *watch(signal: AbortSignal): AsyncGenerator<GameServer> {
    const versions = new LatestValues<GameServer>(WATCH_BACKLOG);
    const present = this.#newest.current;
    if (present) versions.push(present);
    // A server that is gone says nothing more: clients that are told of an end would ask again at once.
    const leave = this.#newest.subscribe((newer) => newer && versions.push(newer));
    const forget = this.#onEnd(signal, () => versions.end());
    try {
      if (!present) await this.read(signal);
      yield* versions;
    } finally {
      leave();
      forget();
    }
  }

  #counted(): GameServer {
    return this.#changes.withCounts(this.#newest.current as GameServer);
  }

  /** Calls back when the call is over or the session stops, also when it is so already; the returned function ends the wait. */
  #onEnd(call: AbortSignal, callback: (reason: unknown) => void): () => void {
    const signals = [call, this.#closed.signal];
    const listener = (): void => callback(signals.find(({ aborted }) => aborted)?.reason);
    if (signals.some(({ aborted }) => aborted)) listener();
    for (const signal of signals) signal.addEventListener("abort", listener, { once: true });
    return () => {
      for (const signal of signals) signal.removeEventListener("abort", listener);
    };
  }

  /** A change of state that the game asked for. */
  async #ask(change: StateChange): Promise<void> {
    this.#options.onAsked?.(change.state);
    this.#reserve.cancel();
    // Unhealthy, once said, is the last word.
    if (!this.#unhealthy) await this.#note(change);
  }

  async #note(change: Change): Promise<void> {
    if (this.#stopping) throw stopped();
    await this.#changes.note(change);
  }

  /** A change of state that nobody waits for. */
  #unasked(change: StateChange): void {
    this.#changes
      .note(change)
      .catch((error: unknown) => this.#options.log.error({ error }, "state change may be lost"));
  }

  /** The game knew of the allocations that are known here, whatever the clocks of others say. */
  #stateNow(state: StateChange["state"]): StateChange {
    const { current } = this.#newest;
    return { type: "state", state, at: Math.max(this.#options.clock.now(), (current && lastAllocated(current)) ?? 0) };
  }

  /** Said again as long as it is so: nobody makes a server healthy by writing another state. */
  #failHealth(): void {
    const { current } = this.#newest;
    const isDone = !current || isBeingDeleted(current) || current.status?.state === "Unhealthy";
    if (this.#unhealthy && (isDone || this.#changes.waitingState)) return;
    this.#options.log.warn({}, "GameServer has failed health check");
    this.#reserve.cancel();
    this.#unhealthy = true;
    this.#unasked(this.#stateNow("Unhealthy"));
  }

  #see(gameServer: GameServer | undefined): void {
    const first = this.#newest.current === undefined;
    const { uid = gameServer?.metadata.uid } = this.#options;
    if (gameServer?.metadata.uid === uid) this.#newest.offer(gameServer);
    else if (!first) this.#newest.lose();
    if (first && gameServer?.metadata.annotations?.[SDK_WRITE_ANNOTATION]) this.#health.suspend();
    if (first && !this.#changes.waitingState) this.#takeUpReservation();
  }

  /** A reservation of an earlier life ends as it was to end. */
  #takeUpReservation(): void {
    const { state, reservedUntil } = this.#newest.current?.status ?? {};
    if (state === "Reserved" && reservedUntil)
      this.#reserve.arm(Date.parse(reservedUntil) || this.#options.clock.now());
  }

  #event(type: "Normal" | "Warning", reason: string, message: string): void {
    const { current } = this.#newest;
    if (current) this.#options.recorder.event(current, type, reason, message);
  }

  /** Nothing is left to follow. */
  #end(): void {
    this.#unsubscribe();
    this.#health.stop();
    this.#reserve.cancel();
  }
}
