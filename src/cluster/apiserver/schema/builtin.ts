/** Schemas of the built-in kinds, from the published definitions of Kubernetes. */
import { kubernetesSchema, kubernetesSchemaNames } from "#api/core/schemas.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { lazy } from "#api/meta/lazy.ts";
import type { ObjectSchema } from "../resource-definition.ts";
import { passesOf } from "./compile.ts";
import { QUANTITY } from "./format-checks.ts";
import { nodeOf, type SchemaContext, SchemaNode } from "./node.ts";
import { COMPONENTS } from "./published-schema.ts";

/** A built-in's schema, with the name its definition has in `/openapi/v3`. */
export interface BuiltinSchema extends ObjectSchema {
  readonly definitionName: string;
}

export const isBuiltinSchema = (schema: ObjectSchema): schema is BuiltinSchema => "definitionName" in schema;

const APIEXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";
const POD_SPEC = "io.k8s.api.core.v1.PodSpec";
const SCHEMA_PROPS = `${APIEXTENSIONS}JSONSchemaProps`;

/**
 * The schema of the definition `io.k8s.api.core.v1.Pod` and so on, with the manners of a typed server: raw values keep
 * everything, a null is the same as an absent member, defaults are not applied, and nothing below `status` is required, because
 * typed writers may leave empty members out.
 */
export function builtinSchema(definitionName: string): BuiltinSchema {
  const definition = typedDefinition(definitionName);
  // The rules of definitions say themselves what is missing.
  const context = typedContext(definitionName !== `${APIEXTENSIONS}CustomResourceDefinition`);
  const root = new BuiltinRoot(definition, context);
  return { definitionName, ...passesOf(root), openApi: () => componentSchema(definitionName) };
}

class BuiltinRoot extends SchemaNode {
  readonly #status = lazy(() => {
    const { status } = (this.schema.properties ?? {}) as JsonObject;
    return isJsonObject(status) ? nodeOf(status, typedContext(false)) : undefined;
  });

  override property(name: string): SchemaNode | undefined {
    return name === "status" ? this.#status() : super.property(name);
  }
}

function typedContext(enforceRequired: boolean): SchemaContext {
  return { definition: typedDefinition, definitions: new Map(), typed: true, enforceRequired };
}

/** A definition as values really look: some are written in more ways than their published schema says. */
function typedDefinition(name: string): JsonObject {
  switch (name) {
    case "io.k8s.apimachinery.pkg.api.resource.Quantity":
      return { type: ["string", "number"], format: QUANTITY };
    case POD_SPEC:
      return withValues(kubernetesSchema(POD_SPEC), "restartPolicy", ["Always", "OnFailure", "Never"]);
    case "io.k8s.apimachinery.pkg.util.intstr.IntOrString":
      return { "x-kubernetes-int-or-string": true };
    case `${APIEXTENSIONS}JSONSchemaPropsOrBool`:
      return { ...kubernetesSchema(SCHEMA_PROPS), type: ["object", "boolean"] };
    case `${APIEXTENSIONS}JSONSchemaPropsOrArray`:
      return { ...kubernetesSchema(SCHEMA_PROPS), type: ["object", "array"], items: { $ref: SCHEMA_PROPS } };
    case `${APIEXTENSIONS}JSONSchemaPropsOrStringArray`:
      return { ...kubernetesSchema(SCHEMA_PROPS), type: ["object", "array"], items: { type: "string" } };
    default:
      return kubernetesSchema(name);
  }
}

/** A refusal lists the values in this order. */
function withValues(schema: JsonObject, name: string, values: readonly string[]): JsonObject {
  const properties = schema.properties as JsonObject;
  return {
    ...schema,
    properties: { ...properties, [name]: { ...(properties[name] as JsonObject), enum: [...values] } },
  };
}

/** True for a definition that `componentSchema` has. */
export function knowsDefinition(name: string): boolean {
  return kubernetesSchemaNames().includes(name);
}

/** The published definition, with its references made to the components of an OpenAPI v3 document. */
export function componentSchema(name: string): JsonObject {
  return withComponentReferences(kubernetesSchema(name)) as JsonObject;
}

function withComponentReferences(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item: JsonValue) => withComponentReferences(item) as JsonValue);
  if (!isJsonObject(value)) return value;
  if (typeof value.$ref === "string") return { $ref: COMPONENTS + value.$ref.slice(value.$ref.lastIndexOf("/") + 1) };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withComponentReferences(member)]));
}
