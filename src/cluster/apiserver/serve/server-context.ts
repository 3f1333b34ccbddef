import type { ApiRequest, ApiResponse, JsonResponse } from "#api/meta/exchange.ts";
import { badRequest, type Status, type StatusError, statusError } from "#api/meta/status.ts";
import { statusAnswer as answerOf } from "#runtime/http/api-door.ts";
import { warningHeaders } from "#runtime/http/warning-headers.ts";
import type { Listing } from "../read/list.ts";
import { type Rendering, renderObject } from "../read/render.ts";
import type { Watching } from "../read/watch.ts";
import { representationOf } from "../request/accept.ts";
import type { ResourcePath } from "../request/path.ts";
import type { ResourceRegistry } from "../resources/registry.ts";
import type { ServedResource } from "../resources/served-resource.ts";
import type { PodLogs } from "../subresources/log.ts";
import type { Requester, Writing, Written } from "../write/context.ts";

/** Everything that answering a request for a stored resource needs. */
export interface ServerContext extends Writing, Listing, Watching {
  readonly registry: ResourceRegistry;
  readonly podLogs: PodLogs | undefined;
}

/** A request that was matched to a stored resource. */
export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly path: ResourcePath;
  readonly resource: ServedResource;
  /** What the client is told besides the answer, be that a refusal. */
  readonly warnings: Set<string>;
}

export const requesterOf = ({ request, warnings }: ResourceRequest): Requester => ({ user: request.user, warnings });

const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };

/** Custom resources are told apart from built-ins by their words. */
export function methodNotAllowed(target?: ResourceRequest): StatusError {
  if (!target?.resource.definition.custom)
    return statusError("MethodNotAllowed", "the server does not allow this method on the requested resource", {});
  const { group, plural } = target.resource.definition;
  const verb = verbs[target.request.method] ?? "";
  return statusError("MethodNotAllowed", `${verb} is not supported on resources of kind "${plural}.${group}"`, {
    group,
    kind: plural,
  });
}

export const pathNotFound = () => statusError("NotFound", "the server could not find the requested resource", {});

const includes = ["Metadata", "Object", "None"] as const;

/** How the client wants its answer. Throws NotAcceptable or BadRequest. */
export function renderingOf(request: ApiRequest, now: number): Rendering {
  const include = request.query.get("includeObject") || "Metadata";
  const includeObject = includes.find((each) => each === include);
  if (!includeObject)
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  return { representation: representationOf(request.headers.accept), includeObject, now };
}

/** The answer to a write. */
export function writeAnswer(
  resource: ServedResource,
  written: Written,
  rendering: Rendering,
  warnings: ReadonlySet<string>,
): ApiResponse {
  return renderObject(resource, written, rendering, written.created ? 201 : 200, warningHeaders(warnings));
}

/** The answer that is a Status, with its warnings. */
export const statusAnswer = (status: Status, warnings?: ReadonlySet<string>): JsonResponse =>
  answerOf(status, warnings && warningHeaders(warnings));
