/** Reading an admitted object: its quantities in canonical form, and nothing in it that its type cannot hold. */
import type { TSchema } from "typebox";
import { TemplateMetadata } from "#api/agones/gameserver.ts";
import { withTemplates } from "#api/agones/structural-schema.ts";
import { typeFault } from "#api/agones/type-fault.ts";
import { canonicalQuantities } from "#api/core/quantities.ts";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";

/** The object does not fit its type. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly code = "DecodeError";
}

/** Gives the object back with canonical quantities; throws `DecodeError`, its message after `prefix`. */
export type Reader = (json: JsonObject, prefix?: string) => JsonObject;

/**
 * Made once for each kind: the schemas are large.
 *
 * @param status none where the kind has a status of its own, which the API server drops from what is written here
 * @param podTemplate where the pod template stands, if there is one
 * @param required members without which the object is not read, besides its metadata
 */
export function createReader(
  spec: TSchema,
  status: TSchema | undefined,
  podTemplate?: readonly string[],
  required: readonly string[] = [],
): Reader {
  const schema = withTemplates({
    type: "object",
    required: ["metadata", ...required],
    properties: { metadata: TemplateMetadata, spec, ...(status && { status }) },
  } as unknown as JsonObject);
  return (json, prefix = "") => {
    const read = podTemplate ? changedAt(json, podTemplate, canonicalQuantities) : json;
    const fault = typeFault(schema, read);
    if (fault !== undefined) throw new DecodeError(`${prefix}${fault}`);
    return read;
  };
}

/** Changes the object at the end of the path, where there is one; the same object when nothing changed. */
function changedAt(
  object: JsonObject,
  [name, ...rest]: readonly string[],
  change: (object: JsonObject) => JsonObject,
): JsonObject {
  if (name === undefined) return change(object);
  const before = object[name];
  if (!isJsonObject(before)) return object;
  const after = changedAt(before, rest, change);
  return after === before ? object : { ...object, [name]: after };
}
