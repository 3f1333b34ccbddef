/**
 * `format`. Strings are checked for the formats below, written with or without dashes; other formats are not checked, as in
 * Kubernetes. `int32` is checked for built-in types alone: a custom resource's schema says a range where there is one.
 */
import { isIPv4, isIPv6 } from "node:net";
import { typeInvalid } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { parseQuantity } from "#api/meta/quantity.ts";
import { quoted } from "#api/meta/quote.ts";
import type { Validate } from "./validation.ts";

export function formatChecks(schema: JsonObject, kind: "string" | "integer", typed: boolean): readonly Validate[] {
  const format = schema.format;
  if (typeof format !== "string") return [];
  if (kind === "integer") return typed && format === "int32" ? [int32Check] : [];
  const holds = typed && format === "byte" ? isBytes : STRING_FORMATS.get(normalized(format));
  if (!holds) return [];
  return [
    (value, faults) => {
      const text = value as string;
      if (holds(text)) return;
      faults.add((path) => typeInvalid(path, text, `${path} in body must be of type ${format}: ${quoted(text)}`));
    },
  ];
}

export function isKnownFormat(format: string): boolean {
  return STRING_FORMATS.has(normalized(format));
}

const normalized = (format: string): string => format.replaceAll("-", "");

const int32Check: Validate = (value, faults) => {
  const number = value as number | bigint;
  if (number >= -2147483648 && number <= 2147483647) return;
  faults.add((path) => typeInvalid(path, number, `${path} in body must be of type int32`));
};

const matches =
  (expression: RegExp) =>
  (text: string): boolean =>
    expression.test(text);

/** Of the built-in type alone: in the schema of a custom resource no such format is known. */
export const QUANTITY = "io.k8s.quantity";

const STRING_FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["byte", matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["cidr", isCidr],
  ["date", isDate],
  ["datetime", isDateTime],
  [
    "duration",
    matches(
      /^[+-]?(0|((\d+(\.\d*)?|\.\d+)\s?(ns|us|µs|μs|ms|[smhd]|nanoseconds?|microseconds?|milliseconds?|seconds?|minutes?|hours?|days?|weeks?)\s?)+)$/,
    ),
  ],
  ["email", matches(/^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+$/)],
  ["hexcolor", matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["hostname", isHostname],
  ["ipv4", (text) => isIPv4(text)],
  ["ipv6", (text) => isIPv6(text)],
  ["k8slongname", (text) => text.length <= 253 && text.split(".").every((label) => LABEL.test(label))],
  ["k8sshortname", (text) => text.length <= 63 && LABEL.test(text)],
  [
    "mac",
    matches(
      /^([0-9a-fA-F]{2}([:-])([0-9a-fA-F]{2}\2){4}([0-9a-fA-F]{2}\2[0-9a-fA-F]{2}\2)?[0-9a-fA-F]{2}|([0-9a-fA-F]{4}\.){2,3}[0-9a-fA-F]{4})$/,
    ),
  ],
  ["password", () => true],
  [QUANTITY, isQuantity],
  ["ssn", matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ["uri", isRequestUri],
  ["uuid", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
]);

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const HOSTNAME_LABEL = /^[a-z0-9\p{S}\p{L}]([-a-z0-9\p{S}\p{L}]*[a-z0-9\p{S}\p{L}])?$/iu;

/** Base64 as built-in types read it: line breaks are ignored and the empty text is the empty value. */
function isBytes(text: string): boolean {
  const compact = text.replace(/[\r\n]/g, "");
  return compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", more] = text.split("/");
  if (more !== undefined || !/^\d{1,3}$/.test(bits)) return false;
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

/** `full-date` of RFC 3339, a day that exists. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** `date-time` of RFC 3339: no leap second, and an offset or `Z` is required. */
function isDateTime(text: string): boolean {
  const found = /^(.{10})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.exec(text);
  if (!found) return false;
  const [, date = "", hours, minutes, seconds] = found;
  return isDate(date) && Number(hours) <= 23 && Number(minutes) <= 59 && Number(seconds) <= 59;
}

function isHostname(text: string): boolean {
  return text.length <= 255 && text.split(".").every((label) => label.length <= 63 && HOSTNAME_LABEL.test(label));
}

/** An absolute URI, or an absolute path. */
function isRequestUri(text: string): boolean {
  return text.startsWith("/") ? !/\s/.test(text) : URL.canParse(text);
}
