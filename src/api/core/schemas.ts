/** OpenAPI definitions of the built-in Kubernetes types: their structure, without descriptions and defaults. */
import { createRequire } from "node:module";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.ts";
import { lazy } from "../meta/lazy.ts";

const definitions = lazy((): JsonObject => {
  const require = createRequire(import.meta.url);
  return (require("./kubernetes-schemas.generated.json") as { definitions: JsonObject }).definitions;
});

/**
 * The definition of a type by its published name, such as `io.k8s.api.core.v1.Pod`. A `$ref` in it is the bare name of another
 * definition. Patch strategies, list and map types and the group, version and kind are kept as `x-kubernetes-…`.
 * Throws `RangeError` for a name that is not among the built-in types.
 */
export function kubernetesSchema(name: string): JsonObject {
  const definition = Object.hasOwn(definitions(), name) ? definitions()[name] : undefined;
  if (!isJsonObject(definition)) throw new RangeError(`there is no built-in definition ${name}`);
  return definition;
}

/** Names of all definitions that `kubernetesSchema` knows. */
export function kubernetesSchemaNames(): readonly string[] {
  return Object.keys(definitions());
}

/** Keywords of typed patching and of publishing; a structural schema of a CRD goes without. */
const DROPPED = new Set([
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-group-version-kind",
  "x-kubernetes-unions",
]);

/**
 * The pod template as a structural schema for CRDs: all references inlined, `creationTimestamp` nullable, int-or-strings by
 * `x-kubernetes-int-or-string`, quantities as strings, enums kept, no defaults. The same object at every call.
 */
export const inlinePodTemplateSchema: () => JsonObject = lazy(() => inline("io.k8s.api.core.v1.PodTemplateSpec"));

/** Object metadata, in the same form; for templates of custom resources. */
export const inlineObjectMetaSchema: () => JsonObject = lazy(() =>
  inline("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
);

type Known = Map<string, JsonObject>;

/** Each definition is inlined once, however often it is referred to. */
function inline(name: string, known: Known = new Map()): JsonObject {
  const made = known.get(name) ?? structural(kubernetesSchema(name), known);
  known.set(name, made);
  return made;
}

function structural(schema: JsonObject, known: Known): JsonObject {
  if (typeof schema.$ref === "string") return inline(schema.$ref, known);
  if (schema.format === "int-or-string") return { "x-kubernetes-int-or-string": true, format: "int-or-string" };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !DROPPED.has(keyword))
      .map(([keyword, value]) => [keyword, member(keyword, value, known)]),
  );
}

function member(keyword: string, value: JsonValue | undefined, known: Known): JsonValue | undefined {
  if (!isJsonObject(value)) return value;
  if (keyword !== "properties") return structural(value, known);
  return Object.fromEntries(
    Object.entries(value).map(([name, property]) => {
      const schema = structural(property as JsonObject, known);
      return [name, name === "creationTimestamp" ? { ...schema, nullable: true } : schema];
    }),
  );
}
