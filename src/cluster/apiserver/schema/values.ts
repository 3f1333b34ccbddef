/** How JSON values are told apart and compared, as Kubernetes' schema validation does. */
import type { JsonValue } from "#api/meta/json.ts";

export type JsonKind = "null" | "boolean" | "string" | "integer" | "number" | "array" | "object";

/** The deepest nesting that is looked into; a deeper value is refused rather than followed. */
export const MAX_DEPTH = 256;

const LARGEST_INT64 = 2n ** 63n - 1n;
const SMALLEST_INT64 = -(2n ** 63n);

/** The JSON type of a value. A whole number that int64 cannot carry, or that a double cannot carry exactly, is a `number`. */
export function kindOf(value: JsonValue): JsonKind {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "number":
      return Number.isSafeInteger(value) ? "integer" : "number";
    case "bigint":
      return value >= SMALLEST_INT64 && value <= LARGEST_INT64 ? "integer" : "number";
    default:
      return value === null ? "null" : Array.isArray(value) ? "array" : "object";
  }
}

/** A text that equal values share (members in any order), or `undefined` for one nested too deeply to compare. */
export function identityOf(value: JsonValue, depth = MAX_DEPTH): string | undefined {
  if (value === null || typeof value !== "object")
    return typeof value === "string" ? JSON.stringify(value) : `${value}`;
  if (depth === 0) return undefined;
  const parts: string[] = [];
  const names = Array.isArray(value) ? undefined : Object.keys(value).sort();
  const members = names ? names.map((name) => (value as { [key: string]: JsonValue | undefined })[name]) : value;
  for (const [position, member] of (members as readonly (JsonValue | undefined)[]).entries()) {
    if (member === undefined) continue;
    const identity = identityOf(member, depth - 1);
    if (identity === undefined) return undefined;
    parts.push(names ? `${JSON.stringify(names[position])}:${identity}` : identity);
  }
  return names ? `{${parts.join(",")}}` : `[${parts.join(",")}]`;
}

/** A number as Go's `%v` prints it. */
export function goNumber(value: number | bigint): string {
  const small = typeof value === "number" && value !== 0 && Math.abs(value) < 1e-4;
  const text = small ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, (_all, sign: string, digit: string) => `e${sign}0${digit}`);
}
