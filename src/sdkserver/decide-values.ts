/** Changes of an ordered set of texts: the values of a list, the players of a game. */

/** Removes, then appends what is not there; so it means the same on whatever values it comes to be written. */
export interface ValuesChange {
  readonly capacity?: bigint;
  readonly remove: readonly string[];
  readonly add: readonly string[];
}

export const NO_VALUES: ValuesChange = { remove: [], add: [] };

/** What makes `after` of `before`, whose common values stand in one order. */
export function valuesChange(before: readonly string[], after: readonly string[]): ValuesChange {
  const [had, has] = [new Set(before), new Set(after)];
  return { remove: [...had].filter((value) => !has.has(value)), add: [...has].filter((value) => !had.has(value)) };
}

/** One change that does what the two do one after the other. What the older one adds and the newer one removes leaves no trace. */
export function mergeValuesChanges(older: ValuesChange, newer: ValuesChange): ValuesChange {
  const capacity = newer.capacity ?? older.capacity;
  const [added, removed] = [new Set(older.add), new Set(newer.remove)];
  return {
    ...(capacity !== undefined && { capacity }),
    remove: [...new Set([...older.remove, ...newer.remove.filter((value) => !added.has(value))])],
    add: [...new Set([...older.add.filter((value) => !removed.has(value)), ...newer.add])],
  };
}
