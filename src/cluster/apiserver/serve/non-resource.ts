/** What is served besides resources: version, health, discovery, OpenAPI. */

import type { ApiGroup } from "#api/meta/admission.ts";
import type { ApiRequest, ApiResponse, BytesResponse, JsonResponse } from "#api/meta/exchange.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { pageNotFound } from "#runtime/http/respond.ts";
import { type CatalogueGroup, catalogueOf } from "../discovery/catalogue.ts";
import {
  AGGREGATED_TYPE,
  aggregatedDiscovery,
  coreVersions,
  groupDocument,
  groupList,
  resourceList,
} from "../discovery/documents.ts";
import { versionInfo } from "../discovery/version-info.ts";
import { type OpenApiDocument, openApiDocuments } from "../openapi/documents.ts";
import { openApiVersion2 } from "../openapi/version-2.ts";
import { wantsAggregatedDiscovery } from "../request/accept.ts";
import type { ResourceRegistry } from "../resources/registry.ts";
import { reviewDefinition, reviews } from "../reviews/reviews.ts";
import { methodNotAllowed, pathNotFound } from "./server-context.ts";

const healthPaths = new Set(["healthz", "readyz", "livez"]);

interface Made {
  readonly generation: number;
  readonly catalogue: readonly CatalogueGroup[];
  openApi?: ReadonlyMap<string, OpenApiDocument>;
}

/** Answers paths that name no resource. What it shows is made anew only when what is served has changed. */
export class NonResourcePaths {
  readonly #registry: ResourceRegistry;
  readonly #groups: readonly ApiGroup[];
  readonly #version: string;
  #made: Made = { generation: -1, catalogue: [] };

  constructor(registry: ResourceRegistry, groups: readonly ApiGroup[], version: string) {
    this.#registry = registry;
    this.#groups = groups;
    this.#version = version;
  }

  /** Throws NotFound or MethodNotAllowed. */
  serve(request: ApiRequest, segments: readonly string[]): ApiResponse {
    const answer = this.#answer(request, segments);
    if (!answer) {
      if (segments[0] === "api") throw pathNotFound();
      return pageNotFound;
    }
    if (request.method !== "GET") throw methodNotAllowed();
    return answer;
  }

  #answer(request: ApiRequest, [root = "", ...rest]: readonly string[]): ApiResponse | undefined {
    if (healthPaths.has(root)) return text("ok");
    if (root === "version" && rest.length === 0) return json(versionInfo(this.#version));
    if (root === "openapi") return this.#openApi(request, rest);
    if (root === "api" || root === "apis") return this.#discovery(request, root === "api", rest);
    return undefined;
  }

  #discovery({ headers }: ApiRequest, core: boolean, rest: readonly string[]): ApiResponse | undefined {
    const { catalogue } = this.#current();
    if (rest.length === 0) {
      if (wantsAggregatedDiscovery(headers.accept))
        return json(aggregatedDiscovery(catalogue, core), { "content-type": AGGREGATED_TYPE });
      return json(core ? coreVersions("") : groupList(catalogue));
    }
    const [name, version, ...more] = core ? ["", ...rest] : rest;
    const group = catalogue.find((each) => each.group === name);
    if (!group || more.length > 0) return undefined;
    if (version === undefined) return json(groupDocument(group));
    const found = group.versions.find((each) => each.version === version);
    return found && json(resourceList(group.group, found));
  }

  #openApi({ headers }: ApiRequest, [version, ...rest]: readonly string[]): ApiResponse | undefined {
    if (version === "v2" && rest.length === 0) return openApiVersion2(headers.accept);
    if (version !== "v3") return undefined;
    const current = this.#current();
    current.openApi ??= openApiDocuments(this.#openApiResources(), this.#groups);
    if (rest.length === 0) {
      const paths = [...current.openApi].map(([path, { hash }]): [string, JsonObject] => [
        path,
        { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` },
      ]);
      return json({ paths: Object.fromEntries(paths) });
    }
    const document = current.openApi.get(rest.join("/"));
    if (!document) return undefined;
    return {
      type: "bytes",
      status: 200,
      contentType: "application/json",
      headers: { etag: `"${document.hash}"`, "cache-control": "no-cache, private" },
      body: document.bytes,
    };
  }

  #openApiResources() {
    return [...this.#registry.all().map(({ definition }) => definition), ...reviews.map(reviewDefinition)];
  }

  #current() {
    const { generation } = this.#registry;
    if (this.#made.generation !== generation) {
      const others = reviews.map(({ group, version, kind, plural, namespaced }) => ({
        group,
        version,
        entries: [{ name: plural, singularName: kind.toLowerCase(), namespaced, kind, verbs: ["create"] }],
      }));
      this.#made = { generation, catalogue: catalogueOf(this.#registry.all(), this.#groups, others) };
    }
    return this.#made;
  }
}

const json = (value: JsonObject, headers?: JsonResponse["headers"]): JsonResponse => ({
  type: "json",
  status: 200,
  ...(headers && { headers }),
  value,
});

const text = (body: string): BytesResponse => ({
  type: "bytes",
  status: 200,
  contentType: "text/plain; charset=utf-8",
  headers: { "x-content-type-options": "nosniff" },
  body: new TextEncoder().encode(body),
});
