/** Brings what a game asked for into the stored object: each change once, the newest state last, across all lives of the SDK server. */
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { Writer } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";
import { RpcError } from "#runtime/grpc/rpc-error.ts";
import type { Logger } from "#runtime/logger.ts";
import { ChangeJournal } from "./change-journal.ts";
import { applyCounts, isCountsChange } from "./decide-counts.ts";
import { type Change, decideWrite, SDK_WRITE_ANNOTATION, type Write } from "./decide-write.ts";
import type { KeptChanges } from "./kept-changes.ts";
import type { NewestGameServer } from "./newest-game-server.ts";
import { type NotedChange, type NotedState, PendingChanges } from "./pending-changes.ts";
import { judgeFailure, type Verdict } from "./write-failure.ts";
import { type WriteOutcome, WriteQueue } from "./write-queue.ts";

export interface ChangeWriterOptions {
  readonly namespace: string;
  readonly name: string;
  readonly newest: NewestGameServer;
  readonly writer: Pick<Writer, "patch">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Least time between two writes, in milliseconds. */
  readonly intervalMs: number;
  readonly random: () => number;
  /** What this life begins with; it is on file. */
  readonly kept: KeptChanges;
  /** Puts what waits on file; absent where nothing can be kept. */
  readonly keep?: (content: KeptChanges) => Promise<void>;
  /** No state is the last. */
  readonly endless?: boolean;
  /** A write took effect; an `undefined` one, of a state, was of an earlier life. `superseded`: another state was asked for since. */
  readonly onWritten: (write: Write | undefined, superseded: boolean) => void;
}

/** A write that goes out at once is usually answered by then; what takes longer is put on file. */
const ANSWER_MS = 50;

/** More would never be written: what Kubernetes lets the annotations of one object take, and the object as a whole. */
const MOST_WAITING_BYTES = { metadata: 256 * 1024, values: 1536 * 1024 } as const;

export class ChangeWriter {
  readonly #options: ChangeWriterOptions;
  readonly #queue: WriteQueue;
  readonly #journal: ChangeJournal;
  readonly #pending: PendingChanges;
  /** Of the newest change. A write's mark tells the serial up to which it takes all changes. */
  #serial: number;
  /** Up to here every change is in the object, or dropped. */
  #settled = 0;
  /** Writes of this life that may have taken effect, by serial. */
  readonly #sent = new Map<number, Write>();
  /**
   * The serial of a write that may be under way still, of an earlier life, too. Counters, lists and players that it took are sent again
   * as they were, and later ones only after them: so the mark tells which of them came.
   */
  #doubt: number | undefined;

