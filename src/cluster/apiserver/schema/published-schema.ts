/** The schema of a custom resource as `/openapi/v3` shows it. */
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { ROOT_DESCRIPTIONS, TYPE_META } from "#api/meta/root-members.ts";
import type { GroupVersionKind } from "./compile.ts";
import { OBJECT_META } from "./node.ts";

export const COMPONENTS = "#/components/schemas/";

const metadata = { allOf: [{ $ref: COMPONENTS + OBJECT_META }], description: ROOT_DESCRIPTIONS.metadata };
const intOrString = [{ type: "integer" }, { type: "string" }];

/** Adds what every object has (`apiVersion`, `kind`, `metadata`) to the root and to embedded resources, and the kind's name. */
export function publishedSchema(schema: JsonObject, groupVersionKind: GroupVersionKind): JsonObject {
  // Clients take listed properties for the only ones: a schema that lists none must not gain any.
  const open = !isJsonObject(schema.properties) && schema["x-kubernetes-preserve-unknown-fields"] === true;
  return {
    ...(open ? schema : withMeta(published(schema))),
    "x-kubernetes-group-version-kind": [{ ...groupVersionKind }],
  };
}

function withMeta(schema: JsonObject): JsonObject {
  return { ...schema, properties: { ...(schema.properties as JsonObject | undefined), ...TYPE_META, metadata } };
}

/** The schema with embedded resources completed and int-or-string told in OpenAPI's words; the very schema when there is neither in it. */
function published(schema: JsonObject): JsonObject {
  const changes: { [key: string]: JsonValue } = {};
  for (const keyword of ["items", "additionalProperties"]) {
    const inner = schema[keyword];
    if (!isJsonObject(inner)) continue;
    const after = published(inner);
    if (after !== inner) changes[keyword] = after;
  }
  if (isJsonObject(schema.properties)) {
    const entries = Object.entries(schema.properties);
    const after = entries.map(([name, inner]) => [name, isJsonObject(inner) ? published(inner) : inner] as const);
    if (after.some(([, inner], position) => inner !== entries[position]?.[1])) {
      changes.properties = Object.fromEntries(after);
    }
  }
  if (schema["x-kubernetes-int-or-string"] === true && schema.anyOf === undefined) changes.anyOf = intOrString;
  const complete = Object.keys(changes).length > 0 ? { ...schema, ...changes } : schema;
  return complete["x-kubernetes-embedded-resource"] === true ? withMeta(complete) : complete;
}
