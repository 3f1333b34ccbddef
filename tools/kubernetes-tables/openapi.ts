/** Takes the definitions that are needed from the published OpenAPI document, with their structure alone. */
import type { GoSources } from "./go-sources.ts";

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly [keyword: string]: unknown;
}

const CORE = "io.k8s.api.core.v1";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** All that these types reach is taken too. */
const ROOTS: Readonly<Record<string, readonly string[]>> = {
  [CORE]: [
    ..."Pod PodList PodTemplateSpec Node NodeList Namespace NamespaceList Event EventList ConfigMap ConfigMapList".split(
      " ",
    ),
    ..."Secret SecretList ServiceAccount ServiceAccountList Service ServiceList Endpoints EndpointsList Binding".split(
      " ",
    ),
  ],
  "io.k8s.api.events.v1": ["Event", "EventList"],
  "io.k8s.api.coordination.v1": ["Lease", "LeaseList"],
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1": [
    "CustomResourceDefinition",
    "CustomResourceDefinitionList",
  ],
  "io.k8s.api.autoscaling.v1": ["Scale"],
  "io.k8s.api.policy.v1": ["Eviction", "PodDisruptionBudget", "PodDisruptionBudgetList"],
  "io.k8s.api.authorization.v1": ["SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"],
  "io.k8s.api.authentication.v1": ["SelfSubjectReview", "TokenReview", "TokenRequest"],
  [META]: ["Status", "DeleteOptions", "ObjectMeta", "LabelSelector", "APIResourceList"],
};

/** Keywords in the order they are written. */
const KEPT = [
  "type",
  "format",
  "enum",
  "required",
  "properties",
  "items",
  "additionalProperties",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-group-version-kind",
];

/** `{definitions: {NAME: schema}}` by the names of Kubernetes (`io.k8s.api.core.v1.Pod`); a `$ref` is such a name. */
export function openApiDefinitions(swagger: unknown, sources: GoSources): object {
  const published = (swagger as { definitions: Readonly<Record<string, Schema>> }).definitions;
  const definitions = new Map<string, Schema>();
  const waiting = Object.entries(ROOTS).flatMap(([group, kinds]) => kinds.map((kind) => `${group}.${kind}`));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (definitions.has(name)) continue;
    const schema = published[name];
    if (!schema) throw new Error(`OpenAPI has no definition ${name}`);
    const enums = enumsOf(name, sources);
    const taken = structure(
      schema,
      (property) => enums.get(property),
      (reference) => waiting.push(reference),
    );
    definitions.set(name, taken);
  }
  return { definitions: Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The enum values of each property of a definition. The published document leaves them out; the Go types have them. */
function enumsOf(name: string, sources: GoSources): ReadonlyMap<string, readonly string[]> {
  const dot = name.lastIndexOf(".");
  const protoPackage = name.slice(0, dot).replace("io.k8s.", "k8s.io.").replaceAll("-", "_");
  const { structs, enums } = sources.package(protoPackage);
  const found = new Map<string, readonly string[]>();
  for (const { json, type } of structs.get(name.slice(dot + 1)) ?? []) {
    const values = enums.get(type.replace(/^\*|^\[\]/, ""));
    if (json && values && values.length > 0) found.set(json, values);
  }
  return found;
}

function structure(
  schema: Schema,
  enumOf: (property: string) => readonly string[] | undefined,
  refer: (name: string) => void,
): Schema {
  if (schema.$ref) {
    const $ref = schema.$ref.replace("#/definitions/", "");
    refer($ref);
    // Beside a reference only the keywords of patching mean something.
    const { type: _none, ...rest } = kept({ ...schema, type: undefined }, enumOf, refer);
    return { $ref, ...rest };
  }
  return kept(schema, enumOf, refer);
}

function kept(
  schema: Schema,
  enumOf: (property: string) => readonly string[] | undefined,
  refer: (name: string) => void,
): Schema {
  const none = (): undefined => undefined;
  const entries = KEPT.flatMap((keyword): [string, unknown][] => {
    const value = schema[keyword];
    if (value === undefined) return [];
    if (keyword === "properties")
      return [
        [keyword, mapValues(value as Record<string, Schema>, (member, name) => property(member, enumOf(name), refer))],
      ];
    if (keyword === "items" || keyword === "additionalProperties")
      return [[keyword, structure(value as Schema, none, refer)]];
    // Options and answers of all groups list every one of them; the core group's stands for all.
    if (keyword === "x-kubernetes-group-version-kind" && (value as unknown[]).length > 1)
      return [
        [
          keyword,
          (value as { group: string; version: string }[]).filter((kind) => !kind.group && kind.version === "v1"),
        ],
      ];
    return [[keyword, value]];
  });
  return Object.fromEntries(entries);
}

function property(schema: Schema, values: readonly string[] | undefined, refer: (name: string) => void): Schema {
  const taken = structure(schema, () => undefined, refer);
  if (!values) return taken;
  if (taken.type === "string") return withEnum(taken, values);
  return taken.items ? { ...taken, items: withEnum(taken.items, values) } : taken;
}

function withEnum(schema: Schema, values: readonly string[]): Schema {
  const { type, format, ...rest } = schema;
  return { type, ...(format !== undefined && { format }), enum: values, ...rest };
}

function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}
