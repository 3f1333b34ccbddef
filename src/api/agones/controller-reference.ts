import type { KubeObject, OwnerReference } from "../meta/object.ts";

/** The owner reference that makes `owner` the controller of another object; deletion of the owner waits for it. */
export function controllerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return {
    apiVersion,
    kind,
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}
