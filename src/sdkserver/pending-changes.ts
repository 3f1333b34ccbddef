/** The changes that wait to be written: of each kind and key the newest. */
import type { Change } from "./decide-write.ts";

/** Serials grow with the time at which a change was asked for, across all lives of an SDK server. */
export type NotedChange = Change & { readonly serial: number };
export type NotedState = Extract<NotedChange, { readonly type: "state" }>;

export class PendingChanges {
  readonly #byPlace = new Map<string, NotedChange>();
  #bytes = 0;

  constructor(changes: readonly NotedChange[]) {
    for (const change of changes) this.put(change);
  }

  /** In the order in which they were asked for. */
  get all(): readonly NotedChange[] {
    return [...this.#byPlace.values()];
  }

  /** The state that was asked for last, when it still waits. */
  get state(): NotedState | undefined {
    const noted = this.#byPlace.get("state");
    return noted?.type === "state" ? noted : undefined;
  }

  get isEmpty(): boolean {
    return this.#byPlace.size === 0;
  }

  /** How many bytes of keys and values would wait together with this change. */
  bytesWith(change: Change): number {
    const older = this.#byPlace.get(placeOf(change));
    return this.#bytes + bytesOf(change) - (older ? bytesOf(older) : 0);
  }

  /** Takes the place of an older change of the same kind and key. */
  put(change: NotedChange): void {
    const place = placeOf(change);
    this.#bytes = this.bytesWith(change);
    // Deleted first, so that the order stays that of the serials.
    this.#byPlace.delete(place);
    this.#byPlace.set(place, change);
  }

  /** Forgets all that were asked for up to a serial. */
  forget(upTo: number): void {
    this.drop(this.all.filter(({ serial }) => serial <= upTo));
  }

  /** Forgets these very changes, not newer ones that took their places. */
  drop(changes: readonly Change[]): void {
    for (const change of changes) {
      const place = placeOf(change);
      if (this.#byPlace.get(place) !== change) continue;
      this.#byPlace.delete(place);
      this.#bytes -= bytesOf(change);
    }
  }
}

const placeOf = (change: Change): string => (change.type === "state" ? "state" : `${change.type} ${change.key}`);

const bytesOf = (change: Change): number =>
  change.type === "state" ? 0 : Buffer.byteLength(change.key) + Buffer.byteLength(change.value);
