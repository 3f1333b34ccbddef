/** AdmissionReviews (admission.k8s.io/v1) around an admission plugin's functions. */
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse, Admit } from "#api/meta/admission.ts";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";
import { statusError } from "#api/meta/status.ts";

const API_VERSION = "admission.k8s.io/v1";
const KIND = "AdmissionReview";

/**
 * Answers a review with the plugins' word on it. Of several plugins the one that has a rule for the resource is asked; where none
 * has, the write is allowed. What a plugin throws is a refusal with an internal error.
 *
 * Throws an InternalError when the body is no AdmissionReview of version 1 with a request in it.
 */
export async function answerReview(
  plugins: readonly AdmissionPlugin[],
  step: "mutate" | "validate",
  body: JsonValue | undefined,
): Promise<JsonObject> {
  const request = requestOf(body);
  const { resource, operation, subResource } = request;
  const admit = subResource
    ? undefined
    : plugins
        .flatMap(({ [step]: found }) => found ?? [])
        .find(({ rules }) =>
          rules.some(
            (rule) =>
              rule.group === resource.group &&
              rule.resource === resource.resource &&
              rule.operations.includes(operation),
          ),
        )?.admit;
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    response: responseOf(request, admit ? await attempt(admit, request) : { allowed: true }),
  };
}

async function attempt(admit: Admit, request: AdmissionRequest): Promise<AdmissionResponse> {
  try {
    return await admit(request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const { group, kind } = request.kind;
    const causes = [{ reason: "InternalError", message }];
    const details = { ...(request.name && { name: request.name }), group, kind, causes };
    return { allowed: false, status: statusError("InternalError", message, details).status };
  }
}

function responseOf({ uid }: AdmissionRequest, response: AdmissionResponse): JsonObject {
  const { allowed, status, patch = [], warnings = [] } = response;
  return {
    uid,
    allowed,
    ...(status && { status: status as unknown as JsonObject }),
    ...(patch.length > 0 && {
      patchType: "JSONPatch",
      patch: Buffer.from(stringifyJson(patch as unknown as JsonValue)).toString("base64"),
    }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

function requestOf(body: JsonValue | undefined): AdmissionRequest {
  if (!isJsonObject(body)) throw noReview("the body is no object");
  if (body.kind !== KIND || body.apiVersion !== API_VERSION)
    throw noReview(`the body is ${String(body.kind)} of ${String(body.apiVersion)}`);
  const { request } = body;
  if (!isJsonObject(request)) throw noReview("request is missing");
  const { uid, kind, resource, operation, object = null, oldObject = null } = request;
  if (typeof uid !== "string") throw noReview("request.uid is missing");
  if (!isJsonObject(kind)) throw noReview("request.kind is missing");
  if (!isJsonObject(resource)) throw noReview("request.resource is missing");
  if (typeof operation !== "string") throw noReview("request.operation is missing");
  if (object !== null && !isJsonObject(object)) throw noReview("request.object is no object");
  if (oldObject !== null && !isJsonObject(oldObject)) throw noReview("request.oldObject is no object");
  return { ...(request as unknown as AdmissionRequest), object, oldObject };
}

const noReview = (why: string) => statusError("InternalError", `an ${KIND} of ${API_VERSION} is expected: ${why}`);
