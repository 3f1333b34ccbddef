import type { Clock } from "#runtime/clock.ts";
import type { Change } from "../../store/objects.ts";

export interface WatchInboxOptions {
  readonly source: AsyncIterator<readonly Change[]>;
  /** The collection's present revision. */
  readonly current: () => number;
  readonly clock: Clock;
  /** When the watch ends by itself. */
  readonly timeoutMs: number;
  /** Absent: no bookmarks. */
  readonly bookmarkEveryMs?: number;
}

export type WatchItem =
  | { readonly type: "changes"; readonly changes: readonly Change[] }
  /** Time to tell the client how far it is; no change up to `passed` is still to come. */
  | { readonly type: "bookmark"; readonly passed: number };

/** What a watch waits for, one thing at a time: changes, the time of a bookmark, its end. Time runs from the construction. */
export class WatchInbox {
  readonly #options: WatchInboxOptions;
  #wake = () => {};
  #arrived: IteratorResult<readonly Change[]> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #bookmarkDue = false;
  #over = false;
  /** Counts the questions put to the source; the last one may be unanswered. */
  #asks = 0;
  #asking = false;
  #lastTick = { asks: -1, revision: 0 };
  readonly #stopTimeout: () => void;
  #stopTick: () => void = () => {};

  constructor(options: WatchInboxOptions) {
    this.#options = options;
    this.#stopTimeout = options.clock.after(options.timeoutMs, () => {
      this.#over = true;
      this.#wake();
    });
    this.#scheduleTick();
  }

  /** `undefined` at the end. Throws what the source throws. */
  async next(): Promise<WatchItem | undefined> {
    while (!this.#over) {
      if (this.#failure) throw this.#failure.error;
      if (this.#arrived) return this.#take(this.#arrived);
      if (this.#bookmarkDue) return this.#bookmark();
      this.#ask();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return undefined;
  }

  close(): void {
    this.#over = true;
    this.#stopTimeout();
    this.#stopTick();
    this.#options.source.return?.().catch(() => {});
  }

  #take(result: IteratorResult<readonly Change[]>): WatchItem | undefined {
    this.#arrived = undefined;
    this.#asking = false;
    return result.done ? undefined : { type: "changes", changes: result.value };
  }

  /** What was current a tick ago has reached a reader that has been waiting on one and the same question since. */
  #bookmark(): WatchItem {
    this.#bookmarkDue = false;
    const waited = this.#asking && this.#lastTick.asks === this.#asks;
    const passed = waited ? this.#lastTick.revision : 0;
    this.#lastTick = { asks: this.#asking ? this.#asks : -1, revision: this.#options.current() };
    return { type: "bookmark", passed };
  }

  #ask(): void {
    if (this.#asking) return;
    this.#asking = true;
    this.#asks++;
    this.#options.source.next().then(
      (result) => {
        this.#arrived = result;
        this.#wake();
      },
      (error: unknown) => {
        this.#failure = { error };
        this.#wake();
      },
    );
  }

  #scheduleTick(): void {
    const { clock, bookmarkEveryMs } = this.#options;
    if (bookmarkEveryMs === undefined) return;
    this.#stopTick = clock.after(bookmarkEveryMs, () => {
      this.#bookmarkDue = true;
      this.#wake();
      this.#scheduleTick();
    });
  }
}
