/** The built-in resources that Stadion reads or writes, described as a client needs them. */
import type { JsonObject } from "../meta/json.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ConfigMap, Secret } from "./config.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import type { Event } from "./event.ts";
import type { Lease } from "./lease.ts";
import type { Namespace } from "./namespace.ts";
import type { Node } from "./node.ts";
import type { Pod } from "./pod.ts";

/** A resource of an API server; the shape that `kube` calls a resource type. */
interface Resource<T extends KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly decode: (json: JsonObject) => T;
}

/** Built-in types hold no `bigint`: their JSON is the object. */
function builtIn<T extends KubeObject>(group: string, kind: string, plural: string, namespaced: boolean): Resource<T> {
  return { group, version: "v1", kind, plural, namespaced, decode: (json) => json as unknown as T };
}

export const PODS = builtIn<Pod>("", "Pod", "pods", true);
export const NODES = builtIn<Node>("", "Node", "nodes", false);
export const NAMESPACES = builtIn<Namespace>("", "Namespace", "namespaces", false);
export const EVENTS = builtIn<Event>("", "Event", "events", true);
export const CONFIG_MAPS = builtIn<ConfigMap>("", "ConfigMap", "configmaps", true);
export const SECRETS = builtIn<Secret>("", "Secret", "secrets", true);
export const LEASES = builtIn<Lease>("coordination.k8s.io", "Lease", "leases", true);
export const CUSTOM_RESOURCE_DEFINITIONS = builtIn<CustomResourceDefinition>(
  "apiextensions.k8s.io",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  false,
);
