/**
 * JSON as values: read-only, and exact for the 64-bit integers of the Kubernetes wire.
 *
 * An integer beyond ±(2^53−1) is a `bigint`; every other number is a `number`.
 * Fields that are int64 by contract become `bigint` in the typed objects of `api/agones` (see `int64.ts`).
 */
export type JsonValue = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

declare global {
  interface JSON {
    rawJSON(text: string): { readonly rawJSON: string };
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/** A text without 16 digits in a row holds no integer that a double cannot carry. */
const mayHoldLongInteger = /\d{16}/;
const integer = /^-?\d+$/;

/** Parses JSON text (RFC 8259). Throws `SyntaxError` on malformed text. */
export function parseJson(text: string): JsonValue {
  if (!mayHoldLongInteger.test(text)) return JSON.parse(text) as JsonValue;
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && integer.test(source)
      ? BigInt(source)
      : value,
  ) as JsonValue;
}

/** Serialises to compact JSON text; a `bigint` keeps all its digits. Members that are `undefined` are left out. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    // A replacer makes it three times slower, and hardly any object needs one: without it a `bigint` is a TypeError.
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(
      value,
      (_key, member) => (typeof member === "bigint" ? JSON.rawJSON(String(member)) : member),
      indent,
    );
  }
}

/** True for a JSON object: neither null nor an array nor a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
