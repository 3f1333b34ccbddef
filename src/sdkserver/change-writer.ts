/** Brings what a game asked for into the stored object: each change once, the newest state last. */
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { Writer } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import {
  decideWrite,
  isEmpty,
  mergeChanges,
  NO_CHANGES,
  type PendingChanges,
  SDK_WRITE_ANNOTATION,
  type Write,
  withoutChanges,
} from "./decide-write.ts";
import type { NewestGameServer } from "./newest-game-server.ts";
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
  /** Begins the marks of this writer; no two writers of one object share it. */
  readonly id: string;
  readonly random: () => number;
  /** A write took effect. `superseded`: another state was asked for since. */
  readonly onWritten: (write: Write, superseded: boolean) => void;
}

/** A write on its way. Without an answer to it, only the mark in the object says whether it took effect. */
interface Attempt {
  readonly mark: string;
  readonly base: GameServer;
  readonly changes: PendingChanges;
  readonly write: Write;
}

export class ChangeWriter {
  readonly #options: ChangeWriterOptions;
  readonly #queue: WriteQueue;
  #pending: PendingChanges = NO_CHANGES;
  #unsure: readonly Attempt[] = [];
  #writes = 0;

  constructor(options: ChangeWriterOptions) {
    this.#options = options;
    this.#queue = new WriteQueue(() => this.#write(), options);
    options.newest.subscribe((gameServer) => (gameServer ? this.#queue.refresh() : this.#queue.abandon()));
  }

  /** Changes to write with all others that wait; of each kind and key the newest counts. */
  note(changes: Partial<PendingChanges>): void {
    this.#pending = mergeChanges(this.#pending, changes);
    this.#queue.request();
  }

  /** Writes what waits, for at most `budgetMs`; nothing is written after that. */
  close(budgetMs: number): Promise<void> {
    return this.#queue.close(budgetMs);
  }

  /** One attempt with everything that waits. */
  async #write(): Promise<WriteOutcome> {
    const { newest, writer, namespace, name, clock, id } = this.#options;
    const base = newest.current;
    if (!base) return "stale";
    this.#settle(base);
    const changes = this.#pending;
    const mark = `${id}.${++this.#writes}`;
    const write = decideWrite(base, changes, { mark, now: clock.now() });
    if (!write) {
      this.#pending = withoutChanges(this.#pending, changes);
      return "done";
    }
    const attempt = { mark, base, changes, write };
    try {
      const stored = await writer.patch(GAMESERVERS, namespace, name, { type: "json", operations: write.operations });
      newest.offer(stored);
      this.#succeeded(attempt);
      return "done";
    } catch (error) {
      return this.#failed(attempt, error);
    }
  }

  /** Finds out from the object which of the attempts without an answer took effect, if any. */
  #settle(base: GameServer): void {
    const seen = base.metadata.annotations?.[SDK_WRITE_ANNOTATION];
    const effective = this.#unsure.find(({ mark }) => mark === seen);
    if (effective) this.#succeeded(effective);
    // All of them were guarded by one version; once that is history none can take effect any more.
    this.#unsure = this.#unsure.filter((each) => each.base.metadata.resourceVersion === base.metadata.resourceVersion);
  }

  #succeeded({ changes, write }: Attempt): void {
    const superseded = this.#pending.state !== changes.state;
    this.#pending = withoutChanges(this.#pending, changes);
    this.#unsure = [];
    this.#options.onWritten(write, superseded);
  }

  #failed(attempt: Attempt, error: unknown): WriteOutcome {
    const { log, newest } = this.#options;
    const verdict = judgeFailure(error, attempt.changes);
    switch (verdict.type) {
      case "gone":
        newest.lose();
        return "gone";
      case "lost-race":
        log.trace({ error }, "GameServer was changed by another, writing again");
        return newest.current === attempt.base ? "stale" : "again";
      case "refused":
        log.error({ error, dropped: verdict.dropped }, "change of GameServer was refused and is dropped");
        this.#pending = withoutChanges(this.#pending, verdict.dropped);
        return isEmpty(this.#pending) ? "done" : "again";
      case "unsure":
        this.#unsure = [...this.#unsure, attempt];
        log.warn({ error }, "write of GameServer had no answer, trying again");
        return "retry";
      case "failed":
        log.warn({ error }, "write of GameServer failed, trying again");
        return "retry";
    }
  }
}
