/** The reference pages that hold generated blocks, as they should be now. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { variableOf } from "#runtime/config.ts";
import { commandReference, stadionProgram } from "./commands.ts";
import { code, table, withBlocks } from "./markdown.ts";
import { metricReference } from "./metrics.ts";
import { programFlags } from "./program-flags.ts";
import { ROOT, readSources } from "./sources.ts";

export const pagePath = (name: string): string => join(ROOT, "docs/reference", `${name}.md`);
export const readPage = (name: string): string => readFileSync(pagePath(name), "utf8");

function flagReference(program: string): string {
  const [source] = readSources(`src/bin/${program}.ts`);
  const rows = (source ? programFlags(source) : []).map(({ name, kind, default: value, help }) => [
    code(`--${name}`),
    code(variableOf(name)),
    kind,
    value === undefined ? "" : code(value),
    help,
  ]);
  return table(["Flag", "Variable", "Value", "Default", "Meaning"], rows);
}

/** Programs of `src/bin` that take flags through `readConfig`. */
export function programsWithFlags(): readonly string[] {
  const programs = readSources("src/bin/*.ts").filter((source) => programFlags(source).length > 0);
  return programs.map(({ path }) => path.replace(/^.*\/|\.ts$/g, ""));
}

/** Pages by name. */
export function generatedPages(): ReadonlyMap<string, string> {
  const settings = new Map([
    ["stadion", commandReference(stadionProgram())],
    ...programsWithFlags().map((program) => [program, flagReference(program)] as const),
  ]);
  const blocks = new Map([
    ["settings", settings],
    ["metrics", new Map([["metrics", metricReference()]])],
  ]);
  return new Map([...blocks].map(([name, each]) => [name, withBlocks(readPage(name), each)]));
}
