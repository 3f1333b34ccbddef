/** What discovery says is served: stored resources with their subresources, reviews, and groups with handlers of their own. */
import type { ApiGroup, DiscoveredResource } from "#api/meta/admission.ts";
import type { ServedResource } from "../resources/served-resource.ts";
import { compareVersions } from "./version-order.ts";

/** A resource or subresource; `name` of a subresource is `pods/status`. */
export interface CatalogueEntry extends DiscoveredResource {
  /** What requests carry, where it is not the version's own kind: `autoscaling/v1 Scale`. */
  readonly requestKind?: { readonly group: string; readonly version: string; readonly kind: string };
}

export interface CatalogueVersion {
  readonly version: string;
  readonly entries: readonly CatalogueEntry[];
}

export interface CatalogueGroup {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly CatalogueVersion[];
}

export const STORED_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const SUBRESOURCE_VERBS = ["get", "patch", "update"];

const policyEviction = { group: "policy", version: "v1", kind: "Eviction" };
const autoscalingScale = { group: "autoscaling", version: "v1", kind: "Scale" };

/** Subresources of built-ins besides status. */
const builtinSubresources: Readonly<Record<string, readonly CatalogueEntry[]>> = {
  pods: [
    subresource("pods/binding", "Binding", true, ["create"]),
    subresource("pods/eviction", "Eviction", true, ["create"], policyEviction),
    subresource("pods/log", "Pod", true, ["get"]),
  ],
  namespaces: [subresource("namespaces/finalize", "Namespace", false, ["update"])],
};

function subresource(
  name: string,
  kind: string,
  namespaced: boolean,
  verbs: readonly string[],
  requestKind?: CatalogueEntry["requestKind"],
): CatalogueEntry {
  return { name, singularName: "", namespaced, kind, verbs, requestKind };
}

export function entriesOf({ definition, rules }: ServedResource): readonly CatalogueEntry[] {
  const { plural, singular, namespaced, kind, shortNames, categories, subresources, group } = definition;
  const verbs = rules.oneByOne ? STORED_VERBS.filter((verb) => verb !== "deletecollection") : STORED_VERBS;
  return [
    { name: plural, singularName: singular, namespaced, kind, verbs, shortNames, categories },
    ...(subresources.status ? [subresource(`${plural}/status`, kind, namespaced, SUBRESOURCE_VERBS)] : []),
    ...(subresources.scale
      ? [subresource(`${plural}/scale`, "Scale", namespaced, SUBRESOURCE_VERBS, autoscalingScale)]
      : []),
    ...(group === "" ? (builtinSubresources[plural] ?? []) : []),
  ];
}

export interface GroupedEntries {
  readonly group: string;
  readonly version: string;
  readonly entries: readonly CatalogueEntry[];
}

/** All groups, the core group (`""`) first, then by name; versions in order of preference. */
export function catalogueOf(
  stored: readonly ServedResource[],
  apiGroups: readonly ApiGroup[],
  others: readonly GroupedEntries[],
): readonly CatalogueGroup[] {
  const groups = new Map<string, Map<string, CatalogueEntry[]>>();
  const add = ({ group, version, entries }: GroupedEntries) => {
    const versions = groups.get(group) ?? new Map<string, CatalogueEntry[]>();
    groups.set(group, versions);
    versions.set(version, [...(versions.get(version) ?? []), ...entries]);
  };
  for (const resource of stored) add({ ...resource.definition, entries: entriesOf(resource) });
  for (const each of others) add(each);
  for (const { group, version, resources } of apiGroups) add({ group, version, entries: resources });
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, entries]) => ({ version, entries: entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)) })),
    }));
}
