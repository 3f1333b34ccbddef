import { statSync } from "node:fs";
import packageJson from "../../../package.json" with { type: "json" };

/** Stadion's version. */
export const version: string = packageJson.version;

/** Tells builds of one version apart, by what the file system knows of a program's file. */
export function buildOf(program: string): string {
  const { size, mtimeMs } = statSync(program);
  return `${size}-${mtimeMs}`;
}
