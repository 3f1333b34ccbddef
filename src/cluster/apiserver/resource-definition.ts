/** What the API server knows of one served resource; built-ins and custom resources are described alike. */
import type { FieldError } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";

/** A schema compiled for the three passes of a write and published for clients. All functions leave their input alone. */
export interface ObjectSchema {
  /** The OpenAPI v3 schema of the kind (with `x-kubernetes-group-version-kind`), as `/openapi/v3` shows it. */
  openApi(): JsonObject;
  /** Drops members the schema does not know; `unknown` lists their paths (`spec.foo`), in document order. Returns the same object when there were none. */
  prune(object: JsonObject): { readonly object: JsonObject; readonly unknown: readonly string[] };
  /** Fills schema defaults; the same object when nothing was missing. */
  applyDefaults(object: JsonObject): JsonObject;
  /**
   * All faults, with Kubernetes' own paths, reasons and texts. With the object before, what was wrong already and has not changed is no
   * fault: a schema that became stricter does not keep stored objects from being updated.
   */
  validate(object: JsonObject, old?: JsonObject): readonly FieldError[];
  /** Likewise of `status` alone; texts name what lies inside it. */
  validateStatus(object: JsonObject, old: JsonObject): readonly FieldError[];
}

/** One `additionalPrinterColumns` entry of a CRD. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** A cell and its column in a Table reply, for built-ins whose cells are computed rather than looked up. */
export interface TableColumn {
  readonly name: string;
  readonly type: PrinterColumn["type"];
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  /** `now`: milliseconds since 1970. */
  readonly cell: (object: JsonObject, now: number) => string | number | boolean | null;
}

/** The paths of a scale subresource, with the leading dot (`.spec.replicas`). */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly schema: ObjectSchema;
  readonly columns: readonly TableColumn[];
  readonly subresources: { readonly status: boolean; readonly scale?: ScalePaths };
  /** Custom resources refuse strategic merge patches and protobuf bodies. */
  readonly custom: boolean;
}
