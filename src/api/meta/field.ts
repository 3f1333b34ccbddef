/** Field errors of Kubernetes validation (apimachinery `util/validation/field`): texts and reasons that clients match. */
import { stringifyJson } from "./json.ts";
import { quoted } from "./quote.ts";

export type CauseReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotFound"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueNotSupported"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "InternalError";

/** One fault of an object: where, which rule, and the text after the path. */
export interface FieldError {
  readonly field: string;
  readonly reason: CauseReason;
  /** For instance `Required value: ContainerPort must be defined`. */
  readonly body: string;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number" && !Number.isSafeInteger(value)) return floatText(value);
  return typeof value === "object" ? asJson(value) : String(value);
}

/** A number that is no integer of 64 bits: small and large ones with an exponent of two digits at least, as Go prints them. */
function floatText(value: number): string {
  const [digits = "", power = ""] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Members in the order of their names, and what could be markup escaped: so Go writes JSON. */
function asJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return withoutMarkup(stringifyJson(value ?? null));
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${withoutMarkup(stringifyJson(name))}:${asJson(member)}`).join(",")}}`;
}

const withoutMarkup = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

const withDetail = (head: string, detail: string): string => (detail ? `${head}: ${detail}` : head);

export const required = (field: string, detail: string): FieldError => ({
  field,
  reason: "FieldValueRequired",
  body: withDetail("Required value", detail),
});
export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  field,
  reason: "FieldValueInvalid",
  body: withDetail(`Invalid value: ${shown(value)}`, detail),
});
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  field,
  reason: "FieldValueTypeInvalid",
  body: withDetail(`Invalid value: ${shown(value)}`, detail),
});
export const notFoundValue = (field: string, value: unknown): FieldError => ({
  field,
  reason: "FieldValueNotFound",
  body: `Not found: ${shown(value)}`,
});
export const duplicate = (field: string, value: unknown): FieldError => ({
  field,
  reason: "FieldValueDuplicate",
  body: `Duplicate value: ${shown(value)}`,
});
export const forbidden = (field: string, detail: string): FieldError => ({
  field,
  reason: "FieldValueForbidden",
  body: withDetail("Forbidden", detail),
});
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  field,
  reason: "FieldValueNotSupported",
  body: `Unsupported value: ${shown(value)}: supported values: ${supported.map(quoted).join(", ")}`,
});
export const tooLong = (field: string, bytes: number): FieldError => ({
  field,
  reason: "FieldValueTooLong",
  body: `Too long: may not be more than ${bytes} ${bytes === 1 ? "byte" : "bytes"}`,
});
export const tooMany = (field: string, count: number, most: number): FieldError => ({
  field,
  reason: "FieldValueTooMany",
  body: `Too many: ${count}: must have at most ${most} ${most === 1 ? "item" : "items"}`,
});

/** `parent.child`, `parent[0]`, `parent[key]`; an empty parent gives the child alone. */
export const child = (parent: string, name: string): string => (parent ? `${parent}.${name}` : name);
export const index = (parent: string, position: number): string => `${parent}[${position}]`;
export const key = (parent: string, name: string): string => `${parent}[${name}]`;
