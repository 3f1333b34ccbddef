/** Requests for one object: get, replace, patch, delete. */
import type { ApiResponse } from "#api/meta/exchange.ts";
import { isJsonObject } from "#api/meta/json.ts";
import { badRequest, notFound } from "#api/meta/status.ts";
import type { StoredObject } from "../../store/objects.ts";
import { renderObject } from "../read/render.ts";
import { decodeBody, objectBody } from "../request/body.ts";
import { writeOptions } from "../request/options.ts";
import type { ResourcePath } from "../request/path.ts";
import { keyOf, type ServedResource, shown } from "../resources/served-resource.ts";
import { deleteObject, deleteRequestOf } from "../write/delete.ts";
import { readPatch } from "../write/patch.ts";
import { type Half, updateObject } from "../write/update.ts";
import {
  methodNotAllowed,
  type ResourceRequest,
  renderingOf,
  requesterOf,
  type ServerContext,
  writeAnswer,
} from "./server-context.ts";

export async function serveObject(context: ServerContext, target: ResourceRequest): Promise<ApiResponse> {
  switch (target.request.method) {
    case "GET":
      return getObject(context, target);
    case "PUT":
      return replaceHalf(context, target, "main");
    case "PATCH":
      return patchHalf(context, target, "main");
    case "DELETE":
      return remove(context, target);
    default:
      throw methodNotAllowed(target);
  }
}

/** The committed object. Throws NotFound. */
export function storedAt(context: ServerContext, resource: ServedResource, path: ResourcePath): StoredObject {
  const { group, plural } = resource.definition;
  const found = context.objects.get(resource.collection, keyOf(path.namespace, path.name ?? ""));
  if (!found) throw notFound(group, plural, path.name ?? "");
  return found;
}

export function getObject(context: ServerContext, { request, path, resource }: ResourceRequest): ApiResponse {
  const rendering = renderingOf(request, context.clock.now());
  const stored = storedAt(context, resource, path);
  const encoded = resource.view ? undefined : stored.encoded;
  return renderObject(resource, { object: shown(resource, stored.object), encoded }, rendering);
}

export async function replaceHalf(context: ServerContext, target: ResourceRequest, half: Half): Promise<ApiResponse> {
  const { request, path, resource } = target;
  const options = writeOptions(request.query, "UpdateOptions");
  const rendering = renderingOf(request, context.clock.now());
  const decoded = decodeBody(request, { findDuplicates: options.fieldValidation !== "Ignore" });
  const body = objectBody(decoded);
  const { name = "" } = path;
  if (isJsonObject(body.metadata) ? !body.metadata.name : body.metadata == null)
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  const requester = requesterOf(target);
  const written = await updateObject(context, {
    ...requester,
    resource,
    namespace: path.namespace,
    name,
    half,
    options,
    propose: () => body,
    policy: { validation: options.fieldValidation, warnings: requester.warnings },
    duplicates: decoded?.duplicates,
    whole: true,
  });
  return writeAnswer(resource, written, rendering, requester.warnings);
}

export async function patchHalf(context: ServerContext, target: ResourceRequest, half: Half): Promise<ApiResponse> {
  const { request, path, resource } = target;
  const options = writeOptions(request.query, "PatchOptions");
  const rendering = renderingOf(request, context.clock.now());
  const patch = readPatch(request, resource, options.fieldValidation !== "Ignore");
  const requester = requesterOf(target);
  const name = path.name ?? "";
  const written = await updateObject(context, {
    ...requester,
    resource,
    namespace: path.namespace,
    name,
    half,
    options,
    propose: patch.apply,
    policy: {
      validation: options.fieldValidation,
      warnings: requester.warnings,
      patch: { name, text: patch.text },
    },
    duplicates: patch.duplicates,
    whole: false,
  });
  return writeAnswer(resource, written, rendering, requester.warnings);
}

async function remove(context: ServerContext, target: ResourceRequest): Promise<ApiResponse> {
  const { request, path, resource } = target;
  const rendering = renderingOf(request, context.clock.now());
  const { dryRun, ...wanted } = deleteRequestOf(decodeBody(request, { findDuplicates: false })?.value, request.query);
  const requester = requesterOf(target);
  const deleted = await deleteObject(context, {
    ...requester,
    resource,
    namespace: path.namespace,
    name: path.name ?? "",
    request: wanted,
    dryRun,
  });
  if ("done" in deleted) return { type: "json", status: 200, value: deleted.done };
  return renderObject(resource, deleted, rendering);
}
