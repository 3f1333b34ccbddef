/** The scale subresource: an `autoscaling/v1` Scale over the paths that a definition names. */
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { badRequest } from "#api/meta/status.ts";
import type { ScalePaths } from "../resource-definition.ts";
import { asText, metaOf, objectAt } from "../resources/object-fields.ts";

const stepsOf = (path: string): readonly string[] => path.replace(/^\./, "").split(".");

function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  return stepsOf(path).reduce<JsonValue | undefined>(
    (value, step) => (isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    object,
  );
}

function withValueAt(object: JsonObject, [step, ...rest]: readonly string[], value: JsonValue): JsonObject {
  return {
    ...object,
    [step as string]: rest.length === 0 ? value : withValueAt(objectAt(object, step as string), rest, value),
  };
}

const countAt = (object: JsonObject, path: string): number => {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : 0;
};

/** The Scale of an object. */
export function scaleOf(object: JsonObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metaOf(object);
  const replicas = countAt(object, paths.specReplicasPath);
  const selector = paths.labelSelectorPath && valueAt(object, paths.labelSelectorPath);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: countAt(object, paths.statusReplicasPath),
      ...(typeof selector === "string" && { selector }),
    },
  };
}

/** The object with the replicas, and the preconditions, of a Scale. Throws BadRequest. */
export function scaledTo(object: JsonObject, scale: JsonObject, paths: ScalePaths): JsonObject {
  if (scale.kind !== undefined && scale.kind !== "Scale")
    throw badRequest(`a ${asText(scale.kind)} cannot be handled as a Scale`);
  const { resourceVersion, uid, name } = objectAt(scale, "metadata");
  const own = metaOf(object);
  if (name !== undefined && name !== own.name)
    throw badRequest(`the name of the object (${asText(name)}) does not match the name on the URL (${own.name})`);
  const replicas = objectAt(scale, "spec").replicas ?? 0;
  if (typeof replicas !== "number" || !Number.isInteger(replicas))
    throw badRequest('Scale in version "v1" cannot be handled as a Scale: spec.replicas must be a whole number');
  if (Math.abs(replicas) > 2 ** 31)
    throw badRequest('Scale in version "v1" cannot be handled as a Scale: spec.replicas must fit 32 bits');
  const scaled = withValueAt(object, stepsOf(paths.specReplicasPath), replicas);
  return {
    ...scaled,
    metadata: { ...objectAt(scaled, "metadata"), resourceVersion, ...(uid !== undefined && { uid }) },
  };
}
