/** Puts a fault into the text of a source file. The file itself is never changed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";

const ROOT = join(import.meta.dirname, "..", "..");

export class MutantError extends Error {
  override readonly name = "MutantError";
  readonly code = "MutantError";
}

export const pathOf = ({ file }: Mutant): string => join(ROOT, file);

/** The source with the fault. Throws `MutantError` unless the text stands in it exactly once: then the mutant has to follow its source. */
export function planted(mutant: Mutant): string {
  const { name, file, text, replacement } = mutant;
  const parts = readFileSync(pathOf(mutant), "utf8").split(text);
  if (parts.length !== 2)
    throw new MutantError(
      `"${name}": ${file} has the text ${JSON.stringify(text)} ${parts.length - 1} times, not once`,
    );
  return parts.join(replacement);
}
