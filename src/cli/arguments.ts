/** How words of a command line become values. */
import { InvalidArgumentError } from "commander";
import { CliError } from "./errors.ts";

/** A whole number of zero or more. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError("It must be a whole number of zero or more.");
  return number;
}

/** 0 means that the system chooses one. */
export function port(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65535) throw new InvalidArgumentError("It must be a port from 0 to 65535.");
  return number;
}

/** A text that `parse` takes; what it throws becomes the fault. */
export const readableBy =
  (parse: (text: string) => unknown) =>
  (text: string): string => {
    try {
      parse(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
    return text;
  };

/** For an option that may be given several times. */
export const collected = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** What people call an object: its kind by any of its names, and its name. */
export interface Reference {
  readonly kind: string;
  readonly name: string;
}

/** `KIND NAME…` or `KIND/NAME…`; a kind alone names nothing. Throws `CliError` for a mixture and for empty names. */
export function references(words: readonly string[]): readonly Reference[] {
  const [first = ""] = words;
  const pairs = first.includes("/")
    ? words.map((word) => word.split("/"))
    : words.slice(1).map((name) => [first, ...name.split("/")]);
  return pairs.map(([kind = "", name = "", ...more]) => {
    if (kind === "" || name === "" || more.length > 0)
      throw new CliError("Usage", `give KIND NAME… or KIND/NAME…, found ${JSON.stringify(words.join(" "))}`);
    return { kind, name };
  });
}
