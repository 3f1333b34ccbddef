/**
 * JSON as values: read-only, and exact for the 64-bit integers of the Kubernetes wire.
 *
 * An integer of 64 bits beyond ±(2^53−1) is a `bigint`; every other number is a `number`.
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

/** A text without 16 digits in a row, and without three in a number's exponent, holds no number that a double cannot carry. */
const mayHoldOddNumber = /\d{16}|(?:^|[:,[\s])-?\d+(?:\.\d+)?[eE]\+?\d{3}/;
/** No integer of 64 bits has more digits. Longer ones would cost time to read, and are none of the wire's integers. */
const integer = /^-?\d{1,19}$/;
/** Escapes of text, those of a character in two halves as one. A half alone, which UTF-8 cannot write, is captured. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[\s\S])/g;
const mayHoldHalf = /\\u[dD][89a-fA-F]/;

/**
 * Parses JSON text (RFC 8259). As it is to Kubernetes, an integer beyond 64 bits is the nearest double, and half of a character
 * is the character for what cannot be shown.
 * Throws `SyntaxError` on malformed text, and for a number beyond all doubles.
 */
export function parseJson(json: string): JsonValue {
  const text = mayHoldHalf.test(json) ? json.replace(escapes, (all, half) => (half ? "\\ufffd" : all)) : json;
  if (!mayHoldOddNumber.test(text)) return JSON.parse(text) as JsonValue;
  return JSON.parse(text, (_key, value, { source }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
    if (!Number.isFinite(value)) throw new SyntaxError(`no number is as large as ${source.slice(0, 24)}`);
    return integer.test(source) ? exactly(source) : value;
  }) as JsonValue;
}

/** The integer with all its digits, or the nearest double where 64 bits do not hold it. */
function exactly(source: string): bigint | number {
  const value = BigInt(source);
  return BigInt.asIntN(64, value) === value ? value : Number(source);
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
