/** What all CustomResourceDefinitions of the project have in common: one version, served and stored, in namespaces. */
import type { TSchema } from "typebox";
import type { CustomResourceDefinition, CustomResourceVersion } from "../core/custom-resource-definition.ts";
import type { JsonObject } from "../meta/json.ts";
import { VERSION } from "./constants.ts";

export interface DefinitionNames {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames: readonly string[];
}

export function customResourceDefinition(
  { group, kind, plural, ...names }: DefinitionNames,
  version: Omit<CustomResourceVersion, "name" | "served" | "storage">,
): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, labels: { component: "crd" } },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, ...names },
      versions: [{ name: VERSION, served: true, storage: true, ...version }],
    },
  };
}

/** The schema of a whole object, before its marks are replaced. `description` says what the kind is. */
export function objectSchema(
  description: string,
  { spec, status }: { readonly spec: TSchema; readonly status?: TSchema },
  required: readonly string[] = [],
): JsonObject {
  const properties = {
    spec: { ...spec, description: "What is wanted." },
    ...(status && { status: { ...status, description: "What is." } }),
  };
  return { type: "object", description, properties, ...(required.length > 0 && { required }) } as unknown as JsonObject;
}
