/** The schemas that an OpenAPI v3 document refers to. */
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { ResourceDefinition } from "../resource-definition.ts";
import { componentSchema, isBuiltinSchema, knowsDefinition } from "../schema/builtin.ts";
import { COMPONENTS } from "../schema/published-schema.ts";
import { type ComponentNames, PATCH } from "./operations.ts";

const LIST_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

/** Component names of a resource: the published one of a built-in; for `agones.dev/v1 Fleet` it is `dev.agones.v1.Fleet`. */
export function componentNames({ schema, group, version, kind, listKind }: ResourceDefinition): ComponentNames {
  if (isBuiltinSchema(schema)) {
    const object = schema.definitionName;
    return { object, list: object.slice(0, object.lastIndexOf(".") + 1) + listKind };
  }
  const prefix = `${group.split(".").toReversed().join(".")}.${version}.`;
  return { object: prefix + kind, list: prefix + listKind };
}

/** The resource's own schema and that of its list. */
export function ownComponents(definition: ResourceDefinition, names: ComponentNames): JsonObject {
  return {
    [names.object]: definition.schema.openApi(),
    [names.list]: knowsDefinition(names.list) ? componentSchema(names.list) : listSchema(definition, names.object),
  };
}

function listSchema({ group, version, listKind }: ResourceDefinition, object: string): JsonObject {
  return {
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { allOf: [{ $ref: COMPONENTS + LIST_META }] },
      items: { type: "array", items: { $ref: COMPONENTS + object } },
    },
    "x-kubernetes-group-version-kind": [{ group, version, kind: listKind }],
  };
}

/** Adds every built-in definition that is referred to, directly or through others, and that of patches. Sorted by name. */
export function withReferenced(components: JsonObject, paths: JsonObject): JsonObject {
  const all = new Map<string, JsonValue | undefined>([[PATCH, { type: "object" }], ...Object.entries(components)]);
  const pending = [...referencesIn(paths), ...Object.values(components).flatMap((schema) => [...referencesIn(schema)])];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (all.has(name)) continue;
    const schema = componentSchema(name);
    all.set(name, schema);
    pending.push(...referencesIn(schema));
  }
  return Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function* referencesIn(value: JsonValue | undefined): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* referencesIn(item);
  if (!isJsonObject(value)) return;
  for (const key in value) {
    const member = value[key];
    if (key === "$ref" && typeof member === "string") yield member.slice(COMPONENTS.length);
    else if (typeof member === "object") yield* referencesIn(member);
  }
}
