import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { KubeObject, ListMeta, WatchEvent } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import type { Client, DeleteOptions, ListOptions, Patch } from "./client.ts";
import { refusal } from "./refusal.ts";
import { apiVersionOf, pathOf } from "./resource.ts";
import { type Transport, TransportError } from "./transport.ts";

const patchTypes: Readonly<Record<Patch["type"], string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

/**
 * The typed client over any transport. Objects it hands out always carry `apiVersion` and `kind`, which Kubernetes leaves
 * out of the items of built-in lists. A watch throws the `StatusError` of an `ERROR` event after the events before it.
 */
export function createClient(transport: Transport): Client {
  const write = async <T extends KubeObject>(method: "POST" | "PUT", type: ResourceType<T>, path: string, object: T) =>
    decoded(type, await transport.exchange({ method, path, body: asJson(object) }));
  const pathTo = (type: ResourceType<KubeObject>, { metadata }: KubeObject, subresource?: string) =>
    pathOf(type, metadata.namespace, metadata.name ?? "", subresource);

  return {
    get: async (type, namespace, name) =>
      decoded(type, await transport.exchange({ method: "GET", path: pathOf(type, namespace, name) })),

    list: async (type, options = {}) => {
      const path = pathOf(type, options.namespace);
      const answer = await transport.exchange({
        method: "GET",
        path,
        query: listQuery(options),
        signal: options.signal,
      });
      const { apiVersion, kind, metadata, items } = objectOf(answer);
      return {
        apiVersion: String(apiVersion),
        kind: String(kind),
        metadata: (metadata ?? {}) as ListMeta,
        items: (Array.isArray(items) ? items : []).map((item: JsonValue) => decoded(type, item)),
      };
    },

    watch: async (type, options) => {
      const { allowWatchBookmarks, timeoutSeconds } = options;
      const batches = await transport.watch({
        method: "GET",
        path: pathOf(type, options.namespace),
        query: {
          ...listQuery(options),
          watch: "true",
          allowWatchBookmarks: allowWatchBookmarks ? "true" : undefined,
          timeoutSeconds: timeoutSeconds?.toString(),
        },
        signal: options.signal,
      });
      return decodedEvents(type, batches);
    },

    create: (type, object) => write("POST", type, pathOf(type, object.metadata.namespace), object),
    update: (type, object) => write("PUT", type, pathTo(type, object), object),
    updateStatus: (type, object) => write("PUT", type, pathTo(type, object, "status"), object),

    patch: async (type, namespace, name, patch, subresource) =>
      decoded(
        type,
        await transport.exchange({
          method: "PATCH",
          path: pathOf(type, namespace, name, subresource),
          contentType: patchTypes[patch.type],
          body: patch.type === "json" ? asJson(patch.operations) : patch.patch,
        }),
      ),

    delete: async (type, namespace, name, options) => {
      const body = options && deleteBody(options);
      await transport.exchange({ method: "DELETE", path: pathOf(type, namespace, name), ...(body && { body }) });
    },

    raw: (method, path, body) => transport.exchange({ method, path, ...(body !== undefined && { body }) }),
  };
}

function listQuery(options: ListOptions): Record<string, string | undefined> {
  const { labelSelector, fieldSelector, resourceVersion, limit } = options;
  return { labelSelector, fieldSelector, resourceVersion, limit: limit?.toString(), continue: options.continue };
}

function deleteBody({ propagationPolicy, gracePeriodSeconds, preconditions }: DeleteOptions): JsonObject {
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions && { preconditions: { ...preconditions } }),
  };
}

async function* decodedEvents<T extends KubeObject>(
  type: ResourceType<T>,
  batches: AsyncIterable<readonly WatchEvent[]>,
): AsyncGenerator<readonly WatchEvent<T>[]> {
  for await (const batch of batches) {
    const failed = batch.findIndex((event) => event.type === "ERROR");
    const events = failed < 0 ? batch : batch.slice(0, failed);
    if (events.length > 0) yield events.map((event) => ({ type: event.type, object: decoded(type, event.object) }));
    if (failed >= 0) throw refusal(Number(batch[failed]?.object.code ?? 500), batch[failed]?.object);
  }
}

function decoded<T extends KubeObject>(type: ResourceType<T>, json: JsonValue): T {
  const object = objectOf(json);
  return type.decode(
    object.kind === undefined ? { apiVersion: apiVersionOf(type), kind: type.kind, ...object } : object,
  );
}

function objectOf(answer: JsonValue): JsonObject {
  if (isJsonObject(answer)) return answer;
  throw new TransportError("the server answered with something that is no object");
}

/** Typed objects are JSON by construction; their interfaces lack the index signature that says so. */
const asJson = (value: object): JsonValue => value as unknown as JsonValue;
