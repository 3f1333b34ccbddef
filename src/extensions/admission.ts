/**
 * Admission of our kinds and of their Pods: what is filled in and what is refused. Pure functions; the embedded API server
 * calls them in process, a webhook server over HTTPS.
 */
import { CloudProductError } from "#api/agones/cloud-product/cloud-product.ts";
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse, AdmissionRule } from "#api/meta/admission.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { diffJson } from "#api/meta/patch/json-diff.ts";
import { invalidObject, statusError } from "#api/meta/status.ts";
import { DecodeError } from "./admission-decode.ts";
import { type AgonesAdmissionOptions, createKinds, type KindAdmission, kindKey } from "./admission-kinds.ts";

export type { AgonesAdmissionOptions } from "./admission-kinds.ts";

const allowed: AdmissionResponse = { allowed: true };

/**
 * The plugin for our kinds and their Pods. Writes of other kinds and other operations than its rules name are allowed.
 * Compiling the types' schemas is done here, once.
 */
export function agonesAdmission(options: AgonesAdmissionOptions): AdmissionPlugin {
  const kinds = createKinds(options);
  const kindOf = ({ kind }: AdmissionRequest) => kinds.get(kindKey(kind));
  const rules = (when: "mutated" | "validated"): AdmissionRule[] =>
    [...kinds.values()].flatMap(({ group, resource, [when]: operations }) =>
      operations.length > 0 ? [{ group, resource, operations }] : [],
    );
  return {
    name: "agones",
    mutate: {
      webhook: "mutations.agones.dev",
      rules: rules("mutated"),
      admit: (request) => mutate(request, kindOf(request)),
    },
    validate: {
      webhook: "validations.agones.dev",
      rules: rules("validated"),
      admit: (request) => validate(request, kindOf(request)),
    },
  };
}

/** Fills defaults in and rewrites quantities. What cannot be read is let through as it is: the schema tells its faults better. */
function mutate(request: AdmissionRequest, kind: KindAdmission | undefined): AdmissionResponse {
  const { object, operation } = request;
  if (!object || !kind?.mutated.includes(operation)) return allowed;
  try {
    const patch = diffJson(object, kind.complete(kind.read(object), operation));
    return patch.length === 0 ? allowed : { allowed: true, patch };
  } catch (error) {
    if (error instanceof DecodeError) return allowed;
    if (error instanceof CloudProductError) return internalError(request, object, error.message);
    throw error;
  }
}

/** Refuses with 422 and every fault, and warns of what may be and can hardly be meant; with an internal error what the schema lets through and its type cannot hold. */
function validate(request: AdmissionRequest, kind: KindAdmission | undefined): AdmissionResponse {
  const { object, oldObject, operation } = request;
  if (!object || !kind?.validated.includes(operation)) return allowed;
  const { group, kind: name } = request.kind;
  try {
    const faults = operation === "UPDATE" ? kind.updateFaults(object, oldObject ?? {}) : kind.createFaults(object);
    if (faults.length === 0) return withWarnings(kind.warnings?.(object) ?? []);
    return { allowed: false, status: invalidObject(group, name, nameOf(request, object), faults).status };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return internalError(request, object, error.message);
  }
}

const withWarnings = (warnings: readonly string[]): AdmissionResponse =>
  warnings.length === 0 ? allowed : { allowed: true, warnings };

function internalError(request: AdmissionRequest, object: JsonObject, message: string): AdmissionResponse {
  const { group, kind } = request.kind;
  const causes = [{ reason: "InternalError", message }];
  const details = { name: nameOf(request, object), group, kind, causes };
  return { allowed: false, status: statusError("InternalError", message, details).status };
}

/** Empty while the API server has yet to make the name. */
function nameOf({ name }: AdmissionRequest, object: JsonObject): string {
  const metadata = object.metadata as { readonly name?: string } | undefined;
  return metadata?.name || name || "";
}
