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

/** A text without 16 digits in a row, and without three in a number's exponent, holds no number that a double cannot carry. */
const mayHoldOddNumber = /\d{16}|(?:^|[-:,[\s])\d+(?:\.\d+)?[eE]\+?\d{3}/;
/** No integer of 64 bits has more digits. Longer ones would cost time to read, and are none of the wire's integers. */
const integer = /^-?\d{1,19}$/;

/**
 * Parses JSON text (RFC 8259). An integer of more than 19 digits is the nearest double, as it is to Kubernetes.
 * Throws `SyntaxError` on malformed text, and for a number beyond all doubles.
 */
export function parseJson(text: string): JsonValue {
  if (!mayHoldOddNumber.test(text)) return JSON.parse(text) as JsonValue;
  return JSON.parse(text, (_key, value, { source }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
    if (!Number.isFinite(value)) throw new SyntaxError(`no number is as large as ${source.slice(0, 24)}`);
    return integer.test(source) ? BigInt(source) : value;
  }) as JsonValue;
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
