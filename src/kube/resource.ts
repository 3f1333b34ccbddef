import type { KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";

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
