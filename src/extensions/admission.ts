/**
 * Admission of GameServers, GameServerSets and Fleets: what is filled in at creation and what is refused. Pure functions;
 * the embedded API server calls them in process, a webhook server over HTTPS.
 */
import { GROUP } from "#api/agones/constants.ts";
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse, AdmissionRule } from "#api/meta/admission.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { diffJson } from "#api/meta/patch/json-diff.ts";
import { invalidObject, statusError } from "#api/meta/status.ts";
import { DecodeError } from "./admission-decode.ts";
import { type AgonesAdmissionOptions, createKinds, type KindAdmission } from "./admission-kinds.ts";

export type { AgonesAdmissionOptions } from "./admission-kinds.ts";

const allowed: AdmissionResponse = { allowed: true };

/**
 * The plugin for the kinds of agones.dev. Writes of other kinds and other operations than its rules name are allowed.
 * Compiling the types' schemas is done here, once.
 */
export function agonesAdmission(options: AgonesAdmissionOptions): AdmissionPlugin {
  const kinds = createKinds(options);
  const kindOf = ({ kind }: AdmissionRequest) => (kind.group === GROUP ? kinds.get(kind.kind) : undefined);
  const rules = (when: "mutated" | "validated"): AdmissionRule[] =>
    [...kinds.values()].map(({ resource, [when]: operations }) => ({ group: GROUP, resource, operations }));
  return {
    name: "agones",
    mutate: { rules: rules("mutated"), admit: (request) => mutate(request, kindOf(request)) },
    validate: { rules: rules("validated"), admit: (request) => validate(request, kindOf(request)) },
  };
}

/** Fills defaults in and rewrites quantities. What cannot be read is let through as it is: the schema tells its faults better. */
function mutate({ object, operation }: AdmissionRequest, kind: KindAdmission | undefined): AdmissionResponse {
  if (!object || !kind?.mutated.includes(operation)) return allowed;
  try {
    const read = kind.read(object);
    const patch = diffJson(object, operation === "CREATE" ? kind.complete(read) : read);
    return patch.length === 0 ? allowed : { allowed: true, patch };
  } catch (error) {
    if (error instanceof DecodeError) return allowed;
    throw error;
  }
}

/** Refuses with 422 and every fault; with an internal error what the schema lets through and its type cannot hold. */
function validate(request: AdmissionRequest, kind: KindAdmission | undefined): AdmissionResponse {
  const { object, oldObject, operation } = request;
  if (!object || !kind?.validated.includes(operation)) return allowed;
  const { group, kind: name } = request.kind;
  try {
    const faults = operation === "UPDATE" ? kind.updateFaults(object, oldObject ?? {}) : kind.createFaults(object);
    if (faults.length === 0) return allowed;
    return { allowed: false, status: invalidObject(group, name, nameOf(request, object), faults).status };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const causes = [{ reason: "InternalError", message: error.message }];
    const details = { name: nameOf(request, object), group, kind: name, causes };
    return { allowed: false, status: statusError("InternalError", error.message, details).status };
  }
}

/** Empty while the API server has yet to make the name. */
function nameOf({ name }: AdmissionRequest, object: JsonObject): string {
  const metadata = object.metadata as { readonly name?: string } | undefined;
  return metadata?.name || name || "";
}
