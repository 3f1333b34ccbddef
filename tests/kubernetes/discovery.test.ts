/** What clients learn of what is served: discovery, aggregated discovery, OpenAPI, versions. */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { agree } from "./agreement/agree.ts";
import type { Session } from "./agreement/session.ts";

const OURS = ["agones.dev", "allocation.agones.dev", "autoscaling.agones.dev", "multicluster.agones.dev"];
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** What another server makes up for itself. */
const essential = ({ storageVersionHash: _, verbs, ...resource }: JsonObject): JsonObject => ({
  ...resource,
  verbs: (verbs as string[]).toSorted(),
});
const byName = (resources: readonly JsonObject[]): JsonObject[] =>
  resources.map(essential).toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1));

agree("the groups of our kinds", async (api) => {
  for (const group of OURS) {
    await api.get(`/apis/${group}`);
    const { resources = [], ...rest } = await api.quietly("GET", `/apis/${group}/v1`);
    api.note(group, { ...rest, resources: byName(resources as JsonObject[]) });
  }
  const { groups } = await api.quietly("GET", "/apis");
  api.note(
    "ours among all",
    (groups as JsonObject[]).filter(({ name }) => OURS.includes(String(name))),
  );
});

async function resourceOf(api: Session, path: string, name: string): Promise<void> {
  const { resources } = await api.quietly("GET", path);
  const found = (resources as JsonObject[]).filter((each) => [name, `${name}/status`].includes(String(each.name)));
  api.note(`${path} ${name}`, byName(found));
}

agree("built-in resources", async (api) => {
  for (const name of ["configmaps", "secrets", "events", "namespaces", "nodes", "serviceaccounts"])
    await resourceOf(api, "/api/v1", name);
  await resourceOf(api, "/apis/coordination.k8s.io/v1", "leases");
  await resourceOf(api, "/apis/apiextensions.k8s.io/v1", "customresourcedefinitions");
});

agree("aggregated discovery of our groups", async (api) => {
  const answer = await api.server.call("GET", "/apis", undefined, { accept: AGGREGATED });
  const { kind, apiVersion, items } = answer.body as { kind: JsonValue; apiVersion: JsonValue; items: JsonObject[] };
  const ours = items.filter(({ metadata }) => OURS.includes(String((metadata as JsonObject).name)));
  api.note("ours", { kind, apiVersion, contentType: answer.contentType, ours: ours.map(sorted) });
});

const ordered = (list: readonly JsonObject[], by: string): JsonObject[] =>
  list.toSorted((a, b) => (String(a[by]) < String(b[by]) ? -1 : 1));

/** Freshness comes and goes with the aggregator's polls; resources stand in no fixed order. */
function sorted(group: JsonObject): JsonObject {
  const versions = (group.versions as JsonObject[]).map(({ freshness: _, resources, ...version }) => ({
    ...version,
    resources: ordered(resources as JsonObject[], "resource").map(({ verbs, subresources = [], ...resource }) => ({
      ...resource,
      // Of the aggregated API's kind Kubernetes knows what its plain discovery says, which has no group in it.
      ...(resource.resource === "gameserverallocations" && { responseKind: null }),
      verbs: (verbs as string[]).toSorted(),
      subresources: ordered(subresources as JsonObject[], "subresource"),
    })),
  }));
  return { ...group, versions };
}

agree("the published schemas of our kinds", async (api) => {
  for (const group of ["agones.dev", "autoscaling.agones.dev", "multicluster.agones.dev"]) {
    const { components } = await api.quietly("GET", `/openapi/v3/apis/${group}/v1`);
    const { schemas } = components as { schemas: Record<string, JsonObject> };
    for (const [name, schema] of Object.entries(schemas))
      if (name.startsWith("dev.agones")) api.note(name, undescribed(schema));
  }
});

/** Sentences are each server's own. */
function undescribed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => undescribed(item));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value as JsonObject).filter(
    ([name, member]) => name !== "description" || typeof member !== "string",
  );
  return Object.fromEntries(members.map(([name, member]) => [name, undescribed(member ?? null)]));
}

agree("the operations of our kinds", async (api) => {
  const { paths } = await api.quietly("GET", "/openapi/v3/apis/agones.dev/v1");
  const operations = Object.entries(paths as Record<string, JsonObject>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) => [
        `${method} ${path}`,
        (operation as JsonObject)["x-kubernetes-action"] ?? null,
        (operation as JsonObject)["x-kubernetes-group-version-kind"] ?? null,
      ]),
  );
  api.note("operations", operations.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)) as JsonValue);
});
