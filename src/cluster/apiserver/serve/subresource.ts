/** Requests for a part of an object, or for something done to it. */

import type { ApiResponse } from "#api/meta/exchange.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { isJsonObject } from "#api/meta/json.ts";
import { badRequest, notFound, statusError } from "#api/meta/status.ts";
import { warningHeaders } from "#runtime/http/warning-headers.ts";
import { decodeBody, objectBody } from "../request/body.ts";
import { writeOptions } from "../request/options.ts";
import type { ScalePaths } from "../resource-definition.ts";
import { objectAt } from "../resources/object-fields.ts";
import { shown } from "../resources/served-resource.ts";
import { bindPod } from "../subresources/binding.ts";
import { spendDisruption } from "../subresources/eviction.ts";
import { podLog } from "../subresources/log.ts";
import { scaledTo, scaleOf } from "../subresources/scale.ts";
import { deleteObject, deleteRequestOf } from "../write/delete.ts";
import { readPatch } from "../write/patch.ts";
import { updateObject } from "../write/update.ts";
import { getObject, patchHalf, replaceHalf, storedAt } from "./object.ts";
import {
  methodNotAllowed,
  pathNotFound,
  type ResourceRequest,
  requesterOf,
  type ServerContext,
  statusAnswer,
} from "./server-context.ts";

export async function serveSubresource(context: ServerContext, target: ResourceRequest): Promise<ApiResponse> {
  const { path, resource } = target;
  const { group, plural, subresources } = resource.definition;
  if (path.subresource === "status" && subresources.status) return serveStatus(context, target);
  if (path.subresource === "scale" && subresources.scale) return serveScale(context, target, subresources.scale);
  switch (`${group}/${plural}/${path.subresource}`) {
    case "/namespaces/finalize":
      if (target.request.method !== "PUT") throw methodNotAllowed();
      return replaceHalf(context, target, "finalize");
    case "/pods/binding":
      return bind(context, target);
    case "/pods/eviction":
      return evict(context, target);
    case "/pods/log":
      return log(context, target);
    default:
      throw resource.definition.custom ? notFound(group, plural, path.name ?? "") : pathNotFound();
  }
}

async function serveStatus(context: ServerContext, target: ResourceRequest): Promise<ApiResponse> {
  switch (target.request.method) {
    case "GET":
      return getObject(context, target);
    case "PUT":
      return replaceHalf(context, target, "status");
    case "PATCH":
      return patchHalf(context, target, "status");
    default:
      throw methodNotAllowed(target);
  }
}

async function serveScale(context: ServerContext, target: ResourceRequest, paths: ScalePaths): Promise<ApiResponse> {
  const { request, path, resource } = target;
  if (request.method === "GET") {
    const object = shown(resource, storedAt(context, resource, path).object);
    return { type: "json", status: 200, value: scaleOf(object, paths) };
  }
  const options = writeOptions(request.query, request.method === "PUT" ? "UpdateOptions" : "PatchOptions");
  const requester = requesterOf(target);
  const written = await updateObject(context, {
    ...requester,
    resource,
    namespace: path.namespace,
    name: path.name ?? "",
    half: "scale",
    options,
    propose: scaleProposal(target, paths),
    policy: { validation: "Ignore", warnings: requester.warnings },
    whole: false,
  });
  const headers = warningHeaders(requester.warnings);
  return { type: "json", status: 200, ...(headers && { headers }), value: scaleOf(written.object, paths) };
}

/** The object as a Scale, or a patch of one, wants it. */
function scaleProposal({ request, resource }: ResourceRequest, paths: ScalePaths): (current: JsonObject) => JsonObject {
  if (request.method === "PUT") {
    const body = objectBody(decodeBody(request, { findDuplicates: false }));
    return (current) => scaledTo(current, body, paths);
  }
  if (request.method !== "PATCH") throw methodNotAllowed();
  const patch = readPatch(request, resource, false);
  return (current) => scaledTo(current, patch.apply(scaleOf(current, paths)), paths);
}

async function bind(context: ServerContext, { request, path, resource }: ResourceRequest): Promise<ApiResponse> {
  if (request.method !== "POST") throw methodNotAllowed();
  const { dryRun } = writeOptions(request.query, "CreateOptions");
  const body = objectBody(decodeBody(request, { findDuplicates: false }));
  const address = { namespace: path.namespace ?? "", name: path.name ?? "", dryRun };
  return statusAnswer(await bindPod(context, resource, address, body));
}

async function evict(context: ServerContext, target: ResourceRequest): Promise<ApiResponse> {
  const { request, path, resource } = target;
  if (request.method !== "POST") throw methodNotAllowed();
  const { dryRun } = writeOptions(request.query, "CreateOptions");
  const body = objectBody(decodeBody(request, { findDuplicates: false }));
  if (body.kind !== undefined && body.kind !== "Eviction") throw badRequest("the body must be an Eviction");
  const named = objectAt(body, "metadata").name;
  if (named !== undefined && named !== path.name)
    throw badRequest("name in URL does not match name in Eviction object");
  const options = isJsonObject(body.deleteOptions) ? body.deleteOptions : {};
  const { dryRun: dry, ...wanted } = deleteRequestOf({ ...options, kind: "DeleteOptions" }, new URLSearchParams());
  await spendDisruption(context, storedAt(context, resource, path).object, dryRun || dry);
  await deleteObject(context, {
    ...requesterOf(target),
    resource,
    namespace: path.namespace,
    name: path.name ?? "",
    request: wanted,
    dryRun: dryRun || dry,
  });
  return statusAnswer({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 });
}

async function log(context: ServerContext, { request, path, resource }: ResourceRequest): Promise<ApiResponse> {
  if (request.method !== "GET") throw methodNotAllowed();
  const pod = storedAt(context, resource, path).object;
  if (!context.podLogs) throw statusError("ServiceUnavailable", "this server has no access to the logs of pods");
  return podLog(context.podLogs, pod, request.query, request.signal);
}
