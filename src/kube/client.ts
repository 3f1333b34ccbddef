import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import type { KubeList, KubeObject, WatchEvent } from "#api/meta/object.ts";
import type { JsonPatchOperation } from "#api/meta/patch/json-patch.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly signal?: AbortSignal;
}

export interface WatchOptions extends ListOptions {
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
}

export interface DeleteOptions {
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  /** Refuses with Conflict unless the stored object has this UID / version. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** All calls reject with `StatusError` (see `isNotFound`, `isConflict`, …) or `TransportError`. */
export interface Reader {
  get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): Promise<T>;
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<KubeList<T>>;
  watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
  ): Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
}

export type Patch =
  | { readonly type: "json"; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: "merge"; readonly patch: JsonObject }
  | { readonly type: "strategic"; readonly patch: JsonObject };

/** Writes answer with the stored object. `update` is a PUT guarded by the object's resourceVersion. */
export interface Writer {
  create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
  update<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    name: string,
    patch: Patch,
    subresource?: string,
  ): Promise<T>;
  delete<T extends KubeObject>(
    type: ResourceType<T>,
    namespace: string,
    name: string,
    options?: DeleteOptions,
  ): Promise<void>;
}

export interface StatusWriter {
  updateStatus<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T>;
}

export interface Client extends Reader, Writer, StatusWriter {
  /** Any other call: subresources with bodies of another kind, aggregated APIs. */
  raw(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: JsonValue): Promise<JsonValue>;
}
