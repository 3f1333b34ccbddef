/** PATCH: reads the patch once, then applies it to the newest version at each attempt. */
import { kubernetesSchema } from "#api/core/schemas.ts";
import type { ApiRequest } from "#api/meta/exchange.ts";
import { invalid } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";
import { applyJsonPatch, JsonPatchError, parseJsonPatch } from "#api/meta/patch/json-patch.ts";
import { applyMergePatch } from "#api/meta/patch/merge-patch.ts";
import { applyStrategicMergePatch, StrategicMergePatchError } from "#api/meta/patch/strategic-merge.ts";
import { badRequest, invalidObject, statusError } from "#api/meta/status.ts";
import { type DecodedBody, decodeJson, mediaTypeOf } from "#runtime/http/body-text.ts";
import { unsupportedMediaType } from "../request/body.ts";
import type { ServedResource } from "../resources/served-resource.ts";
import { isBuiltinSchema } from "../schema/builtin.ts";

export const JSON_PATCH = "application/json-patch+json";
export const MERGE_PATCH = "application/merge-patch+json";
export const STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json";

export interface ReadPatch {
  readonly apply: (current: JsonObject) => JsonObject;
  readonly duplicates: readonly string[];
  /** The patch as text, for messages. */
  readonly text: () => string;
}

/**
 * The patch of a request, by its media type. Custom resources take no strategic merge patches; nothing takes server-side apply.
 * Throws UnsupportedMediaType or BadRequest; `apply` throws BadRequest, or Invalid (422) when a JSON patch does not fit the object.
 */
export function readPatch(
  request: ApiRequest,
  resource: Pick<ServedResource, "definition">,
  findDuplicates: boolean,
): ReadPatch {
  const mediaType = mediaTypeOf(request.headers["content-type"]);
  const { schema } = resource.definition;
  const published = isBuiltinSchema(schema) ? schema.definitionName : undefined;
  const accepted = [JSON_PATCH, MERGE_PATCH, ...(published ? [STRATEGIC_MERGE_PATCH] : [])];
  if (!accepted.includes(mediaType)) throw unsupportedMediaType(accepted);
  const { value, duplicates } = patchBody(request, findDuplicates);
  const text = () => stringifyJson(value);
  if (mediaType === JSON_PATCH) {
    const apply = jsonPatch(value);
    return { apply: (current) => kept(apply(current), resource), duplicates: [], text };
  }
  if (!isJsonObject(value)) throw badRequest("the patch must be an object");
  return {
    apply: (current) =>
      objectOf(
        mediaType === STRATEGIC_MERGE_PATCH && published
          ? strategic(current, value, published)
          : applyMergePatch(current, value),
      ),
    duplicates,
    text,
  };
}

/** A custom resource of which a patch has left nothing that says its kind is none. */
function kept(object: JsonObject, { definition }: Pick<ServedResource, "definition">): JsonObject {
  if (!definition.custom || object.kind) return object;
  const text = stringifyJson(object);
  throw invalidObject("", "", "", [invalid("patch", text, `Object 'Kind' is missing in '${text}'`)]);
}

function patchBody({ body }: ApiRequest, findDuplicates: boolean): DecodedBody {
  if (body === undefined) throw badRequest("the request needs a patch as its body");
  return body instanceof Uint8Array ? decodeJson(body, { findDuplicates }) : { value: body, duplicates: [] };
}

function jsonPatch(value: JsonValue): ReadPatch["apply"] {
  if (!Array.isArray(value) || !value.every(isJsonObject))
    throw badRequest("error decoding patch: a JSON patch must be an array of operations");
  const operations = refusing(() => parseJsonPatch(value));
  return (current) => objectOf(refusing(() => applyJsonPatch(current, operations)));
}

/** Says, which Kubernetes does not, which operation it is and why. */
function refusing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    if (error.code === "TooManyOperations") throw statusError("RequestEntityTooLarge", error.message);
    throw statusError("Invalid", `the server rejected our request due to an error in our request: ${error.message}`, {
      causes: [{ reason: "UnexpectedServerResponse", message: error.message }],
    });
  }
}

function strategic(current: JsonObject, patch: JsonObject, definitionName: string): JsonObject {
  try {
    return applyStrategicMergePatch(current, patch, definitionName, kubernetesSchema);
  } catch (error) {
    if (!(error instanceof StrategicMergePatchError)) throw error;
    throw badRequest(`unable to apply the strategic merge patch: ${error.message}`);
  }
}

function objectOf(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw badRequest("the patched object is no longer an object");
  return value;
}
