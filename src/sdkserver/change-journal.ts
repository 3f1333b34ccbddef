/**
 * When a change needs this process no more: once it is settled (in the object, or dropped for good), or on file for the next life.
 *
 *     change ──▶ settled soon: no file at all
 *            └─▶ not soon: on file ──▶ settled: the file follows
 *
 * Files survive the death of every process, and are not synced: a power cut ends the game, too, whose changes they hold.
 */
import type { Clock } from "#runtime/clock.ts";
import { RpcError } from "#runtime/grpc/rpc-error.ts";
import type { Logger } from "#runtime/logger.ts";
import type { KeptChanges } from "./kept-changes.ts";
import type { NotedChange } from "./pending-changes.ts";

export interface ChangeJournalOptions {
  /** What waits now; of the initial content it is known that it is on file. */
  readonly content: () => KeptChanges;
  /** Puts it on file, whole or not at all. Absent: nothing is kept, and changes live as long as this process. */
  readonly save: ((content: KeptChanges) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long a disk that refused a file is left alone, unless there is something new to keep. */
const RETRY_MS = 5000;

interface Waiter {
  readonly serial: number;
  readonly resolve: () => void;
  readonly reject: (reason: RpcError) => void;
}

export class ChangeJournal {
  readonly #options: ChangeJournalOptions;
  #waiters: readonly Waiter[] = [];
  /** What is on file. */
  #saved: readonly NotedChange[];
  /** What a save that has not ended puts there, or one that failed may have. */
  #saving: readonly NotedChange[] = [];
  #dirty = false;
  #writing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  /** A write to the object failed since one was settled: nobody knows when the next will be. */
  #late = false;
  #faulty = false;
  #closed = false;

  constructor(options: ChangeJournalOptions) {
    this.#options = options;
    this.#saved = options.content().changes;
  }

  /** What a life that began now might find on file: one of these. */
  get onFile(): readonly (readonly NotedChange[])[] {
    return [this.#saved, this.#saving].filter((changes) => changes.length > 0);
  }

  /**
   * Resolves once the change needs this process no more. When it is not settled within `withinMs`, it goes on file. Rejects with
   * `Unavailable` when that fails while the object cannot be written either; the change may come into the object still.
   */
  async kept(serial: number, withinMs: number): Promise<void> {
    if (!this.#options.save) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiters = [...this.#waiters, { serial, resolve, reject }];
    if (withinMs <= 0) this.#write();
    else this.#cancelTimer ??= this.#options.clock.after(withinMs, () => this.#write());
    await promise;
  }

  /** All changes up to a serial are in the object, or dropped for good. */
  settle(serial: number): void {
    this.#late = false;
    this.#release(serial);
    if (this.#waiters.length === 0) this.#stopTimer();
    if (this.onFile.length > 0 || this.#writing) this.#write();
  }

  /** What waits is not written soon. */
  delay(): void {
    if (!this.#options.save) return;
    this.#late = true;
    if (this.#waiters.length > 0 || this.#faulty) this.#write();
  }

  /** Puts on file what still waits; resolves when nothing is being written any more, and nothing will be. */
  async close(): Promise<void> {
    if (this.#options.content().changes.length > 0) this.#write();
    this.#stopTimer();
    this.#closed = true;
    await this.#writing;
    this.#refuse(Number.POSITIVE_INFINITY);
  }

  #write(): void {
    this.#stopTimer();
    if (this.#closed || !this.#options.save) return;
    this.#dirty = true;
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    const { content, save, clock, log } = this.#options;
    while (this.#dirty) {
      this.#dirty = false;
      const written = content();
      this.#saving = written.changes;
      try {
        await save?.(written);
        this.#saved = written.changes;
        this.#saving = [];
        this.#faulty = false;
        this.#release(written.serial);
      } catch (error) {
        if (!this.#faulty) log.error({ error }, "changes of GameServer cannot be kept on disk");
        this.#faulty = true;
        if (this.#late) this.#refuse(written.serial);
        if (!this.#closed) this.#cancelTimer ??= clock.after(RETRY_MS, () => this.#write());
      }
    }
    this.#writing = undefined;
  }

  #release(serial: number): void {
    for (const waiter of this.#takeWaiters(serial)) waiter.resolve();
  }

  #refuse(serial: number): void {
    for (const waiter of this.#takeWaiters(serial))
      waiter.reject(new RpcError("Unavailable", "the change can neither be written nor kept"));
  }

  #takeWaiters(serial: number): readonly Waiter[] {
    const taken = this.#waiters.filter((waiter) => waiter.serial <= serial);
    this.#waiters = this.#waiters.filter((waiter) => waiter.serial > serial);
    return taken;
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
