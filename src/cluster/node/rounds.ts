/** Work that is done in rounds, one after another. Whoever asks while a round is under way shares the next one. */
export class Rounds {
  readonly #work: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** `work` is one round: of all that was asked for before it begins. */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Ends as the round does that begins after this call. */
  next(): Promise<void> {
    this.#next ??= this.settled().then(() => {
      this.#next = undefined;
      return this.#work();
    });
    this.#last = this.#next;
    return this.#next;
  }

  /** Resolves when all that was asked for is over, however it ended. */
  settled(): Promise<void> {
    return this.#last.catch(() => {});
  }
}
