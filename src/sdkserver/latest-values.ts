/** What a stream still has to send: a short queue that keeps the newest. */

export class LatestValues<T> {
  readonly #limit: number;
  #values: T[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  /** Of more than `limit` values that wait, the oldest are dropped: a slow reader misses steps, never the last state. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  push(value: T): void {
    if (this.#ended) return;
    this.#values.push(value);
    if (this.#values.length > this.#limit) this.#values.shift();
    this.#wake?.();
  }

  /** What waits is still read, then the iteration ends. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** For one reader. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#values.length) yield this.#values.shift() as T;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
