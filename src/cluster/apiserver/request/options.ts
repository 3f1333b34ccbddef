/** Query parameters of reads and writes, checked. */
import { notSupported } from "#api/meta/field.ts";
import { badRequest, invalidObject } from "#api/meta/status.ts";

export type FieldValidation = "Strict" | "Warn" | "Ignore";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

const validations: readonly string[] = ["", "Ignore", "Strict", "Warn"];

/** `kind`: the options object that a refusal names (`CreateOptions`, …). */
export function writeOptions(query: URLSearchParams, kind: string): WriteOptions {
  const dryRun = query.getAll("dryRun").filter((each) => each !== "");
  if (dryRun.some((each) => each !== "All"))
    throw invalidObject("meta.k8s.io", kind, "", [notSupported("dryRun", dryRun, ["All"])]);
  const fieldValidation = query.get("fieldValidation") || "Warn";
  if (!validations.includes(fieldValidation))
    throw invalidObject("meta.k8s.io", kind, "", [notSupported("fieldValidation", fieldValidation, validations)]);
  return { dryRun: dryRun.length > 0, fieldValidation: fieldValidation as FieldValidation };
}

/** As Kubernetes reads it: `false`, `0` and nothing at all are false; every other text, an empty one too, is true. */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== "0" && text.toLowerCase() !== "false";
}

/** A non-negative whole number; absent or empty is `undefined`. Throws BadRequest on anything else. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return value;
}
