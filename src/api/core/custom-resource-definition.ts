/** apiextensions.k8s.io/v1 CustomResourceDefinition. */
import type { JsonObject } from "../meta/json.ts";
import type { KubeObject } from "../meta/object.ts";

interface CustomResourceNames {
  readonly plural: string;
  /** Defaults to the lower-case kind. */
  readonly singular?: string;
  readonly kind: string;
  /** Defaults to `<kind>List`. */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface CustomResourceColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 are shown in wide output only. */
  readonly priority?: number;
}

export interface CustomResourceVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  /** A structural schema (OpenAPI v3). */
  readonly schema?: { readonly openAPIV3Schema?: JsonObject };
  readonly subresources?: {
    readonly status?: Readonly<Record<string, never>>;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly CustomResourceColumn[];
}

interface CustomResourceCondition {
  readonly type: "Established" | "NamesAccepted" | "NonStructuralSchema" | "Terminating";
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: CustomResourceNames;
    readonly versions: readonly CustomResourceVersion[];
    readonly preserveUnknownFields?: boolean;
  };
  readonly status?: {
    readonly acceptedNames?: CustomResourceNames;
    readonly conditions?: readonly CustomResourceCondition[];
    readonly storedVersions?: readonly string[];
  };
}
