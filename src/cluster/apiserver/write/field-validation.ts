/** Unknown and repeated members of a body: refused, told, or passed over, as the client asked (`fieldValidation`). */
import { type FieldError, invalid } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { badRequest, invalidObject, type StatusError } from "#api/meta/status.ts";
import type { FieldValidation } from "../request/options.ts";
import type { ResourceDefinition } from "../resource-definition.ts";

export interface FieldPolicy {
  readonly validation: FieldValidation;
  readonly warnings: Set<string>;
  /** The patch as sent, when there is one: the refusal then names it. */
  readonly patch?: { readonly name: string; readonly text: () => string };
}

/** The object with only the members its schema knows. Throws under Strict when there were others. */
export function pruned(
  definition: ResourceDefinition,
  object: JsonObject,
  policy: FieldPolicy,
  duplicates: readonly string[] = [],
): JsonObject {
  const result = definition.schema.prune(object);
  const faults = [
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...result.unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
  if (faults.length > 0 && policy.validation === "Strict") throw strictError(definition, faults, policy);
  if (policy.validation === "Warn") for (const fault of faults) policy.warnings.add(fault);
  return result.object;
}

/** A typed server cannot even read a built-in object with a value of a wrong type; nothing when there is none among the faults. */
export function undecodable(
  { custom, kind, version }: ResourceDefinition,
  faults: readonly FieldError[],
): StatusError | undefined {
  const fault = custom ? undefined : faults.find(({ reason }) => reason === "FieldValueTypeInvalid");
  return (
    fault && badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${fault.field}: ${fault.body}`)
  );
}

function strictError({ group, version, kind }: ResourceDefinition, faults: readonly string[], { patch }: FieldPolicy) {
  const why = `strict decoding error: ${faults.join(", ")}`;
  return patch
    ? invalidObject(group, kind, patch.name, [invalid("patch", patch.text(), why)])
    : badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}
