/** Decodes the texts that clients send as bodies: JSON and YAML. */
import { parse as parseYaml } from "yaml";
import { isJsonObject, type JsonValue, parseJson } from "#api/meta/json.ts";
import { badRequest, statusError } from "#api/meta/status.ts";
import { duplicateMembers, isDeeperThan, MAX_DEPTH, mayNameTwice } from "./json-text.ts";

/** YAML is slow to parse; a longer text would hold the event loop. Clients send JSON when it matters. */
const MAX_YAML_BYTES = 512 * 1024;

export const JSON_TYPE = "application/json";
export const YAML_TYPE = "application/yaml";

export interface DecodedBody {
  readonly value: JsonValue;
  /** Members named twice in the text; found only when asked for. */
  readonly duplicates: readonly string[];
}

/** The media type of a header without its parameters, lower-case; JSON when the header is absent. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? JSON_TYPE).split(";", 1)[0]!.trim().toLowerCase();
}

/**
 * JSON text, whatever the header said. Throws BadRequest when it is malformed, not UTF-8, or nested too deep, and what `check` throws
 * for the value, before duplicates are looked for.
 */
export function decodeJson(
  body: Uint8Array,
  options: { readonly findDuplicates: boolean; readonly check?: (value: JsonValue) => void },
): DecodedBody {
  const text = decodeText(body);
  const value = bounded(decoding("JSON", () => parseJson(text)));
  options.check?.(value);
  return { value, duplicates: options.findDuplicates && mayNameTwice(text, value) ? duplicateMembers(text) : [] };
}

/** YAML as JSON has it. Throws BadRequest, or RequestEntityTooLarge for more than it takes. */
export function decodeYaml(body: Uint8Array): JsonValue {
  if (body.length > MAX_YAML_BYTES)
    throw statusError(
      "RequestEntityTooLarge",
      `a YAML body may hold at most ${MAX_YAML_BYTES} bytes; send JSON instead`,
    );
  const text = decodeText(body);
  return decoding("YAML", () => {
    const value: unknown = parseYaml(text, { intAsBigInt: true, maxAliasCount: 100, logLevel: "error" });
    return plainJson(value, MAX_DEPTH);
  });
}

/** YAML's values as JSON's: integers exact, keys as strings, nothing that JSON cannot say. */
function plainJson(value: unknown, depth: number): JsonValue {
  if (depth < 0) throw tooDeep();
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item) => plainJson(item, depth - 1));
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainJson(member, depth - 1)]));
  throw badRequest(`a YAML value of type ${typeof value} has no JSON form`);
}

function decodeText(body: Uint8Array): string {
  return decoding("UTF-8", () => new TextDecoder("utf-8", { fatal: true }).decode(body));
}

function bounded(value: JsonValue): JsonValue {
  if (isDeeperThan(value, MAX_DEPTH)) throw tooDeep();
  return value;
}

const tooDeep = () => badRequest(`the body nests deeper than ${MAX_DEPTH} levels`);

/** What the decoder throws becomes a BadRequest that names the format. */
export function decoding<T>(format: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof Error && error.name === "StatusError") throw error;
    const why = error instanceof Error ? error.message.split("\n", 1)[0] : "";
    throw badRequest(`the body is not valid ${format}: ${why}`);
  }
}
