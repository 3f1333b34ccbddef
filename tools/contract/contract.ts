/** The sections and rules of `docs/reference/contract.md`, and the rows that hold them. */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PromiseRow } from "#api/meta/promise-row.ts";
import { plain, rowsWith } from "../reference/markdown.ts";
import { ROOT } from "../reference/sources.ts";

/** Every number that a row may name, with whether some row must name that very one. */
export function contractSections(page: string): ReadonlyMap<string, boolean> {
  const headings = [...page.matchAll(/^#{2,3} (\d+(?:\.\d+)*) /gm)].map(([, number]) => number as string);
  const rules = rowsWith(page, "Rule").map(({ Rule = "" }) => plain(Rule));
  const numbers = [...headings, ...rules];
  // A section that is divided further is held by its parts.
  const isDivided = (number: string) => numbers.some((other) => other.startsWith(`${number}.`));
  return new Map(numbers.map((number) => [number, !isDivided(number)]));
}

export const readContract = (): string => readFileSync(join(ROOT, "docs/reference/contract.md"), "utf8");

/** An exported table of a `*.promises.ts`. */
export interface PromiseTable {
  /** From the repository's root. */
  readonly file: string;
  readonly name: string;
  readonly rows: readonly PromiseRow[];
}

/** Every array of rows that a `*.promises.ts` below `src` exports. */
export async function promiseTables(): Promise<readonly PromiseTable[]> {
  const files = globSync("src/**/*.promises.ts", { cwd: ROOT }).sort();
  const tables = await Promise.all(
    files.map(async (file) => {
      const exported = (await import(join(ROOT, file))) as Readonly<Record<string, unknown>>;
      return Object.entries(exported).flatMap(([name, rows]) => (isTable(rows) ? [{ file, name, rows }] : []));
    }),
  );
  return tables.flat();
}

function isTable(value: unknown): value is readonly PromiseRow[] {
  return Array.isArray(value) && value.length > 0 && value.every((row) => typeof row?.section === "string");
}

/** True when a test beside the table imports its file and names the table. */
export function isTested({ file, name }: PromiseTable): boolean {
  const imported = `"./${basename(file)}"`;
  return globSync("*.test.ts", { cwd: join(ROOT, dirname(file)) })
    .map((test) => readFileSync(join(ROOT, dirname(file), test), "utf8"))
    .some((text) => text.includes(imported) && new RegExp(`\\b${name}\\b`).test(text));
}
