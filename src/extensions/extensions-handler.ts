/** What the extensions program answers over HTTPS: reviews of admission, and the API groups that the aggregator sends on. */
import type { AdmissionPlugin, ApiGroup } from "#api/meta/admission.ts";
import type { ApiHandler, ApiRequest, ApiResponse, BytesResponse, JsonResponse } from "#api/meta/exchange.ts";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { StatusError, statusError } from "#api/meta/status.ts";
import { statusAnswer } from "#runtime/http/api-door.ts";
import { decodeJson, decodeYaml, JSON_TYPE, mediaTypeOf, YAML_TYPE } from "#runtime/http/body-text.ts";
import { pageNotFound } from "#runtime/http/respond.ts";
import type { Logger } from "#runtime/logger.ts";
import { answerReview } from "./admission-review.ts";
import { negotiated } from "./negotiation.ts";

export interface ExtensionsOptions {
  readonly admission: readonly AdmissionPlugin[];
  readonly groups: readonly ApiGroup[];
  readonly log: Logger;
}

const reviews: Readonly<Record<string, "mutate" | "validate">> = { "/mutate": "mutate", "/validate": "validate" };

/** Every refusal is a Status; a failure that nobody foresaw is logged and answered with 500. */
export function createExtensionsHandler({ admission, groups, log }: ExtensionsOptions): ApiHandler {
  return async (request) => {
    try {
      const review = reviews[request.path];
      if (review) return await serveReview(admission, review, request);
      return negotiated(await serveGroup(groups, request), request.headers.accept);
    } catch (error) {
      if (error instanceof StatusError) return negotiated(statusAnswer(error.status), request.headers.accept);
      log.error({ error, method: request.method, path: request.path }, "request failed");
      return statusAnswer(statusError("InternalError", error instanceof Error ? error.message : String(error)).status);
    }
  };
}

async function serveReview(
  plugins: readonly AdmissionPlugin[],
  step: "mutate" | "validate",
  request: ApiRequest,
): Promise<ApiResponse> {
  if (request.method !== "POST") throw statusError("MethodNotAllowed", "Method not supported");
  let body: JsonValue | undefined;
  try {
    body = decodedBody(request);
  } catch (error) {
    // The contract knows one code for a body that is no review.
    throw statusError("InternalError", error instanceof Error ? error.message : String(error));
  }
  return json(await answerReview(plugins, step, body));
}

async function serveGroup(groups: readonly ApiGroup[], request: ApiRequest): Promise<ApiResponse> {
  const { method, path } = request;
  if (path === "/") return empty(200);
  // The aggregator asks for discovery of all groups at once, and takes this for: group by group.
  if (path === "/apis") return empty(406);
  if (path === "/openapi/v2") return json({ info: { title: groups[0]?.group ?? "" }, paths: null });
  if (path === "/openapi/v3") return json({ paths: Object.fromEntries(groups.map(openApiEntry)) });
  for (const group of groups) {
    const place = placeOf(group);
    if (method === "GET" && path === `/openapi/v3/${place}`) return json(group.openApi());
    if (method === "GET" && path === `/${place}`) return json(resourceList(group));
    if (path.startsWith(`/${place}/`)) return group.handle({ ...request, body: decodedBody(request) });
  }
  return pageNotFound;
}

const placeOf = ({ group, version }: ApiGroup): string => `apis/${group}/${version}`;

const openApiEntry = (group: ApiGroup): [string, JsonObject] => [
  placeOf(group),
  { serverRelativeURL: `/openapi/v3/${placeOf(group)}` },
];

function resourceList({ group, version, resources }: ApiGroup): JsonObject {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: `${group}/${version}`,
    resources: resources as unknown as JsonObject[],
  };
}

/** Throws BadRequest or UnsupportedMediaType. */
function decodedBody({ body, headers }: ApiRequest): JsonValue | undefined {
  if (!(body instanceof Uint8Array)) return body;
  const mediaType = mediaTypeOf(headers["content-type"]);
  if (mediaType === JSON_TYPE) return decodeJson(body, { findDuplicates: false }).value;
  if (mediaType === YAML_TYPE) return decodeYaml(body);
  throw statusError("UnsupportedMediaType", `Could not find deserializer for ${JSON.stringify(mediaType)}`);
}

const json = (value: JsonObject): JsonResponse => ({ type: "json", status: 200, value });

const text = (status: number, body: string): BytesResponse => ({
  type: "bytes",
  status,
  contentType: "text/plain; charset=utf-8",
  body: new TextEncoder().encode(body),
});
const empty = (status: number) => text(status, "");
