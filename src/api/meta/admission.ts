/** Admission and API groups as pure values: the rooms above write functions of these types, `bin/` plugs them in. */
import type { ApiRequest, ApiResponse, UserInfo } from "./exchange.ts";
import type { JsonObject } from "./json.ts";
import type { JsonPatchOperation } from "./patch/json-patch.ts";
import type { Status } from "./status.ts";

export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The `request` of an AdmissionReview (admission.k8s.io/v1), the fields that are used. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: AdmissionOperation;
  readonly userInfo: UserInfo;
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly dryRun?: boolean;
}

/** The `response` of an AdmissionReview; `patch` is applied before schema validation. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly status?: Status;
  readonly patch?: readonly JsonPatchOperation[];
  readonly warnings?: readonly string[];
}

export type Admit = (request: AdmissionRequest) => AdmissionResponse | Promise<AdmissionResponse>;

/** Which writes a plugin sees: main resources only, as the webhook rules of Agones say. */
export interface AdmissionRule {
  readonly group: string;
  /** Plural name. */
  readonly resource: string;
  readonly operations: readonly AdmissionOperation[];
}

/** One side of a plugin. */
export interface AdmissionStep {
  /** What refusals call it, and what it is registered as with a Kubernetes API server; the plugin's name by default. */
  readonly webhook?: string;
  readonly rules: readonly AdmissionRule[];
  readonly admit: Admit;
}

/**
 * An admission plugin. Order of a write: prune and schema defaults, `mutate` of all plugins by name, defaults again,
 * schema validation, `validate` of all plugins, commit.
 */
export interface AdmissionPlugin {
  readonly name: string;
  readonly mutate?: AdmissionStep;
  readonly validate?: AdmissionStep;
}

/** One resource in a discovery document (`APIResource` of meta/v1). */
export interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** An API group served by a handler of ours rather than by the store: discovery, OpenAPI and requests. */
export interface ApiGroup {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly DiscoveredResource[];
  /** The group's OpenAPI v3 document (`/openapi/v3/apis/GROUP/VERSION`). */
  openApi(): JsonObject;
  /** Answers every request below `/apis/GROUP/VERSION/` that is not discovery. */
  handle(request: ApiRequest): Promise<ApiResponse>;
}
