import { StatusError } from "#api/meta/status.ts";
import { CliError, messageOf } from "./errors.ts";
import type { Terminal } from "./output.ts";

/**
 * Does something with each item, one after another. What is refused of one of several is told at once and the others still have their
 * turn, as with kubectl; at the end the whole is refused. What is no refusal (a cluster that has gone, Ctrl-C) ends it.
 */
export async function oneByOne<T>(
  terminal: Terminal,
  items: readonly T[],
  { name, act }: { readonly name: (item: T) => string; readonly act: (item: T) => Promise<void> },
): Promise<void> {
  let refused = false;
  for (const item of items) {
    try {
      await act(item);
    } catch (error) {
      const isRefusal = error instanceof StatusError || (error instanceof CliError && error.code === "Refused");
      if (items.length === 1 || !isRefusal) throw error;
      refused = true;
      terminal.err(`error: ${withName(messageOf(error), name(item))}`);
    }
  }
  if (refused) throw CliError.told("Refused");
}

/** Most refusals name the object; of several objects each must. */
const withName = (message: string, name: string): string =>
  message.includes(JSON.stringify(name.replace(/^.*\//, ""))) ? message : `${name}: ${message}`;
