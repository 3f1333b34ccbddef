import { StatusError } from "#api/meta/status.ts";
import { CliError, type CliErrorCode, messageOf } from "./errors.ts";
import type { Terminal } from "./output.ts";

export interface OneByOneOptions<T> {
  readonly name: (item: T) => string;
  readonly act: (item: T) => Promise<void>;
  /** What is refused already, beside the items. */
  readonly before?: readonly CliError[];
}

/**
 * Does something with each item, one after another. What is refused of one of several is told at once and the others still have their
 * turn, as with kubectl; at the end the whole is refused, or not allocated when that was all. What is no refusal (a cluster that has gone, Ctrl-C) ends it.
 */
export async function oneByOne<T>(
  terminal: Terminal,
  items: readonly T[],
  { name, act, before = [] }: OneByOneOptions<T>,
): Promise<void> {
  const faults = new Set<CliErrorCode>(before.map(({ code }) => code));
  for (const { message } of before) terminal.err(`error: ${message}`);
  for (const item of items) {
    try {
      await act(item);
    } catch (error) {
      const code = error instanceof StatusError ? "Refused" : error instanceof CliError ? error.code : "Usage";
      if (items.length + before.length === 1 || !(code === "Refused" || code === "NotAllocated")) throw error;
      faults.add(code);
      terminal.err(`error: ${withName(messageOf(error), name(item))}`);
    }
  }
  if (faults.size > 0) throw CliError.told(faults.has("Refused") ? "Refused" : "NotAllocated");
}

/** Most refusals name the object; of several objects each must. */
const withName = (message: string, name: string): string =>
  message.includes(JSON.stringify(name.replace(/^.*\//, ""))) ? message : `${name}: ${message}`;
