/** Changing copies that share what did not change: the very same value where nothing did. */

/** The object with these members; the same object when they are there already. */
export function filled<T extends object>(object: T, members: Partial<NoInfer<T>>): T {
  const names = Object.keys(members) as (keyof T)[];
  return names.every((name) => object[name] === members[name]) ? object : { ...object, ...members };
}

/** The items after `change`; the same array when none changed. */
export function mapped<T>(items: readonly T[], change: (item: T, position: number) => T): readonly T[] {
  const changed = items.map(change);
  return changed.every((item, position) => item === items[position]) ? items : changed;
}
