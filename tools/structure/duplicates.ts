/** Finds runs of equal lines in different places: what stands twice should stand once. */
import { readFileSync } from "node:fs";

/** Fewest equal lines in a row that count. */
const WINDOW = 12;

export interface Duplicate {
  readonly first: string;
  readonly second: string;
  readonly text: string;
}

/** Lines that carry meaning: trimmed, without imports, comments, blanks and lone brackets. */
function meaningfulLines(path: string): readonly { readonly line: number; readonly text: string }[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .map((text, position) => ({ line: position + 1, text: text.trim() }))
    .filter(({ text }) => text.length > 3 && !/^(import |export \{|\/\/|\/\*|\*|[)\]}]+[;,]?$)/.test(text));
}

export function duplicates(files: readonly string[]): readonly Duplicate[] {
  const seen = new Map<string, string>();
  const found: Duplicate[] = [];
  for (const file of files) {
    const lines = meaningfulLines(file);
    let skipUntil = 0;
    for (let start = 0; start + WINDOW <= lines.length; start++) {
      const run = lines.slice(start, start + WINDOW);
      const text = run.map((line) => line.text).join("\n");
      const place = `${file}:${run[0]?.line}`;
      const first = seen.get(text);
      if (first === undefined) seen.set(text, place);
      else if (start >= skipUntil) {
        found.push({ first, second: place, text: run[0]?.text ?? "" });
        skipUntil = start + WINDOW;
      }
    }
  }
  return found;
}
