/** The reference pages that hold generated blocks, as they should be now. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Options, variableOf } from "#runtime/config.ts";
import { PROGRAMS } from "../../src/bin/wiring/settings.ts";
import { commandReference, stadionProgram } from "./commands.ts";
import { code, table, withBlocks } from "./markdown.ts";
import { metricReference } from "./metrics.ts";
import { ROOT, type Source } from "./sources.ts";

export const pagePath = (name: string): string => join(ROOT, "docs/reference", `${name}.md`);
export const readPage = (name: string): string => readFileSync(pagePath(name), "utf8");

/** A section a program that takes settings. */
function programReference(): string {
  return PROGRAMS.map(({ name, about, options }) => `### \`${name}\`\n\n${about}\n\n${flagTable(options)}`).join(
    "\n\n",
  );
}

export const programOf = ({ path }: Source): string => path.replace(/^.*\/|\.ts$/g, "");

function flagTable(options: Options): string {
  const rows = Object.entries(options).map(([name, { kind, defaultText, help, letter }]) => [
    [...(letter === undefined ? [] : [`-${letter}`]), `--${name}`].map(code).join(", "),
    code(variableOf(name)),
    kind.replace(/^an? /, ""),
    defaultText === undefined ? "" : code(defaultText),
    help,
  ]);
  return table(["Flag", "Variable", "Value", "Default", "Meaning"], rows);
}

/** Pages by name. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  const settings = new Map([
    ["stadion", commandReference(await stadionProgram())],
    ["programs", programReference()],
  ]);
  const blocks = new Map([
    ["settings", settings],
    ["metrics", new Map([["metrics", metricReference()]])],
  ]);
  return new Map([...blocks].map(([name, each]) => [name, withBlocks(readPage(name), each)]));
}
