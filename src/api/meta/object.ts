/** Types every Kubernetes object shares (apimachinery `meta/v1`). All are read-only: change a copy. */
import type { JsonObject } from "./json.ts";

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Opaque to clients; in the embedded cluster a decimal sequence number. */
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339, UTC, whole seconds. */
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Any stored object, of a kind known or not. */
export interface KubeObject extends TypeMeta {
  readonly metadata: ObjectMeta;
}

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface KubeList<T> extends TypeMeta {
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

export interface WatchEvent<T = JsonObject> {
  readonly type: WatchEventType;
  readonly object: T;
}

/** `namespace/name`, or `name` alone for cluster-scoped objects: the key of caches and work queues. */
export function objectKey(object: { readonly metadata: ObjectMeta }): string {
  const { namespace, name = "" } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}

/** Splits a key made by `objectKey`. */
export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { namespace: "", name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The owner reference that says `controller: true`, if there is one. */
export function controllerOf(object: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** True when `object` is controlled by the very object `owner` (same UID, not just the same name). */
export function isControlledBy(
  object: { readonly metadata: ObjectMeta },
  owner: { readonly metadata: ObjectMeta },
): boolean {
  return owner.metadata.uid !== undefined && controllerOf(object)?.uid === owner.metadata.uid;
}
