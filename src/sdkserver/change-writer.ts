/** Brings what a game asked for into the stored object: each change once, the newest state last, across all lives of the SDK server. */
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { Writer } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";
import { RpcError } from "#runtime/grpc/rpc-error.ts";
import type { Logger } from "#runtime/logger.ts";
import { ChangeJournal } from "./change-journal.ts";
import { type Change, decideWrite, SDK_WRITE_ANNOTATION, type Write } from "./decide-write.ts";
import type { KeptChanges } from "./kept-changes.ts";
import type { NewestGameServer } from "./newest-game-server.ts";
import { type NotedChange, type NotedState, PendingChanges } from "./pending-changes.ts";
import { judgeFailure } from "./write-failure.ts";
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
  /** A write took effect; an `undefined` one, of a state, was of an earlier life. `superseded`: another state was asked for since. */
  readonly onWritten: (write: Write | undefined, superseded: boolean) => void;
}

/** A write that goes out at once is usually answered by then; what takes longer is put on file. */
const ANSWER_MS = 50;

/** What Kubernetes lets the annotations of one object take. More would never be written. */
const MOST_WAITING_BYTES = 256 * 1024;

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
  /** A write without an answer may be under way still, of an earlier life, too. */
  #unsure: boolean;

  constructor(options: ChangeWriterOptions) {
    const { kept, keep, newest } = options;
    this.#options = options;
    this.#pending = new PendingChanges(kept.changes);
    this.#serial = kept.serial;
    this.#unsure = kept.changes.length > 0;
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

  /**
   * A change to write with all others that wait; of each kind and key the newest counts. Resolves once it needs this process no more.
   * Rejects with `ResourceExhausted` when more would wait than the object can hold.
   */
  async note(change: Change): Promise<void> {
    if (this.#options.newest.gone) return;
    if (this.#pending.bytesWith(change) > MOST_WAITING_BYTES)
      throw new RpcError(
        "ResourceExhausted",
        `labels and annotations beyond ${MOST_WAITING_BYTES} bytes cannot be written`,
      );
    this.#serial++;
    this.#pending.put({ ...change, serial: this.#serial });
    await this.#journal.kept(this.#serial, this.#queue.request() ? ANSWER_MS : 0);
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

  /** One attempt with everything that waits. */
  async #write(): Promise<WriteOutcome> {
    const { newest, writer, namespace, name, clock, kept } = this.#options;
    const base = newest.current;
    if (!base) return this.#late("stale");
    const serial = this.#serial;
    const changes = this.#pending.all;
    const context = { mark: `${kept.id}.${serial}`, now: clock.now(), unsure: this.#unsure };
    const write = changes.length > 0 ? decideWrite(base, changes, context) : undefined;
    this.#tellWhatIsDropped(base, write);
    if (!write) {
      this.#settle(serial);
      return "done";
    }
    this.#sent.set(serial, write);
    try {
      const stored = await writer.patch(GAMESERVERS, namespace, name, { type: "json", operations: write.operations });
      newest.offer(stored);
      // Told by the mark already, unless another's newer version is known that lost it.
      this.#written(serial);
      return "done";
    } catch (error) {
      return this.#failed(base, changes, error);
    }
  }

  #tellWhatIsDropped({ status }: GameServer, write: Write | undefined): void {
    const { state: asked } = this.#pending;
    if (asked && !write?.event && asked.state !== status?.state)
      this.#options.log.info({ asked: asked.state, state: status?.state }, "GameServer keeps its state");
  }

  /** Finds out from the object how far the writes came. */
  #settleBy({ metadata }: GameServer): void {
    const [, id, serial] = /^(.*)\.(\d+)$/.exec(metadata.annotations?.[SDK_WRITE_ANNOTATION] ?? "") ?? [];
    if (id === this.#options.kept.id && Number(serial) <= this.#serial) this.#written(Number(serial));
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
    this.#unsure = false;
    this.#pending.forget(serial);
    this.#journal.settle(serial);
  }

  #failed(base: GameServer, changes: readonly NotedChange[], error: unknown): WriteOutcome {
    const { log, newest } = this.#options;
    const verdict = judgeFailure(error, changes);
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
        this.#unsure = true;
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
