/** How words of a command line become values. */
import { isIP } from "node:net";
import { InvalidArgumentError } from "commander";
import { isDns1123Label, isDns1123Subdomain } from "#api/meta/names.ts";
import { parseQuantity, type Quantity } from "#api/meta/quantity.ts";
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

/** `FIRST-LAST`. */
export function portRange(text: string): { readonly first: number; readonly last: number } {
  const [, first = Number.NaN, last = Number.NaN] = (/^(\d+)-(\d+)$/.exec(text) ?? []).map(Number);
  if (Number.isNaN(first + last)) throw new RangeError("It must be two ports, FIRST-LAST, such as 7000-8000.");
  if (first < 1 || Math.max(first, last) > 65535) throw new RangeError("Ports go from 1 to 65535.");
  if (first > last) throw new RangeError("The first port must not be greater than the last.");
  return { first, last };
}

/** An amount of something, such as `500m` or `8Gi`. */
export function amount(text: string): string {
  let quantity: Quantity;
  try {
    quantity = parseQuantity(text);
  } catch (cause) {
    throw new RangeError("It must be an amount, such as 2, 500m or 8Gi.", { cause });
  }
  if (quantity.nano <= 0n) throw new RangeError("It must be greater than zero.");
  return text;
}

/** An address of a machine, or a name that has one: whether it has is not known from its letters. */
export function hostAddress(text: string): string {
  if (isIP(text) ? EVERYWHERE.has(text) : !isHostName(text))
    throw new RangeError("It must be an IP address of this machine, such as 192.168.1.20, or a host name.");
  return text;
}

/** Listens everywhere and leads nowhere. */
const EVERYWHERE = new Set(["0.0.0.0", "::"]);

/** A name of DNS whose last part is no number: such a text is an address that is none (RFC 3696, section 2). */
const isHostName = (text: string): boolean =>
  isDns1123Subdomain(text.toLowerCase()).length === 0 && !/(^|\.)\d+$/.test(text);

/** The name of an object that is also a label, as a fleet's is. */
export function labelName(text: string): string {
  if (isDns1123Label(text).length > 0)
    throw new RangeError(
      "It must be 1 to 63 small letters, digits and -, with a letter or a digit at both ends, such as my-game-2.",
    );
  return text;
}

/** An image as manifests name it (distribution specification: domain, path, tag, digest). */
export function imageName(text: string): string {
  const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
  const domain = "(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?/)?";
  const rest = "(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[A-Za-z0-9_+.-]+:[0-9a-fA-F]{32,})?";
  if (!new RegExp(`^${domain}${part}(?:/${part})*${rest}$`).test(text))
    throw new RangeError(
      "It must be an image's name, such as registry.example.com/my-game:1.2: small letters, digits, and single . _ - between them.",
    );
  return text;
}

export function notEmpty(text: string): string {
  if (text === "") throw new RangeError("It must not be empty.");
  return text;
}

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

/** What may stand before a game server's name, as in `gs/NAME`; `kubectl get -o name` prints one of the long ones. */
export const GAME_SERVER_KINDS: readonly string[] = [
  "gameserver",
  "gameservers",
  "gameserver.agones.dev",
  "gameservers.agones.dev",
  "gs",
];

/** The name in `word`, without one of `kinds` and the slash before it. */
export function withoutKind(word: string, kinds: readonly string[]): string {
  const slash = word.indexOf("/");
  return slash >= 0 && kinds.includes(word.slice(0, slash)) ? word.slice(slash + 1) : word;
}
