/** Runs a write whose decision may have to wait for something (an admission plugin) without losing atomicity. */
import type { Mutation, Objects, StoredObject, WriteResult } from "../../store/objects.ts";

export type MaybePromise<T> = T | Promise<T>;

/** Continues at once when the value is there, else when it comes. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

class Waiting extends Error {
  readonly mutation: Promise<Mutation>;
  readonly base: number | undefined;

  constructor(mutation: Promise<Mutation>, base: number | undefined) {
    super("the decision is not made yet");
    this.mutation = mutation;
    this.base = base;
  }
}

/**
 * Commits what `plan` makes of the newest version. A plan that answers at once runs inside the store's write, so nothing comes
 * between. One that answers later is committed only if the version it saw is still the newest, else it is asked again.
 * `plan` must therefore have no effects of its own.
 */
export async function transact(
  objects: Objects,
  collection: string,
  key: string,
  plan: (current: StoredObject | undefined) => MaybePromise<Mutation>,
): Promise<WriteResult> {
  let decided: { readonly base: number | undefined; readonly mutation: Mutation } | undefined;
  for (;;) {
    try {
      return await objects.write(collection, key, (current) => {
        if (decided && decided.base === current?.revision) return decided.mutation;
        const mutation = plan(current);
        if (mutation instanceof Promise) throw new Waiting(mutation, current?.revision);
        return mutation;
      });
    } catch (error) {
      if (!(error instanceof Waiting)) throw error;
      decided = { base: error.base, mutation: await error.mutation };
    }
  }
}
