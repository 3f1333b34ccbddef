/**
 * OpenAPI version 2 without anything in it. Clients use version 3 wherever they can; kubectl still asks for this before it applies
 * a `List`, and takes kinds that it does not find as not to be checked by itself.
 */
import type { BytesResponse } from "#api/meta/exchange.ts";
import { stringifyJson } from "#api/meta/json.ts";

/** Clients accept it as `v2@v1.0`, which no content type may be. The document is an `openapi.v2.Document` of gnostic in protobuf. */
const PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const INFO = { title: "Stadion", version: "unversioned" };

export function openApiVersion2(accept: string | undefined): BytesResponse {
  const protobuf = accept?.includes("proto-openapi.spec.v2") ?? false;
  const json = () =>
    new TextEncoder().encode(stringifyJson({ swagger: "2.0", info: INFO, paths: {}, definitions: {} }));
  return {
    type: "bytes",
    status: 200,
    contentType: protobuf ? PROTOBUF : "application/json",
    body: protobuf ? message([1, "2.0"], [2, message([1, INFO.title], [2, INFO.version])]) : json(),
  };
}

/** A protobuf message of length-delimited fields with small numbers, none of 128 bytes or more. */
function message(...fields: readonly (readonly [number: number, value: string | Uint8Array])[]): Uint8Array {
  return Buffer.concat(
    fields.map(([number, value]) => {
      const bytes = Buffer.from(value);
      return Buffer.concat([Buffer.of((number << 3) | 2, bytes.length), bytes]);
    }),
  );
}
