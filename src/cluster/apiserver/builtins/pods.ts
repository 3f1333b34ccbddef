/** core/v1 Pod: defaults, what may change, and a deletion that gives the containers time to end. */
import type { JsonObject } from "#api/meta/json.ts";
import { markedForDeletion } from "../metadata/lifecycle.ts";
import { metaOf, objectAt, textAt } from "../resources/object-fields.ts";
import type { DeleteRequest, ResourceRules } from "../resources/served-resource.ts";
import { qosClassOf, withPodDefaults } from "./pod-defaults.ts";
import { podFaults } from "./pod-validation.ts";
import { builtinRules } from "./rule-defaults.ts";

export const podRules: ResourceRules = {
  ...builtinRules,
  hasGeneration: true,
  answersDeleted: true,
  defaults: withPodDefaults,
  prepareCreate: (object) => ({ ...object, status: { phase: "Pending", qosClass: qosClassOf(object) } }),
  validate: podFaults,
  selectableFields: {
    "spec.nodeName": (object) => textAt(object, "spec", "nodeName"),
    "spec.restartPolicy": (object) => textAt(object, "spec", "restartPolicy"),
    "spec.schedulerName": (object) => textAt(object, "spec", "schedulerName"),
    "spec.serviceAccountName": (object) => textAt(object, "spec", "serviceAccountName"),
    "spec.hostNetwork": (object) => String(objectAt(object, "spec").hostNetwork === true),
    "status.phase": (object) => textAt(object, "status", "phase"),
    "status.podIP": (object) => textAt(object, "status", "podIP"),
    "status.nominatedNodeName": (object) => textAt(object, "status", "nominatedNodeName"),
  },
  deletion: (object, request, now) => {
    const seconds = graceOf(object, request);
    if (seconds === 0) return { step: "remove" };
    const marked = markedForDeletion(object, seconds, now);
    return marked === object ? { step: "wait" } : { step: "mark", object: marked };
  },
};

/** Nobody has to stop a pod that runs nowhere, or no more. */
function graceOf(pod: JsonObject, { gracePeriodSeconds }: DeleteRequest): number {
  if (metaOf(pod).deletionTimestamp && gracePeriodSeconds === undefined)
    return metaOf(pod).deletionGracePeriodSeconds ?? 0;
  const { nodeName, terminationGracePeriodSeconds: own } = objectAt(pod, "spec");
  const { phase } = objectAt(pod, "status");
  if (!nodeName || phase === "Succeeded" || phase === "Failed") return 0;
  return gracePeriodSeconds ?? (typeof own === "number" ? own : 30);
}
