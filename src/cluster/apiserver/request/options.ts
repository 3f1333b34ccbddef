/** Query parameters of reads and writes, checked. */
import { notSupported } from "#api/meta/field.ts";
import { badRequest, invalidObject } from "#api/meta/status.ts";

export type FieldValidation = "Strict" | "Warn" | "Ignore";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

const validations: readonly string[] = ["Ignore", "Strict", "Warn"];

/** `kind`: the options object that a refusal names (`CreateOptions`, …). */
export function writeOptions(query: URLSearchParams, kind: string): WriteOptions {
  const dryRun = query.getAll("dryRun").filter((each) => each !== "");
  if (dryRun.some((each) => each !== "All"))
    throw invalidObject("meta.k8s.io", kind, "", [notSupported("dryRun", dryRun[0], ["All"])]);
  const fieldValidation = query.get("fieldValidation") || "Warn";
  if (!validations.includes(fieldValidation))
    throw invalidObject("meta.k8s.io", kind, "", [notSupported("fieldValidation", fieldValidation, validations)]);
  return { dryRun: dryRun.length > 0, fieldValidation: fieldValidation as FieldValidation };
}

/** `true`/`1` and `false`/`0`; absent or empty is `undefined`. Throws BadRequest on anything else. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw badRequest(`the parameter ${name} must be true or false, not ${JSON.stringify(text)}`);
}

/** A non-negative whole number; absent or empty is `undefined`. Throws BadRequest on anything else. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text))
    throw badRequest(`the parameter ${name} must be a whole number, not ${JSON.stringify(text)}`);
  return value;
}
