import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { ConfigMap, Secret } from "./config.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import type { PodDisruptionBudget } from "./disruption-budget.ts";
import type { Event } from "./event.ts";
import type { Lease } from "./lease.ts";
import type { Namespace } from "./namespace.ts";
import type { Node } from "./node.ts";
import type { Pod } from "./pod.ts";

/** Built-in types hold no `bigint`: their JSON is the object. */
function builtIn<T extends KubeObject>(
  group: string,
  kind: string,
  plural: string,
  namespaced: boolean,
): ResourceType<T> {
  return { group, version: "v1", kind, plural, namespaced, decode: (json) => json as unknown as T };
}

export const PODS = builtIn<Pod>("", "Pod", "pods", true);
export const NODES = builtIn<Node>("", "Node", "nodes", false);
export const NAMESPACES = builtIn<Namespace>("", "Namespace", "namespaces", false);
export const EVENTS = builtIn<Event>("", "Event", "events", true);
export const CONFIG_MAPS = builtIn<ConfigMap>("", "ConfigMap", "configmaps", true);
export const SECRETS = builtIn<Secret>("", "Secret", "secrets", true);
export const SERVICE_ACCOUNTS = builtIn<KubeObject>("", "ServiceAccount", "serviceaccounts", true);
export const DISRUPTION_BUDGETS = builtIn<PodDisruptionBudget>(
  "policy",
  "PodDisruptionBudget",
  "poddisruptionbudgets",
  true,
);
export const LEASES = builtIn<Lease>("coordination.k8s.io", "Lease", "leases", true);
export const CUSTOM_RESOURCE_DEFINITIONS = builtIn<CustomResourceDefinition>(
  "apiextensions.k8s.io",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  false,
);
