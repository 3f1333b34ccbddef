/** Validation of metadata's content (apimachinery `ValidateObjectMeta`), with Kubernetes' paths and texts. */
import { child, type FieldError, forbidden, invalid, required } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { isLabelValue, isQualifiedName } from "#api/meta/names.ts";
import type { ObjectMeta, OwnerReference } from "#api/meta/object.ts";
import type { ResourceDefinition } from "../resource-definition.ts";
import { metaOf } from "../resources/object-fields.ts";
import type { ResourceRules } from "../resources/served-resource.ts";

/** All keys and values of the annotations together. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

export function metadataFaults(
  { namespaced }: ResourceDefinition,
  { nameFaults }: Pick<ResourceRules, "nameFaults">,
  object: JsonObject,
): FieldError[] {
  const meta = metaOf(object);
  const faults = nameAndPlaceFaults(meta, namespaced, nameFaults);
  if (meta.labels) faults.push(...labelFaults("metadata.labels", meta.labels));
  if (meta.annotations) faults.push(...annotationFaults(meta.annotations));
  if (meta.ownerReferences) faults.push(...ownerFaults(meta.ownerReferences));
  if (meta.finalizers) faults.push(...finalizerFaults(meta.finalizers));
  return faults;
}

function nameAndPlaceFaults(
  { name, generateName, namespace }: ObjectMeta,
  namespaced: boolean,
  nameFaults: ResourceRules["nameFaults"],
): FieldError[] {
  const faults: FieldError[] = [];
  if (generateName)
    // The suffix to come makes a trailing dash legal.
    for (const why of nameFaults(`${generateName.replace(/-$/, "")}${generateName.endsWith("-") ? "a" : ""}`))
      faults.push(invalid("metadata.generateName", generateName, why));
  if (name) for (const why of nameFaults(name)) faults.push(invalid("metadata.name", name, why));
  else faults.push(required("metadata.name", "name or generateName is required"));
  if (namespaced && !namespace) faults.push(required("metadata.namespace", ""));
  if (!namespaced && namespace) faults.push(forbidden("metadata.namespace", "not allowed on this type"));
  return faults;
}

/** Also for label maps elsewhere than in metadata. */
export function labelFaults(path: string, labels: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(labels).flatMap(([name, value]) => [
    ...isQualifiedName(name).map((why) => invalid(path, name, why)),
    ...isLabelValue(value).map((why) => invalid(path, value, why)),
  ]);
}

function annotationFaults(annotations: Readonly<Record<string, string>>): FieldError[] {
  const faults = Object.keys(annotations).flatMap((name) =>
    isQualifiedName(name.toLowerCase()).map((why) => invalid("metadata.annotations", name, why)),
  );
  const size = Object.entries(annotations).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  );
  if (size > ANNOTATIONS_MAX_BYTES)
    faults.push({
      field: "metadata.annotations",
      reason: "FieldValueTooLong",
      body: `Too long: may not be more than ${ANNOTATIONS_MAX_BYTES} bytes`,
    });
  return faults;
}

function ownerFaults(references: readonly OwnerReference[]): FieldError[] {
  const path = "metadata.ownerReferences";
  const faults = references.flatMap((reference) =>
    (["apiVersion", "kind", "name", "uid"] as const)
      .filter((member) => !reference[member])
      .map((member) =>
        invalid(child(path, member), "", member === "apiVersion" ? "version must not be empty" : "must not be empty"),
      ),
  );
  const controllers = references.filter(({ controller }) => controller === true);
  if (controllers.length > 1)
    faults.push(
      invalid(
        path,
        references,
        `Only one reference can have Controller set to true. Found "true" in references for ${controllers[0]?.name} and ${controllers[1]?.name}`,
      ),
    );
  return faults;
}

function finalizerFaults(finalizers: readonly string[]): FieldError[] {
  const path = "metadata.finalizers";
  const faults = finalizers.flatMap((name) => isQualifiedName(name).map((why) => invalid(path, name, why)));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion"))
    faults.push(invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  return faults;
}
