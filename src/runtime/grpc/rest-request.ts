/** Makes a request message out of path variables, body and query, as the method's http rule says. */
import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import type { Route } from "./http-rule.ts";
import { type Json, messageFromJson, parseRequestJson } from "./message-json.ts";
import { RpcError } from "./rpc-error.ts";

export interface RestRequest {
  readonly variables: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  /** Empty when there was none. */
  readonly body: string;
}

/** Refuses with `InvalidArgument` what does not fit the request's type. An empty body counts as `{}`. */
export function requestMessage({ method, verb, body }: Route, request: RestRequest): Message {
  const given: Json = body === undefined || request.body.trim() === "" ? {} : parseRequestJson(request.body);
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new RpcError("InvalidArgument", "the request body must be a JSON object");
  const message = messageFromJson(method.input, body === undefined || body === "*" ? given : { [body]: given });
  for (const [path, value] of request.variables) setText(method.input, message, path.split("."), value);
  const mask = method.input.fields.find((field) => field.message?.typeName === FieldMaskSchema.typeName);
  const bodyType = method.input.fields.find((field) => field.name === body)?.message;
  if (mask && bodyType && verb === "PATCH")
    (message as unknown as Record<string, unknown>)[mask.localName] = create(FieldMaskSchema, {
      paths: maskPaths(bodyType, given, queryOf(request.query, mask)),
    });
  return message;
}

/** The mask of a PATCH: what the query says, else the members present in the body. */
function maskPaths(type: DescMessage, body: Json, asked: readonly string[]): string[] {
  const present = Object.keys(body as object).map((key) => {
    const field = type.fields.find(({ name, jsonName }) => name === key || jsonName === key);
    if (!field) throw new RpcError("InvalidArgument", `could not find field "${key}" in "${type.typeName}"`);
    return field.name;
  });
  if (asked.length > 1)
    throw new RpcError("InvalidArgument", `too many values for field "update_mask": ${asked.join(", ")}`);
  return asked[0] === undefined ? present.sort() : asked[0].split(",");
}

const queryOf = (query: URLSearchParams, { name, jsonName }: DescField): string[] => [
  ...query.getAll(name),
  ...(jsonName === name ? [] : query.getAll(jsonName)),
];

/** What the path says goes before the body. */
function setText(type: DescMessage, message: Message, [name = "", ...rest]: readonly string[], value: string): void {
  const field = type.fields.find((other) => other.name === name);
  if (!field) throw new TypeError(`${type.typeName} has no field ${name}`);
  const fields = message as unknown as Record<string, unknown>;
  if (rest.length === 0 || !field.message) fields[field.localName] = value;
  else {
    const inner = (fields[field.localName] ?? create(field.message)) as Message;
    fields[field.localName] = inner;
    setText(field.message, inner, rest, value);
  }
}