  constructor(options: ChangeWriterOptions) {
    const { kept, keep, newest } = options;
    this.#options = options;
    this.#pending = new PendingChanges(kept.changes);
    this.#serial = kept.serial;
    if (kept.changes.length > 0) this.#doubt = kept.serial;
    this.#queue = new WriteQueue(() => this.#write(), options);
    this.#journal = new ChangeJournal({
      ...options,
      save: keep,
      content: () => ({ id: kept.id, serial: this.#serial, changes: this.#pending.all }),
    });
    newest.subscribe((gameServer) => this.#see(gameServer));
    if (!this.#pending.isEmpty) this.#queue.request();
  }

  /** The state that was asked for last, when it still waits. */
  get waitingState(): NotedState | undefined {
    return this.#pending.state;
  }

  /** A server as it will be when the counters, lists and players that wait are written. */
  withCounts(gameServer: GameServer): GameServer {
    return applyCounts(gameServer, this.#pending.all.filter(isCountsChange));
  }

  /**
   * A change to write with all others that wait; of each state, label and annotation the newest counts. Resolves once it needs this
   * process no more. Rejects with `ResourceExhausted`, and takes nothing, when more would wait than the object can hold.
   */
  async note(change: Change): Promise<void> {
    if (this.#options.newest.gone) return;
    const noted = this.#pending.merged({ ...change, serial: this.#serial + 1 });
    this.#checkRoom(noted);
    this.#serial++;
    this.#pending.put(noted);
    await this.#journal.kept(this.#serial, this.#queue.request() ? ANSWER_MS : 0);
  }

  #checkRoom(change: NotedChange): void {
    const { room, bytes } = this.#pending.roomWith(change);
    if (bytes <= MOST_WAITING_BYTES[room]) return;
    const what = room === "metadata" ? "labels and annotations" : "values of lists and players";
    throw new RpcError("ResourceExhausted", `${what} beyond ${MOST_WAITING_BYTES[room]} bytes cannot be written`);
  }

  /** Writes what waits, for at most `budgetMs`, and keeps the rest; nothing is written after that. */
  async close(budgetMs: number): Promise<void> {
    await this.#queue.close(budgetMs);
    await this.#journal.close();
  }

  #see(gameServer: GameServer | undefined): void {
    if (gameServer) {
      this.#settleBy(gameServer);
      this.#queue.refresh();
    } else {
      this.#queue.abandon();
      this.#settle(this.#serial);
    }
  }

  /** One attempt with everything that waits, or with what stood in the write that may be under way. */
  async #write(): Promise<WriteOutcome> {
    const { newest, writer, namespace, name, clock, kept, endless } = this.#options;
    const base = newest.current;
    if (!base) return this.#late("stale");
    const inDoubt = this.#doubt !== undefined;
    const serial = (this.#pending.hasSealed ? this.#doubt : undefined) ?? this.#serial;
    const changes = this.#pending.all.filter((change) => change.serial <= serial);
    const unsure = inDoubt || this.#fileDisagrees(base);
    const context = { mark: `${kept.id}.${serial}`, now: clock.now(), unsure, endless };
    const write = changes.length > 0 ? decideWrite(base, changes, context) : undefined;
    this.#tellWhatIsDropped(base, write, changes);
    if (!write) {
      this.#settle(serial);
      return "done";
    }
    this.#sent.set(serial, write);
    if (!this.#pending.hasSealed) this.#pending.seal();
    this.#doubt = serial;
    try {
      const stored = await writer.patch(GAMESERVERS, namespace, name, { type: "json", operations: write.operations });
      newest.offer(stored);
      // Told by the mark already, unless another's newer version is known that lost it.
      this.#written(serial);
      if (!this.#pending.isEmpty) this.#queue.request();
      return "done";
    } catch (error) {
      const verdict = judgeFailure(error, changes);
      const outcome = this.#failed(base, verdict, error);
      if (!inDoubt && verdict.type !== "unsure") this.#endDoubt();
      return outcome;
    }
  }

  /**
   * A life that began now would find older changes on file, and undo with them what the object has: so it needs a mark that tells it
   * not to.
   */
  #fileDisagrees(base: GameServer): boolean {
    const { clock, endless } = this.#options;
    const done = this.#markOf(base) ?? 0;
    const context = { mark: "", now: clock.now(), unsure: false, endless };
    return this.#journal.onFile.some(
      (changes) =>
        decideWrite(
          base,
          changes.filter(({ serial }) => serial > done),
          context,
        ) !== undefined,
    );
  }

  #endDoubt(): void {
    this.#doubt = undefined;
    this.#pending.unseal();
  }

  #tellWhatIsDropped({ status }: GameServer, write: Write | undefined, changes: readonly NotedChange[]): void {
    const asked = changes.find((change) => change.type === "state");
    if (asked && !write?.state && asked.state !== status?.state)
      this.#options.log.info({ asked: asked.state, state: status?.state }, "GameServer keeps its state");
  }

  /** Finds out from the object how far the writes came. */
  #settleBy(gameServer: GameServer): void {
    const serial = this.#markOf(gameServer);
    if (serial !== undefined) this.#written(serial);
  }

  /** Up to where an object has our changes, as far as it says so. */
  #markOf({ metadata }: GameServer): number | undefined {
    const [, id, serial] = /^(.*)\.(\d+)$/.exec(metadata.annotations?.[SDK_WRITE_ANNOTATION] ?? "") ?? [];
    return id === this.#options.kept.id && Number(serial) <= this.#serial ? Number(serial) : undefined;
  }

  /** All changes up to a serial have come into the object. */
  #written(serial: number): void {
    if (serial <= this.#settled) return;
    const write = this.#sent.get(serial);
    const { state } = this.#pending;
    this.#settle(serial);
    if (write || (state && state.serial <= serial)) this.#options.onWritten(write, this.#pending.state !== undefined);
  }

  #settle(serial: number): void {
    this.#settled = serial;
    this.#sent.clear();
    this.#pending.forget(serial);
    // An earlier write has come: a later one may still be under way.
    if (this.#doubt !== undefined && serial >= this.#doubt) this.#endDoubt();
    this.#journal.settle(serial);
  }

  #failed(base: GameServer, verdict: Verdict, error: unknown): WriteOutcome {
    const { log, newest } = this.#options;
    switch (verdict.type) {
      case "gone":
        newest.lose();
        return "gone";
      case "lost-race":
        log.trace({ error }, "GameServer was changed by another, writing again");
        return newest.current === base ? this.#late("stale") : "again";
      case "refused":
        log.error({ error, dropped: verdict.dropped }, "change of GameServer was refused and is dropped");
        this.#pending.drop(verdict.dropped);
        return "again";
      case "unsure":
        log.warn({ error }, "write of GameServer had no answer, trying again");
        return this.#late("retry");
      case "failed":
        log.warn({ error }, "write of GameServer failed, trying again");
        return this.#late("retry");
    }
  }

  #late(outcome: WriteOutcome): WriteOutcome {
    this.#journal.delay();
    return outcome;
  }
}
