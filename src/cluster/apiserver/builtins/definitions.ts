/** apiextensions.k8s.io/v1 CustomResourceDefinition: kept until the last of its objects is gone. */
import type { JsonObject } from "#api/meta/json.ts";
import { rfc3339 } from "#runtime/clock.ts";
import { defaultDefinition, definitionWarnings, validateDefinition } from "../crd/crd-strategy.ts";
import { withNamesStatus } from "../crd/names-status.ts";
import { metaOf, withMember, withMeta } from "../resources/object-fields.ts";
import type { ResourceRules } from "../resources/served-resource.ts";
import { builtinRules } from "./rule-defaults.ts";

export const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";

/** Holds a definition until its objects are deleted. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** `stored`: all definitions there are; names that one holds are not given to another. */
export function definitionRules(stored: () => readonly JsonObject[]): ResourceRules {
  return {
    ...builtinRules,
    hasGeneration: true,
    defaults: defaultDefinition,
    prepareCreate: (object, now) =>
      withCleanup(withNamesStatus(withMember(object, "status", undefined), stored(), rfc3339(now))),
    prepareUpdate: (object, old, now) => {
      const updated = withNamesStatus(object, stored(), rfc3339(now));
      return metaOf(old).deletionTimestamp ? updated : withCleanup(updated);
    },
    validate: validateDefinition,
    warnings: definitionWarnings,
  };
}

function withCleanup(object: JsonObject): JsonObject {
  const { finalizers = [] } = metaOf(object);
  return finalizers.includes(CLEANUP_FINALIZER)
    ? object
    : withMeta(object, { finalizers: [...finalizers, CLEANUP_FINALIZER] });
}
