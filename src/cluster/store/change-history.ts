import type { Change } from "./objects.ts";

/** A change and the key it happened to. */
export interface KeyedChange {
  readonly key: string;
  readonly change: Change;
}

/** The newest changes of a collection, oldest first, at most `limit` of them. */
export class ChangeHistory {
  readonly #limit: number;
  readonly #ring: KeyedChange[] = [];
  /** Where the oldest stands, once the ring is full. */
  #start = 0;
  /** Changes up to this revision are forgotten, or were made before this process began. */
  #floor: number;

  constructor(limit: number, floor: number) {
    this.#limit = limit;
    this.#floor = floor;
  }

  add(entry: KeyedChange): void {
    if (this.#ring.length < this.#limit) {
      this.#ring.push(entry);
      return;
    }
    this.#floor = (this.#ring[this.#start] ?? entry).change.stored.revision;
    if (this.#limit > 0) this.#ring[this.#start] = entry;
    this.#start = (this.#start + 1) % Math.max(1, this.#limit);
  }

  /** The changes after revision `since`, or `undefined` when some of them are forgotten. */
  after(since: number): readonly KeyedChange[] | undefined {
    if (since < this.#floor) return undefined;
    const { length } = this.#ring;
    const at = (position: number) => this.#ring[(this.#start + position) % length]!;
    let first = length;
    while (first > 0 && at(first - 1).change.stored.revision > since) first--;
    return Array.from({ length: length - first }, (_, offset) => at(first + offset));
  }
}
