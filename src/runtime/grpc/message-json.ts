/**
 * Protobuf messages as the JSON that grpc-gateway writes: proto field names in order of declaration, every field
 * present (an unset message is `null`), 64-bit integers as strings, map keys sorted.
 */
import { type DescField, type DescMessage, fromJson, type Message, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { RpcError } from "./rpc-error.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

type Fields = Readonly<Record<string, unknown>>;
type OneofValue = { readonly case: string | undefined; readonly value?: unknown };

export function messageToJson(type: DescMessage, message: Message): Json {
  // Well-known types have spellings of their own, such as a bare string for a wrapped int64.
  if (type.typeName.startsWith("google.protobuf.")) return toJson(type, message);
  const fields = message as unknown as Fields;
  const members: [string, Json][] = [];
  for (const field of type.fields) {
    if (field.oneof) {
      const chosen = fields[field.oneof.localName] as OneofValue;
      if (chosen.case === field.localName) members.push([field.name, fieldToJson(field, chosen.value)]);
    } else members.push([field.name, fieldToJson(field, fields[field.localName])]);
  }
  return Object.fromEntries(members);
}

function fieldToJson(field: DescField, value: unknown): Json {
  if (field.fieldKind === "list") return (value as readonly unknown[]).map((item) => single(field, item));
  if (field.fieldKind === "map") {
    const entries = Object.entries(value as Fields).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, item]) => [key, single(field, item)]));
  }
  return value === undefined ? null : single(field, value);
}

function single(field: DescField, value: unknown): Json {
  // Wrapped numbers, texts and the like are held bare, and bare they are in JSON.
  const isBare = typeof value !== "object" || value instanceof Uint8Array;
  if (field.message && !isBare) return messageToJson(field.message, value as Message);
  if (field.enum) return field.enum.value[value as number]?.name ?? (value as number);
  if (value instanceof Uint8Array) return base64Encode(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value as Json;
}

/** What a double may not carry has as many digits as this at least. */
const LONG_NUMBER = /\d{16}/;

/** JSON text as a value; an integer that a double cannot carry becomes a string of its digits. Refuses malformed text. */
export function parseRequestJson(text: string): Json {
  try {
    // Looking at each member costs several times the reading.
    if (!LONG_NUMBER.test(text)) return JSON.parse(text) as Json;
    return JSON.parse(text, (_key, value, { source }) =>
      typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
        ? source
        : value,
    ) as Json;
  } catch (error) {
    throw new RpcError("InvalidArgument", error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** A message from JSON; proto and lowerCamel names are both read, unknown members are dropped. */
export function messageFromJson(type: DescMessage, json: Json): Message {
  try {
    return fromJson(type, json as Parameters<typeof fromJson>[1], { ignoreUnknownFields: true });
  } catch (error) {
    throw new RpcError("InvalidArgument", error instanceof Error ? error.message : String(error), { cause: error });
  }
}
