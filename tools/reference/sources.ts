/** The sources of Stadion as syntax trees, for whoever reads facts out of them. Tests, their tables and generated files do not count. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor, type VisitorObject } from "oxc-parser";

export const ROOT = join(import.meta.dirname, "..", "..");

export interface Source {
  /** From the repository's root, such as `src/cli/errors.ts`. */
  readonly path: string;
  readonly text: string;
  visit(visitor: VisitorObject): void;
}

const NO_PROGRAM =
  /\.(test|promises|fixture|generated)\.ts$|\/(gen|testing|simulated)\/|\/(fixtures|fake-[\w-]+|[\w-]+-fixture)\.ts$/;

/** Files of the repository that match a glob pattern, in a fixed order. Throws when there are none, or one cannot be parsed. */
export function readSources(pattern = "src/**/*.ts"): readonly Source[] {
  const files = globSync(pattern, { cwd: ROOT }).filter((file) => !NO_PROGRAM.test(file));
  if (files.length === 0) throw new Error(`no sources match ${pattern}`);
  return files.sort().map((path) => parseSource(path, readFileSync(join(ROOT, path), "utf8")));
}

export function parseSource(path: string, text: string): Source {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  return { path, text, visit: (visitor) => new Visitor(visitor).visit(program) };
}
