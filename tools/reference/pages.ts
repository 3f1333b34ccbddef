/** The reference pages that hold generated blocks, as they should be now. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { variableOf } from "#runtime/config.ts";
import { commandReference, stadionProgram } from "./commands.ts";
import { code, table, withBlocks } from "./markdown.ts";
import { metricReference } from "./metrics.ts";
import { type ProgramFlag, programFlags } from "./program-flags.ts";
import { ROOT, readSources, type Source } from "./sources.ts";

export const pagePath = (name: string): string => join(ROOT, "docs/reference", `${name}.md`);
export const readPage = (name: string): string => readFileSync(pagePath(name), "utf8");

/** A section a program of `src/bin` that takes flags, under the words its file begins with. */
function programReference(): string {
  const sections = readSources("src/bin/*.ts").flatMap((source) => {
    const flags = programFlags(source);
    const about = /^\/\*\*\s*([\s\S]*?)\s*\*\//.exec(source.text)?.[1]?.replace(/\s*\n\s*\*\s*/g, " ") ?? "";
    return flags.length === 0 ? [] : [`### \`${programOf(source)}\`\n\n${about}\n\n${flagTable(flags)}`];
  });
  return sections.join("\n\n");
}

export const programOf = ({ path }: Source): string => path.replace(/^.*\/|\.ts$/g, "");

function flagTable(flags: readonly ProgramFlag[]): string {
  const rows = flags.map(({ name, kind, default: value, help }) => [
    code(`--${name}`),
    code(variableOf(name)),
    kind,
    value === undefined ? "" : code(value),
    help,
  ]);
  return table(["Flag", "Variable", "Value", "Default", "Meaning"], rows);
}

/** Pages by name. */
export function generatedPages(): ReadonlyMap<string, string> {
  const settings = new Map([
    ["stadion", commandReference(stadionProgram())],
    ["programs", programReference()],
  ]);
  const blocks = new Map([
    ["settings", settings],
    ["metrics", new Map([["metrics", metricReference()]])],
  ]);
  return new Map([...blocks].map(([name, each]) => [name, withBlocks(readPage(name), each)]));
}
