/** The built-in kinds that this server keeps, as data. */
import type { Objects } from "../store/objects.ts";
import {
  configMapRules,
  disruptionBudgetRules,
  leaseRules,
  nodeRules,
  secretRules,
  serviceRules,
} from "./builtins/config.ts";
import { DEFINITIONS, definitionRules } from "./builtins/definitions.ts";
import { coreEventRules, groupEventRules, groupEventView } from "./builtins/events.ts";
import { namespaceRules } from "./builtins/namespaces.ts";
import { podRules } from "./builtins/pods.ts";
import { builtinRules } from "./builtins/rule-defaults.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import {
  collectionOf,
  type ResourceRules,
  type ResourceView,
  type ServedResource,
} from "./resources/served-resource.ts";
import { builtinSchema } from "./schema/builtin.ts";
import { builtinColumns } from "./table/builtin-columns.ts";

interface Row {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly clusterScoped?: boolean;
  readonly status?: boolean;
  /** The published definition; by default that of the group's package. */
  readonly schema: string;
  readonly rules: ResourceRules;
  readonly collection?: string;
  readonly view?: ResourceView;
}

const core = (kind: string): string => `io.k8s.api.core.v1.${kind}`;
const all = ["all"];

const rowsOn = (objects: Objects): readonly Row[] => [
  {
    group: "",
    kind: "Namespace",
    plural: "namespaces",
    short: ["ns"],
    clusterScoped: true,
    status: true,
    schema: core("Namespace"),
    rules: namespaceRules,
  },
  {
    group: "",
    kind: "Pod",
    plural: "pods",
    short: ["po"],
    categories: all,
    status: true,
    schema: core("Pod"),
    rules: podRules,
  },
  {
    group: "",
    kind: "Node",
    plural: "nodes",
    short: ["no"],
    clusterScoped: true,
    status: true,
    schema: core("Node"),
    rules: nodeRules,
  },
  { group: "", kind: "Event", plural: "events", short: ["ev"], schema: core("Event"), rules: coreEventRules },
  {
    group: "events.k8s.io",
    kind: "Event",
    plural: "events",
    short: ["ev"],
    schema: "io.k8s.api.events.v1.Event",
    rules: groupEventRules,
    collection: "/events",
    view: groupEventView,
  },
  {
    group: "",
    kind: "ConfigMap",
    plural: "configmaps",
    short: ["cm"],
    schema: core("ConfigMap"),
    rules: configMapRules,
  },
  { group: "", kind: "Secret", plural: "secrets", schema: core("Secret"), rules: secretRules },
  {
    group: "",
    kind: "ServiceAccount",
    plural: "serviceaccounts",
    short: ["sa"],
    schema: core("ServiceAccount"),
    rules: { ...builtinRules, answersDeleted: true },
  },
  {
    group: "",
    kind: "Service",
    plural: "services",
    short: ["svc"],
    categories: all,
    status: true,
    schema: core("Service"),
    rules: serviceRules,
  },
  { group: "", kind: "Endpoints", plural: "endpoints", short: ["ep"], schema: core("Endpoints"), rules: builtinRules },
  {
    group: "coordination.k8s.io",
    kind: "Lease",
    plural: "leases",
    schema: "io.k8s.api.coordination.v1.Lease",
    rules: leaseRules,
  },
  {
    group: "policy",
    kind: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
    short: ["pdb"],
    status: true,
    schema: "io.k8s.api.policy.v1.PodDisruptionBudget",
    rules: disruptionBudgetRules,
  },
  {
    group: "apiextensions.k8s.io",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    short: ["crd", "crds"],
    categories: ["api-extensions"],
    clusterScoped: true,
    status: true,
    schema: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    rules: definitionRules(() => objects.list(DEFINITIONS).map(({ object }) => object)),
  },
];

/** Fresh descriptions of all built-ins. `objects`: for the rules that hold between objects. */
export function builtinResources(objects: Objects): readonly ServedResource[] {
  return rowsOn(objects).map((row) => ({
    definition: definitionOf(row),
    collection: row.collection ?? collectionOf(row.group, row.plural),
    rules: row.rules,
    view: row.view,
  }));
}

function definitionOf(row: Row): ResourceDefinition {
  return {
    group: row.group,
    version: "v1",
    kind: row.kind,
    listKind: `${row.kind}List`,
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    namespaced: !row.clusterScoped,
    schema: builtinSchema(row.schema),
    columns: builtinColumns(row.group, row.plural),
    subresources: { status: row.status === true },
    custom: false,
  };
}
