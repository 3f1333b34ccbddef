/** What the API shows of one pod, and the writes that bring it in line with the node: never two at once, never an equal one. */
import type { Pod, PodStatus } from "#api/core/pod.ts";
import { PODS } from "#api/core/resources.ts";
import { deepEqual } from "#api/meta/equality.ts";
import type { JsonValue } from "#api/meta/json.ts";
import { isConflict, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { WriteTurns } from "./write-turns.ts";

export type PodWriter = Pick<Client, "get" | "updateStatus" | "delete">;

export interface PodPublisherOptions {
  readonly writer: PodWriter;
  /** Shared by all pods of a node. */
  readonly turns: WriteTurns;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after each write, well or not, when it is time to look again. */
  readonly changed: () => void;
}

/** A start takes milliseconds: waiting this long for it saves a write that says "creating". */
const HOLD_MS = 1_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;

export class PodPublisher {
  readonly #options: PodPublisherOptions;
  #pod: Pod;
  #forgotten = false;
  #finished = false;
  #busy = false;
  #closed = false;
  #failures = 0;
  #heldUntil: number | undefined;
  #last: { readonly sent: PodStatus; readonly stored: PodStatus | undefined } | undefined;

  constructor(pod: Pod, options: PodPublisherOptions) {
    this.#pod = pod;
    this.#options = options;
  }

  /** The newest version known, own writes included. */
  get pod(): Pod {
    return this.#pod;
  }

  /** The API knows this very pod no longer. */
  get forgotten(): boolean {
    return this.#forgotten;
  }

  /** The API accepted that nothing runs any more; finalizers may still keep the object. */
  get finished(): boolean {
    return this.#finished;
  }

  observe(pod: Pod): void {
    if (!isOlder(pod, this.#pod)) this.#pod = pod;
  }

  forget(): void {
    this.#forgotten = true;
  }

  close(): void {
    this.#closed = true;
  }

  /**
   * Writes the status unless the API shows it already; it is asked for again when the write's turn comes, for much may have
   * happened by then. With `hold`, a first difference may wait a moment for the next.
   */
  publish(status: () => PodStatus, hold: boolean): void {
    const { clock, changed, writer } = this.#options;
    if (this.#busy || this.#closed || this.#forgotten || this.#isShown(status())) return;
    if (hold) {
      if (this.#heldUntil === undefined) {
        this.#heldUntil = clock.now() + HOLD_MS;
        clock.after(HOLD_MS, changed);
      }
      if (clock.now() < this.#heldUntil) return;
    }
    this.#heldUntil = undefined;
    this.#write(async () => {
      const sent = status();
      if (this.#closed || this.#forgotten || this.#isShown(sent)) return;
      const stored = await writer.updateStatus(PODS, { ...this.#pod, status: sent });
      this.#last = { sent, stored: stored.status };
      this.observe(stored);
    });
  }

  /** Tells the API that it may remove the object. */
  finish(): void {
    if (this.#busy || this.#closed || this.#forgotten || this.#finished) return;
    const { name = "", namespace = "", uid } = this.#pod.metadata;
    this.#write(async () => {
      await this.#options.writer.delete(PODS, namespace, name, {
        gracePeriodSeconds: 0,
        ...(uid !== undefined && { preconditions: { uid } }),
      });
      this.#finished = true;
    });
  }

  /** A server may store a status in other words than it was sent; that is no difference. */
  #isShown(status: PodStatus): boolean {
    if (same(status, this.#pod.status)) return true;
    return this.#last !== undefined && same(status, this.#last.sent) && same(this.#last.stored, this.#pod.status);
  }

  #write(write: () => Promise<void>): void {
    this.#busy = true;
    const done = () => {
      this.#busy = false;
      if (!this.#closed) this.#options.changed();
    };
    this.#options.turns.take(write).then(
      () => {
        this.#failures = 0;
        done();
      },
      async (error: unknown) => {
        const waitMs = await this.#recoverFrom(error);
        if (waitMs === 0) done();
        else this.#options.clock.after(waitMs, done);
      },
    );
  }

  /** How long to wait before the next write. */
  async #recoverFrom(error: unknown): Promise<number> {
    const { name = "", namespace = "", uid } = this.#pod.metadata;
    if (isNotFound(error)) {
      this.#forgotten = true;
      return 0;
    }
    const conflict = isConflict(error);
    if (conflict) {
      try {
        const newest = await this.#options.writer.get(PODS, namespace, name);
        if (newest.metadata.uid === uid) this.#pod = newest;
        else this.#forgotten = true;
      } catch (failure) {
        if (isNotFound(failure)) this.#forgotten = true;
      }
    } else if (this.#failures === 0) {
      this.#options.log.warn(
        { pod: `${namespace}/${name}`, error },
        "The status of a pod cannot be written; trying again",
      );
    }
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
    this.#failures++;
    return conflict && this.#failures === 1 ? 0 : waitMs;
  }
}

const same = (a: PodStatus | undefined, b: PodStatus | undefined): boolean =>
  deepEqual(a as unknown as JsonValue | undefined, b as unknown as JsonValue | undefined);

/** A watch may still bring what a write of our own has overtaken. Versions that are no numbers say nothing. */
function isOlder(a: Pod, b: Pod): boolean {
  const [left = "", right = ""] = [a.metadata.resourceVersion, b.metadata.resourceVersion];
  return /^\d+$/.test(left) && /^\d+$/.test(right) && BigInt(left) < BigInt(right);
}
