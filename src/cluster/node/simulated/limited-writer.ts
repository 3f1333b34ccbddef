import type { PodWriter } from "../pod-publisher.ts";

/** Lets at most `limit` calls be under way; further ones wait in the order they came. */
export function limitWriter(writer: PodWriter, limit: number): PodWriter {
  const waiting: (() => void)[] = [];
  let free = limit;
  const take = async (): Promise<void> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const within = async <T>(call: () => Promise<T>): Promise<T> => {
    await take();
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
  return {
    get: (...args) => within(() => writer.get(...args)),
    updateStatus: (...args) => within(() => writer.updateStatus(...args)),
    delete: (...args) => within(() => writer.delete(...args)),
  };
}
