/** Words that differ in more than this share of their letters are no slips of each other. */
const LIKENESS = 0.4;

/** The word that `typed` was probably meant to be, the first of equally near ones; `undefined` when none is near. */
export function nearestWord(typed: string, words: readonly string[]): string | undefined {
  let nearest: { readonly word: string; readonly slips: number } | undefined;
  for (const word of words) {
    const slips = slipsBetween(typed, word);
    if (slips <= LIKENESS * Math.max(typed.length, word.length) && slips < (nearest?.slips ?? Number.POSITIVE_INFINITY))
      nearest = { word, slips };
  }
  return nearest?.word;
}

/** Letters to put in, take away, replace, or swap with their neighbour: the optimal string alignment distance. */
function slipsBetween(a: string, b: string): number {
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, replaced, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
