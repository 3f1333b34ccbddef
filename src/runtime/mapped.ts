/**
 * Each value as `change` makes it, when it is asked for. An end of either side, or an error of `change`, is the end of the other: as with a
 * generator, but of a stream that stays open for days next to nothing is held.
 */
export function mapped<T, U>(values: AsyncIterable<T>, change: (value: T) => U): AsyncIterable<U> {
  return {
    [Symbol.asyncIterator]: () => {
      const source = values[Symbol.asyncIterator]();
      const result = async ({ done, value }: IteratorResult<T>): Promise<IteratorResult<U>> => {
        if (done) return { done, value: undefined };
        try {
          return { done: false, value: change(value) };
        } catch (error) {
          await source.return?.();
          throw error;
        }
      };
      return {
        next: () => source.next().then(result),
        return: async () => {
          await source.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
