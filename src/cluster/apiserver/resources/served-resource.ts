/** A resource as this server serves it: its description, where its objects are kept, and the rules its schema cannot say. */
import type { FieldError } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import type { StatusError } from "#api/meta/status.ts";
import type { ResourceDefinition } from "../resource-definition.ts";

/** Between what is stored and what one version shows; both leave their argument alone. */
export interface ResourceView {
  readonly read: (stored: JsonObject) => JsonObject;
  readonly write: (shown: JsonObject) => JsonObject;
}

export interface DeleteRequest {
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** What a deletion comes to before finalizers are looked at. */
export type DeletionStep =
  /** Store this version; the object goes later. */
  | { readonly step: "mark"; readonly object: JsonObject }
  /** Nothing to do: it is on its way. */
  | { readonly step: "wait" }
  /** Remove it, unless finalizers hold it. */
  | { readonly step: "remove" };

/** All functions are pure; `now` is in milliseconds since 1970. */
export interface ResourceRules {
  /** Why a name is not allowed, in Kubernetes' words; empty when it is. */
  readonly nameFaults: (name: string) => readonly string[];
  /** Objects carry `metadata.generation`, which counts changes outside metadata (and outside status, where that is a subresource). */
  readonly hasGeneration: boolean;
  /** A PUT without a resourceVersion is allowed. */
  readonly unconditionalUpdate: boolean;
  /** A deletion answers with the deleted object instead of a Status. */
  readonly answersDeleted?: boolean;
  /** A collection cannot be deleted at once. */
  readonly oneByOne?: boolean;
  /** On each write, after schema defaults: what Kubernetes' own code defaults. Must be idempotent. */
  readonly defaults?: (object: JsonObject) => JsonObject;
  readonly prepareCreate?: (object: JsonObject, now: number) => JsonObject;
  readonly prepareUpdate?: (object: JsonObject, old: JsonObject, now: number) => JsonObject;
  readonly validate?: (object: JsonObject, old: JsonObject | undefined) => readonly FieldError[];
  /** What a client should be told of an object that is accepted. */
  readonly warnings?: (object: JsonObject) => readonly string[];
  /** Fields that a field selector may name besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields?: Readonly<Record<string, (object: JsonObject) => string>>;
  /** Something besides finalizers and the grace period keeps an object that is being deleted. */
  readonly holds?: (object: JsonObject) => boolean;
  /** First say in a deletion. Throws a `StatusError` to refuse. */
  readonly deletion?: (object: JsonObject, request: DeleteRequest, now: number) => DeletionStep;
  /** A reason to refuse creations at present. */
  readonly refusesCreation?: () => StatusError | undefined;
}

export interface ServedResource {
  readonly definition: ResourceDefinition;
  /** `GROUP/PLURAL` in the store. */
  readonly collection: string;
  readonly rules: ResourceRules;
  /** Absent: objects are shown as they are stored. */
  readonly view?: ResourceView;
}

export const collectionOf = (group: string, plural: string): string => `${group}/${plural}`;

/** The key of an object in its collection. */
export const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ""}/${name}`;

export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group ? `${group}/${version}` : version;
}

export const shown = (resource: ServedResource, stored: JsonObject): JsonObject =>
  resource.view ? resource.view.read(stored) : stored;
