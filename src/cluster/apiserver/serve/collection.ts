/** Requests for a collection: list, watch, create, delete all. */

import type { ApiResponse } from "#api/meta/exchange.ts";
import { badRequest, isNotFound } from "#api/meta/status.ts";
import { pageNotFound } from "#runtime/http/respond.ts";
import { warningHeaders } from "#runtime/http/warning-headers.ts";
import { listPage } from "../read/list.ts";
import { eventForm, renderList } from "../read/render.ts";
import { openWatch } from "../read/watch.ts";
import { decodeBody, objectBody } from "../request/body.ts";
import { booleanParameter, writeOptions } from "../request/options.ts";
import { metaOf } from "../resources/object-fields.ts";
import { shown } from "../resources/served-resource.ts";
import { createObject } from "../write/create.ts";
import { deleteObject, deleteRequestOf } from "../write/delete.ts";
import {
  methodNotAllowed,
  type ResourceRequest,
  renderingOf,
  requesterOf,
  type ServerContext,
  writeAnswer,
} from "./server-context.ts";

/** As many objects of a collection are deleted before other requests have their turn. */
const DELETION_SLICE = 20;

export async function serveCollection(context: ServerContext, target: ResourceRequest): Promise<ApiResponse> {
  const { request, path, resource } = target;
  switch (request.method) {
    case "GET":
      return booleanParameter(request.query, "watch") ? watch(context, target) : list(context, target);
    case "POST":
      if (resource.definition.namespaced && path.namespace === undefined) return outsideNamespaces(target);
      return create(context, target);
    case "DELETE":
      if (resource.definition.namespaced && path.namespace === undefined) return outsideNamespaces(target);
      if (resource.rules.oneByOne) throw methodNotAllowed();
      return deleteAll(context, target);
    case "PUT":
    case "PATCH":
      if (resource.definition.custom) throw badRequest("name must be provided");
      throw methodNotAllowed();
    default:
      throw methodNotAllowed(target);
  }
}

/** Objects of all namespaces can be listed, and nothing else. */
function outsideNamespaces(target: ResourceRequest): ApiResponse {
  if (target.resource.definition.custom) return pageNotFound;
  throw methodNotAllowed();
}

function list(context: ServerContext, { request, path, resource }: ResourceRequest): ApiResponse {
  const rendering = renderingOf(request, context.clock.now());
  return renderList(resource, listPage(context, resource, path.namespace, request.query), rendering);
}

function watch(context: ServerContext, { request, path, resource }: ResourceRequest): ApiResponse {
  const form = eventForm(resource, renderingOf(request, context.clock.now()), () => context.clock.now());
  const events = openWatch(context, resource, path.namespace, request.query, form, request.signal);
  return { type: "watch", status: 200, events };
}

async function create(context: ServerContext, target: ResourceRequest): Promise<ApiResponse> {
  const { request, path, resource } = target;
  const options = writeOptions(request.query, "CreateOptions");
  const rendering = renderingOf(request, context.clock.now());
  const decoded = decodeBody(request, { findDuplicates: options.fieldValidation !== "Ignore" });
  const requester = requesterOf(target);
  const written = await createObject(context, {
    ...requester,
    resource,
    namespace: path.namespace,
    body: objectBody(decoded),
    duplicates: decoded?.duplicates ?? [],
    options,
  });
  return writeAnswer(resource, written, rendering, requester.warnings);
}

/** Deletes what a list with the same selection shows, in slices; answers with that list. */
async function deleteAll(context: ServerContext, target: ResourceRequest): Promise<ApiResponse> {
  const { request, path, resource } = target;
  const decoded = decodeBody(request, { findDuplicates: false });
  const { dryRun, ...wanted } = deleteRequestOf(decoded?.value, request.query);
  const rendering = renderingOf(request, context.clock.now());
  const page = listPage(context, resource, path.namespace, request.query);
  const requester = requesterOf(target);
  const deletions = page.items.map(({ object }) => {
    const { name = "", namespace } = metaOf(shown(resource, object));
    return () =>
      deleteObject(context, { ...requester, resource, namespace, name, request: wanted, dryRun }).catch(
        (error: unknown) => {
          if (!isNotFound(error)) throw error;
        },
      );
  });
  for (let at = 0; at < deletions.length; at += DELETION_SLICE) {
    await Promise.all(deletions.slice(at, at + DELETION_SLICE).map((start) => start()));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return { ...renderList(resource, page, rendering), headers: warningHeaders(requester.warnings) };
}
