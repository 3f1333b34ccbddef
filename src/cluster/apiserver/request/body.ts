/** Decodes request bodies: JSON, YAML, and Kubernetes' protobuf envelope for built-in types. */
import type { ApiRequest } from "#api/meta/exchange.ts";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";
import { badRequest, statusError } from "#api/meta/status.ts";
import {
  type DecodedBody,
  decodeJson,
  decodeYaml,
  decoding,
  JSON_TYPE,
  mediaTypeOf,
  YAML_TYPE,
} from "#runtime/http/body-text.ts";
import { MAX_OBJECT_BYTES, ObjectTooLarge } from "../../store/objects.ts";
import { decodeProtobuf } from "../protobuf/decode.ts";

const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";
const objectTypes = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

export function unsupportedMediaType(accepted: readonly string[]) {
  return statusError(
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}

/**
 * The body of a request that carries an object, or `undefined` for none. A value handed over in this process is taken as it is.
 * Throws UnsupportedMediaType, BadRequest when the text is malformed, not UTF-8, or nested too deep, or `ObjectTooLarge`.
 */
export function decodeBody(
  request: ApiRequest,
  options: { readonly findDuplicates: boolean },
): DecodedBody | undefined {
  const { body } = request;
  if (body === undefined) return undefined;
  if (!(body instanceof Uint8Array)) return { value: body, duplicates: [] };
  if (body.length === 0) return undefined;
  const mediaType = mediaTypeOf(request.headers["content-type"]);
  switch (mediaType) {
    case JSON_TYPE:
      return decodeJson(body, { ...options, check: (value) => checkSize(body, value) });
    case YAML_TYPE:
      return { value: decodeYaml(body), duplicates: [] };
    case PROTOBUF_TYPE:
      return { value: decoding("protobuf", () => decodeProtobuf(body)), duplicates: [] };
    default:
      throw unsupportedMediaType(objectTypes);
  }
}

/** What could not be stored is refused before time is spent on it: white space counts for nothing. */
function checkSize({ byteLength }: Uint8Array, value: JsonValue): void {
  if (byteLength <= MAX_OBJECT_BYTES) return;
  const { length } = stringifyJson(value);
  if (length > MAX_OBJECT_BYTES) throw new ObjectTooLarge(length);
}

/** The body as an object. Throws BadRequest when there is none or it is something else. */
export function objectBody(decoded: DecodedBody | undefined): JsonObject {
  if (!decoded) throw badRequest("the request needs an object as its body");
  if (!isJsonObject(decoded.value)) throw badRequest("the body must be an object");
  return decoded.value;
}
