import { flushCompileCache } from "node:module";
import type { Clock } from "#runtime/clock.ts";

/** After this long a start is over. */
const START_MS = 5_000;

/**
 * Keeps the compiled code of this start for the next one. At the program's end it would be too late: V8 throws code away that has not
 * run for a while, and that of the start is the first to go. A program that keeps none (no `NODE_COMPILE_CACHE`) does nothing.
 */
export function keepCompiledCode(clock: Clock): void {
  clock.after(START_MS, flushCompileCache);
}
