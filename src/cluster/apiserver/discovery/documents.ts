/** The discovery documents of the API, from the catalogue. */
import type { JsonObject } from "#api/meta/json.ts";
import type { CatalogueEntry, CatalogueGroup, CatalogueVersion } from "./catalogue.ts";

const CORE = "";

/** `/api`, for clients without aggregated discovery. */
export const coreVersions = (address: string): JsonObject => ({
  kind: "APIVersions",
  versions: ["v1"],
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
});

/** `/apis`, for clients without aggregated discovery. */
export function groupList(groups: readonly CatalogueGroup[]): JsonObject {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.filter(({ group }) => group !== CORE).map(groupBody),
  };
}

/** `/apis/GROUP` */
export const groupDocument = (group: CatalogueGroup): JsonObject => ({
  kind: "APIGroup",
  apiVersion: "v1",
  ...groupBody(group),
});

function groupBody({ group, versions }: CatalogueGroup): JsonObject {
  const named = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: named, preferredVersion: named[0] as JsonObject };
}

/** `/api/v1`, `/apis/GROUP/VERSION` */
export function resourceList(group: string, { version, entries }: CatalogueVersion): JsonObject {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: group ? `${group}/${version}` : version,
    resources: entries.map(({ name, singularName, namespaced, kind, verbs, shortNames, categories, requestKind }) => ({
      name,
      singularName,
      namespaced,
      ...requestKind,
      kind,
      verbs,
      ...(shortNames?.length && { shortNames }),
      ...(categories?.length && { categories }),
    })),
  };
}

export const AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** `/api` or `/apis` with all resources in one document (`apidiscovery.k8s.io/v2`). */
export function aggregatedDiscovery(groups: readonly CatalogueGroup[], core: boolean): JsonObject {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups
      .filter(({ group }) => (group === CORE) === core)
      .map(({ group, versions }) => ({
        metadata: { ...(group && { name: group }) },
        versions: versions.map(({ version, entries }) => ({
          version,
          resources: aggregatedResources(group, version, entries),
          freshness: "Current",
        })),
      })),
  };
}

function aggregatedResources(
  group: string,
  version: string,
  entries: readonly CatalogueEntry[],
): readonly JsonObject[] {
  const own = { group, version };
  const kindOf = ({ requestKind, kind }: CatalogueEntry): JsonObject => requestKind ?? { ...own, kind };
  return entries
    .filter(({ name }) => !name.includes("/"))
    .map((entry) => {
      const { name, singularName, namespaced, verbs, shortNames, categories } = entry;
      const subresources = entries
        .filter((each) => each.name.startsWith(`${name}/`))
        .map((each) => ({
          subresource: each.name.slice(name.length + 1),
          responseKind: kindOf(each),
          verbs: each.verbs,
        }));
      return {
        resource: name,
        responseKind: kindOf(entry),
        scope: namespaced ? "Namespaced" : "Cluster",
        singularResource: singularName,
        verbs,
        ...(shortNames?.length && { shortNames }),
        ...(categories?.length && { categories }),
        ...(subresources.length > 0 && { subresources }),
      };
    });
}
