/** What a stream still has to send: a short queue that keeps the newest. For one reader, who asks for one at a time. */
export class LatestValues<T> implements AsyncIterable<T> {
  readonly #limit: number;
  #values: T[] = [];
  #asked: ((result: IteratorResult<T, undefined>) => void) | undefined;
  #ended = false;

  /** Of more than `limit` values that wait, the oldest are dropped: a slow reader misses steps, never the last state. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  push(value: T): void {
    if (this.#ended) return;
    this.#values.push(value);
    if (this.#values.length > this.#limit) this.#values.shift();
    this.#hand();
  }

  /** What waits is still read, then the iteration ends. */
  end(): void {
    this.#ended = true;
    this.#hand();
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve) => {
      this.#asked = resolve;
      this.#hand();
    });
  }

  #hand(): void {
    if (!this.#asked || (this.#values.length === 0 && !this.#ended)) return;
    const isLast = this.#values.length === 0;
    this.#asked(isLast ? { done: true, value: undefined } : { done: false, value: this.#values.shift() as T });
    this.#asked = undefined;
  }
}
