/** The little Markdown that reference pages need: tables, and blocks that are written by the generator. */

/** A table row by column title. */
export type Row = Readonly<Record<string, string>>;

/** All rows of a page's tables that have a column of this title. */
export function rowsWith(page: string, column: string): readonly Row[] {
  const rows: Row[] = [];
  let titles: readonly string[] | undefined;
  for (const line of page.split("\n")) {
    if (!line.startsWith("|")) titles = undefined;
    else if (titles === undefined) titles = cells(line);
    else if (!/^\|[\s:|-]+\|$/.test(line) && titles.includes(column)) {
      const values = cells(line);
      rows.push(Object.fromEntries(titles.map((title, position) => [title, values[position] ?? ""])));
    }
  }
  return rows;
}

const cells = (line: string): readonly string[] =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/** The text of a cell that is one piece of code, else the cell. */
export const plain = (cell: string): string => /^`([^`]*)`$/.exec(cell)?.[1] ?? cell;

export const code = (text: string): string => `\`${text}\``;

export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (values: readonly string[]) =>
    `| ${values.map((value) => value.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(titles), `|${titles.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/** The page with what stands between the marks of each block written anew. Throws for a mark that no block answers, and the reverse. */
export function withBlocks(page: string, blocks: ReadonlyMap<string, string>): string {
  const left = new Set(blocks.keys());
  const written = page.replace(
    /(<!-- generated: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => {
      if (!left.delete(name)) throw new Error(`nothing is generated for the mark ${JSON.stringify(name)}`);
      return `${begin}\n${blocks.get(name)}\n\n${end}`;
    },
  );
  if (left.size > 0) throw new Error(`the page has no mark for ${[...left].join(", ")}`);
  return written;
}
