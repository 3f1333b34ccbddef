/** The changes that wait to be written: of each kind and key one that says all, and one more while a write may be under way. */
import { type CountsChange, isCountsChange, mergeCounts } from "./decide-counts.ts";
import type { Change } from "./decide-write.ts";

type Noted<T> = T & { readonly serial: number };

/** Serials grow with the time at which a change was asked for, across all lives of an SDK server. */
export type NotedChange = Noted<Change>;
export type NotedState = Extract<NotedChange, { readonly type: "state" }>;

/** Of what an object can hold only so much. */
type Room = "metadata" | "values";

export class PendingChanges {
  readonly #newest = new Map<string, NotedChange>();
  /** Counters, lists and players as they stand in a write that may be under way: what comes later is not mixed with them. */
  #sealed: readonly Noted<CountsChange>[];
  readonly #bytes = { metadata: 0, values: 0 };

  /** Of the changes of an earlier life nobody knows which of them stand in a write that is under way. */
  constructor(changes: readonly NotedChange[]) {
    this.#sealed = changes.filter(isCountsChange);
    for (const change of this.#sealed) this.#count(change, 1);
    for (const change of changes) if (!isCountsChange(change)) this.put(change);
  }

  /** Of each kind and key in the order in which they were asked for. */
  get all(): readonly NotedChange[] {
    return [...this.#sealed, ...this.#newest.values()];
  }

  /** The state that was asked for last, when it still waits. */
  get state(): NotedState | undefined {
    const noted = this.#newest.get("state");
    return noted?.type === "state" ? noted : undefined;
  }

  get isEmpty(): boolean {
    return this.#newest.size === 0 && this.#sealed.length === 0;
  }

  get hasSealed(): boolean {
    return this.#sealed.length > 0;
  }

  /** The change with what waits of its kind and key. */
  merged(change: NotedChange): NotedChange {
    const older = this.#newest.get(placeOf(change));
    return older && isCountsChange(older) && isCountsChange(change) ? mergeCounts(older, change) : change;
  }

  /** How many bytes would wait together with this change, in place of an older one. */
  roomWith(change: NotedChange): { readonly room: Room; readonly bytes: number } {
    const room = roomOf(change);
    const older = this.#newest.get(placeOf(change));
    return { room, bytes: this.#bytes[room] + bytesOf(change) - (older ? bytesOf(older) : 0) };
  }

  /** Takes the place of an older change of the same kind and key. */
  put(change: NotedChange): void {
    const place = placeOf(change);
    this.#remove(place);
    this.#newest.set(place, change);
    this.#count(change, 1);
  }

  /** A write takes what waits. */
  seal(): void {
    const taken = [...this.#newest.values()].filter(isCountsChange);
    for (const change of taken) this.#newest.delete(placeOf(change));
    this.#sealed = [...this.#sealed, ...taken];
  }

  /** The write has not taken effect, and never will. */
  unseal(): void {
    const sealed = this.#sealed;
    this.#sealed = [];
    for (const change of sealed.toReversed()) {
      this.#count(change, -1);
      const newer = this.#newest.get(placeOf(change));
      this.put(newer && isCountsChange(newer) ? mergeCounts<Noted<CountsChange>>(change, newer) : change);
    }
  }

  /** Forgets all that were asked for up to a serial. */
  forget(upTo: number): void {
    this.drop(this.all.filter(({ serial }) => serial <= upTo));
  }

  /** Forgets these very changes, not newer ones that took their places. */
  drop(changes: readonly Change[]): void {
    const dropped: ReadonlySet<Change> = new Set(changes);
    for (const change of this.#sealed) if (dropped.has(change)) this.#count(change, -1);
    this.#sealed = this.#sealed.filter((change) => !dropped.has(change));
    for (const [place, change] of this.#newest) if (dropped.has(change)) this.#remove(place);
  }

  #remove(place: string): void {
    const change = this.#newest.get(place);
    if (!change) return;
    this.#count(change, -1);
    // So that what takes its place comes last.
    this.#newest.delete(place);
  }

  #count(change: NotedChange, sign: 1 | -1): void {
    this.#bytes[roomOf(change)] += sign * bytesOf(change);
  }
}

const placeOf = (change: Change): string =>
  change.type === "state" || change.type === "players" ? change.type : `${change.type} ${change.key}`;

const roomOf = ({ type }: Change): Room => (type === "label" || type === "annotation" ? "metadata" : "values");

function bytesOf(change: Change): number {
  switch (change.type) {
    case "label":
    case "annotation":
      return Buffer.byteLength(change.key) + Buffer.byteLength(change.value);
    case "list":
    case "players":
      return change.add.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
    case "state":
    case "counter":
      return 0;
  }
}
