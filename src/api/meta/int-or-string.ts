import { quoted } from "./quote.ts";

/** An int-or-string of Kubernetes: a JSON number is an int, a JSON string is a string (`"5"` is a string). */
export type IntOrString = number | string;

/** A string that should be a percentage and is none. */
export class IntOrStringError extends Error {
  override readonly name = "IntOrStringError";
  readonly code = "InvalidIntOrString";
}

/**
 * A number as it is; a string as a percentage of `total`, with or without its `%` (`"30"` is `"30%"`),
 * rounded up or down to a whole. Throws `IntOrStringError`.
 */
export function scaledValue(value: IntOrString, total: number, roundUp: boolean): number {
  if (typeof value === "number") return value;
  const scaled = (percentage(value) * total) / 100;
  return roundUp ? Math.ceil(scaled) : Math.floor(scaled);
}

/** The number of a percentage, with or without its `%`. Throws `IntOrStringError`. */
function percentage(value: string): number {
  const digits = value.replaceAll("%", "");
  const isNumber = /^[+-]?\d+$/.test(digits);
  if (isNumber && Math.abs(Number(digits)) < 2 ** 63) return Number(digits);
  const rule = isNumber ? "is too large" : "must be a whole number, or a percentage such as 25%";
  throw new IntOrStringError(`invalid value ${quoted(value)}: ${rule}`);
}
