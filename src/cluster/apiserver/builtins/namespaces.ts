/** core/v1 Namespace: a label with its own name, a finalizer that its content must be gone for, and a phase. */
import type { JsonObject } from "#api/meta/json.ts";
import { isDns1123Label } from "#api/meta/names.ts";
import { conflict, statusError } from "#api/meta/status.ts";
import { markedForDeletion } from "../metadata/lifecycle.ts";
import { metaOf, objectAt, textAt, withMember, withMeta } from "../resources/object-fields.ts";
import type { ResourceRules } from "../resources/served-resource.ts";
import { builtinRules } from "./rule-defaults.ts";

const NAME_LABEL = "kubernetes.io/metadata.name";

/** Made at start, in this order; the first two and the last hold the cluster together and cannot be deleted. */
export const SYSTEM_NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"] as const;
const undeletable: readonly string[] = ["default", "kube-system", "kube-public"];

export const namespaceRules: ResourceRules = {
  ...builtinRules,
  oneByOne: true,
  nameFaults: isDns1123Label,
  answersDeleted: true,
  defaults: (object) => {
    const { name, labels } = metaOf(object);
    return !name || labels?.[NAME_LABEL] === name
      ? object
      : withMeta(object, { labels: { ...labels, [NAME_LABEL]: name } });
  },
  // A generated name is known only here.
  prepareCreate: (object) => {
    const { name = "", labels } = metaOf(object);
    return {
      ...withMeta(object, { labels: { ...labels, [NAME_LABEL]: name } }),
      spec: { ...objectAt(object, "spec"), finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    };
  },
  prepareUpdate: (object, old) =>
    withMember(object, "spec", { ...objectAt(object, "spec"), finalizers: objectAt(old, "spec").finalizers }),
  selectableFields: {
    "status.phase": (object) => textAt(object, "status", "phase"),
    name: (object) => metaOf(object).name ?? "",
  },
  holds: (object) => contentFinalizers(object).length > 0,
  deletion: (object, _request, now) => {
    const { name = "", deletionTimestamp } = metaOf(object);
    if (undeletable.includes(name))
      throw statusError("Forbidden", `namespaces "${name}" is forbidden: this namespace may not be deleted`, {
        name,
        kind: "namespaces",
      });
    if (!deletionTimestamp) {
      const marked = markedForDeletion(object, 0, now);
      const status = { ...objectAt(object, "status"), phase: "Terminating" };
      return contentFinalizers(object).length > 0
        ? { step: "mark", object: { ...marked, status } }
        : { step: "remove" };
    }
    if (contentFinalizers(object).length === 0) return { step: "remove" };
    throw conflict(
      "",
      "namespaces",
      name,
      "The system is ensuring all content is removed from this namespace.  Upon completion, this namespace will automatically be purged by the system.",
    );
  },
};

function contentFinalizers(object: JsonObject): readonly unknown[] {
  const { finalizers } = objectAt(object, "spec");
  return Array.isArray(finalizers) ? finalizers : [];
}
