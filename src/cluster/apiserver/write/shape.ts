/** What the schema and Kubernetes' own defaults make of an object. */
import type { JsonObject } from "#api/meta/json.ts";
import type { StoredObject } from "../../store/objects.ts";
import { type ServedResource, shown } from "../resources/served-resource.ts";
import type { Written } from "./context.ts";

/** Schema defaults, then those that Kubernetes writes in code. */
export function withSchemaDefaults(resource: ServedResource, object: JsonObject): JsonObject {
  return withKubernetesDefaults(resource, resource.definition.schema.applyDefaults(object));
}

export function withKubernetesDefaults({ rules }: ServedResource, object: JsonObject): JsonObject {
  return rules.defaults ? rules.defaults(object) : object;
}

/** An object that admission may have changed: pruned and defaulted once more if it did. */
export function settledBy(resource: ServedResource, before: JsonObject, after: JsonObject): JsonObject {
  return after === before ? after : withSchemaDefaults(resource, resource.definition.schema.prune(after).object);
}

/** The answer to a write that committed `stored`. */
export function writtenFrom(resource: ServedResource, stored: StoredObject, created: boolean): Written {
  return {
    object: shown(resource, stored.object),
    ...(!resource.view && { encoded: stored.encoded }),
    created,
  };
}
