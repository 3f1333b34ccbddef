/**
 * Works through `items` with at most `lanes` at once. A lane stops at its first error, the others go on; what no lane took
 * is left for the next pass. Errors are added to `failed`.
 */
export async function inLanes<T>(
  lanes: number,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  failed: unknown[],
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(lanes, items.length) }, lane));
  for (const result of ended) if (result.status === "rejected") failed.push(result.reason);
}
