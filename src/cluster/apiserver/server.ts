/**
 * The embedded API server: requests in, answers out, as values. Sockets are `http-server.ts`'s.
 *
 * A request is matched to a stored resource, a review, a group with a handler of its own, or a document; every refusal is an
 * answer with a Kubernetes Status. Nothing a request holds makes the handler reject.
 */

import { randomUUID } from "node:crypto";
import type { AdmissionPlugin, ApiGroup } from "#api/meta/admission.ts";
import type { ApiHandler, ApiRequest, ApiResponse } from "#api/meta/exchange.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { badRequest, StatusError, statusError } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import { pageNotFound } from "#runtime/http/respond.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { type Objects, ObjectTooLarge } from "../store/objects.ts";
import { StoreError } from "../store/store.ts";
import { makeDefinitions, makeSystemObjects } from "./builtins/system-objects.ts";
import { builtinResources } from "./builtins.ts";
import { CustomResources } from "./custom-resources/custom-resources.ts";
import { FrameCache } from "./read/frames.ts";
import { Snapshots } from "./read/snapshots.ts";
import { decodeBody } from "./request/body.ts";
import { parsePath, type ResourcePath } from "./request/path.ts";
import { ResourceRegistry } from "./resources/registry.ts";
import { serveCollection } from "./serve/collection.ts";
import { NonResourcePaths } from "./serve/non-resource.ts";
import { serveObject } from "./serve/object.ts";
import { reviewAt, serveReview } from "./serve/review.ts";
import { pathNotFound, type ResourceRequest, type ServerContext, statusAnswer } from "./serve/server-context.ts";
import { serveSubresource } from "./serve/subresource.ts";
import type { PodLogs } from "./subresources/log.ts";
import { AdmissionChain } from "./write/admission.ts";

export interface ApiServerOptions {
  readonly objects: Objects;
  readonly admission: readonly AdmissionPlugin[];
  readonly groups: readonly ApiGroup[];
  /** CustomResourceDefinitions that the program brings with it: made, and brought up to date, before it serves. They are not validated. */
  readonly definitions?: readonly JsonObject[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Stadion's version, told by `/version`. */
  readonly version: string;
  /** Absent: `pods/log` answers 503. */
  readonly podLogs?: PodLogs;
  /** In [0, 1); for generated names and the length of watches. */
  readonly random?: () => number;
  readonly uid?: () => string;
}

/** `run` makes the namespaces every cluster has and serves custom resources from then on; `ready` resolves when that is done. */
export interface ApiServer extends Runnable {
  readonly handler: ApiHandler;
  ready(): Promise<void>;
}

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { clock, log, random = Math.random, uid = randomUUID } = options;
  const registry = new ResourceRegistry(builtinResources(options.objects));
  const customResources = new CustomResources(options.objects, registry, log);
  const context: ServerContext = {
    objects: customResources.objects,
    admission: new AdmissionChain(options.admission, uid),
    clock,
    random,
    uid,
    registry,
    snapshots: new Snapshots(clock, uid),
    frames: new FrameCache(),
    podLogs: options.podLogs,
  };
  const documents = new NonResourcePaths(registry, options.groups, options.version);
  const started = Promise.withResolvers<void>();

  const handler: ApiHandler = async (request) => {
    try {
      return await route(context, documents, options.groups, request);
    } catch (error) {
      return refusal(error, request, log);
    }
  };
  return {
    name: "api-server",
    handler,
    ready: () => started.promise,
    run: async (signal) => {
      customResources.load();
      await Promise.all([makeSystemObjects(context), makeDefinitions(context, options.definitions ?? [], log)]);
      const cleaning = customResources.clean(context, signal);
      started.resolve();
      await cleaning;
    },
  };
}

async function route(
  context: ServerContext,
  documents: NonResourcePaths,
  groups: readonly ApiGroup[],
  request: ApiRequest,
): Promise<ApiResponse> {
  const parsed = parsePath(request.path);
  if (!parsed) throw pathNotFound();
  const path = parsed.resource;
  if (!path) return documents.serve(request, parsed.segments);
  const group = groups.find(
    ({ group, version, resources }) =>
      group === path.group && version === path.version && resources.some(({ name }) => name === path.resource),
  );
  if (group) return group.handle({ ...request, body: decodeBody(request, { findDuplicates: false })?.value });
  const review = reviewAt(path);
  if (review) return serveReview(request, path, review);
  return serveStored(context, request, path);
}

async function serveStored(context: ServerContext, request: ApiRequest, path: ResourcePath): Promise<ApiResponse> {
  const resource = context.registry.find(path.group, path.version, path.resource);
  if (!resource) return unknownResource(path);
  const { namespaced } = resource.definition;
  if (path.namespace !== undefined && !namespaced) return unknownResource(path);
  if (path.namespace === "" || path.name === "") throw badRequest("the path names nothing");
  const target = { request, path, resource, warnings: new Set<string>() };
  try {
    return await serveTarget(context, target);
  } catch (error) {
    if (error instanceof StatusError) return statusAnswer(error.status, target.warnings);
    throw error;
  }
}

function unknownResource({ group }: ResourcePath): ApiResponse {
  if (group === "") throw pathNotFound();
  return pageNotFound;
}

async function serveTarget(context: ServerContext, target: ResourceRequest): Promise<ApiResponse> {
  const { path, resource } = target;
  if (path.name === undefined) return serveCollection(context, target);
  if (resource.definition.namespaced && path.namespace === undefined) return unknownResource(path);
  return path.subresource === undefined ? serveObject(context, target) : serveSubresource(context, target);
}

function refusal(error: unknown, request: ApiRequest, log: Logger): ApiResponse {
  if (error instanceof StatusError) return statusAnswer(error.status);
  if (error instanceof ObjectTooLarge) return statusAnswer(statusError("RequestEntityTooLarge", error.message).status);
  log.error({ error, method: request.method, path: request.path }, "request failed");
  const why = error instanceof StoreError ? `: ${error.message}` : "";
  return statusAnswer(
    statusError("InternalError", `an error on the server has prevented the request from succeeding${why}`).status,
  );
}
