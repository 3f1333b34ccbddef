import type { JsonObject } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";

/** A resource of an API server, and how its JSON becomes a typed object. */
export interface ResourceType<T extends KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Turns wire JSON into the type: int64 fields become `bigint`. Never throws on unknown members; they are kept. */
  readonly decode: (json: JsonObject) => T;
}

/** `agones.dev/v1`, or `v1` in the core group. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group ? `${group}/${version}` : version;
}

/** The path of a collection (all namespaces when `namespace` is absent), of an object in it, or of its subresource. */
export function pathOf(
  type: ResourceType<KubeObject>,
  namespace?: string,
  name?: string,
  subresource?: string,
): string {
  const base = type.group ? `/apis/${type.group}/${type.version}` : `/api/${type.version}`;
  const scope = type.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const tail = name === undefined ? "" : `/${encodeURIComponent(name)}${subresource ? `/${subresource}` : ""}`;
  return `${base}${scope}/${type.plural}${tail}`;
}
