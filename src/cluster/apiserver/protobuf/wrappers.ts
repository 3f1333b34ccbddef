/** The messages that are one value in JSON: quantities, times, int-or-strings, raw JSON, lists of strings. */
import { formatDuration } from "#api/meta/duration.ts";
import { type JsonValue, parseJson } from "#api/meta/json.ts";
import { malformed } from "./protobuf-error.ts";
import type { Scalar, Wrapper } from "./tables.ts";
import { forEachField, readBytes, readScalar } from "./wire.ts";

/** The JSON value of a wrapper's message; an empty time or an empty raw value is null. */
export function readWrapper(bytes: Uint8Array, type: Wrapper): JsonValue {
  switch (type) {
    case "quantity":
      return readFlat(bytes, { 1: "string" })[1] || "0";
    case "intOrString": {
      const { 1: isString, 2: number, 3: text } = readFlat(bytes, { 1: "int64", 2: "int32", 3: "string" });
      return isString ? (text ?? "") : (number ?? 0);
    }
    case "time":
    case "microTime": {
      if (bytes.length === 0) return null;
      const { 1: seconds, 2: nanoseconds } = readFlat(bytes, { 1: "int64", 2: "int32" });
      return formatTime(Number(seconds ?? 0), Number(nanoseconds ?? 0), type === "microTime");
    }
    case "duration":
      return formatDuration(Number(readFlat(bytes, { 1: "int64" })[1] ?? 0) / 1e6);
    case "json":
      return readJsonText(bytes);
    case "strings": {
      const items: JsonValue[] = [];
      forEachField(bytes, (field) => field.number === 1 && items.push(readScalar(field, "string")) > 0);
      return items;
    }
  }
}

/** The scalar fields of a small message, by number. */
function readFlat(bytes: Uint8Array, types: Readonly<Record<number, Scalar>>): Readonly<Record<number, JsonValue>> {
  const values: Record<number, JsonValue> = {};
  forEachField(bytes, (field) => {
    const type = types[field.number];
    if (type) values[field.number] = readScalar(field, type);
    return type !== undefined;
  });
  return values;
}

/** Years 1 to 9999: what RFC 3339 can write. */
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

/** RFC 3339 in UTC: whole seconds for `Time`, microseconds for `MicroTime`. */
function formatTime(seconds: number, nanoseconds: number, withMicroseconds: boolean): string {
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND || nanoseconds < 0 || nanoseconds > 999_999_999)
    throw malformed("a time is out of range");
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return withMicroseconds ? `${text}.${String(Math.floor(nanoseconds / 1000)).padStart(6, "0")}Z` : `${text}Z`;
}

/** More levels would overflow the stack of those who walk the value. */
const MAX_JSON_DEPTH = 200;

function readJsonText(bytes: Uint8Array): JsonValue {
  let text = "";
  forEachField(bytes, (field) => {
    if (field.number !== 1) return false;
    text = new TextDecoder("utf-8", { fatal: true }).decode(readBytes(field));
    return true;
  });
  const value = text === "" ? null : parseJson(text);
  if (isDeeperThan(value, MAX_JSON_DEPTH)) throw malformed("raw JSON is nested too deep");
  return value;
}

function isDeeperThan(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
