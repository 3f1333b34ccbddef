/** apiextensions.k8s.io/v1 CustomResourceDefinition: kept until the last of its objects is gone. */
import type { JsonObject } from "#api/meta/json.ts";
import { definitionDefaults, definitionFaults, definitionStatus } from "../crd/crd-strategy.ts";
import { metaOf, withMeta } from "../resources/object-fields.ts";
import type { ResourceRules } from "../resources/served-resource.ts";
import { builtinRules } from "./rule-defaults.ts";

/** Holds a definition until its objects are deleted. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

export const definitionRules: ResourceRules = {
  ...builtinRules,
  hasGeneration: true,
  defaults: definitionDefaults,
  prepareCreate: (object, now) => withCleanup({ ...object, status: definitionStatus(object, undefined, now) }),
  prepareUpdate: (object, old, now) => {
    const updated = { ...object, status: definitionStatus(object, old, now) };
    return metaOf(old).deletionTimestamp ? updated : withCleanup(updated);
  },
  validate: definitionFaults,
};

function withCleanup(object: JsonObject): JsonObject {
  const { finalizers = [] } = metaOf(object);
  return finalizers.includes(CLEANUP_FINALIZER)
    ? object
    : withMeta(object, { finalizers: [...finalizers, CLEANUP_FINALIZER] });
}
