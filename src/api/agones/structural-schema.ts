/** From the schemas of our types to what a CustomResourceDefinition may hold. */
import { inlineObjectMetaSchema, inlinePodTemplateSchema } from "../core/schemas.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.ts";

const POD_TEMPLATE = "x-stadion-pod-template";
const OBJECT_META = "x-stadion-object-meta";
const LISTS_MAX_ITEMS = "x-stadion-lists-max-items";
const INT32_MAX = 2 ** 31 - 1;

/** The schema with the pod template's and the metadata's put where they are only marked. */
export function withTemplates(schema: JsonObject): JsonObject {
  return mapSchema(schema, (node) =>
    node[POD_TEMPLATE] ? inlinePodTemplateSchema() : node[OBJECT_META] ? inlineObjectMetaSchema() : undefined,
  );
}

export interface StructuralOptions {
  readonly listsMaxItems: number;
  readonly podPreserveUnknownFields: boolean;
}

/** A structural schema: none of our marks left, and the installation's limits in their places. */
export function structuralSchema(
  schema: JsonObject,
  { listsMaxItems, podPreserveUnknownFields }: StructuralOptions,
): JsonObject {
  const podTemplate = {
    ...inlinePodTemplateSchema(),
    ...(podPreserveUnknownFields && { "x-kubernetes-preserve-unknown-fields": true }),
  };
  return mapSchema(schema, (node) => {
    const { description } = node;
    if (node[POD_TEMPLATE]) return { ...podTemplate, description };
    if (node[OBJECT_META]) return { ...inlineObjectMetaSchema(), description };
    if (node[LISTS_MAX_ITEMS]) return withLimit(node, listsMaxItems);
    // An API server refuses every value where the maximum itself is outside the format.
    if (node.format === "int32" && Number(node.maximum) > INT32_MAX) return without(node, "format");
    return undefined;
  });
}

/** The limit of an array's length or of a number; a default beyond it follows. */
function withLimit(node: JsonObject, limit: number): JsonObject {
  const bare = without(node, LISTS_MAX_ITEMS);
  if (bare.type === "array") return { ...bare, maxItems: limit };
  return { ...bare, maximum: limit, default: Math.min(Number(bare.default), limit) };
}

function without(node: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([name]) => name !== keyword));
}

/** Walks a schema from the top; a node that `replace` answers for is taken as it is. */
function mapSchema(schema: JsonObject, replace: (node: JsonObject) => JsonObject | undefined): JsonObject {
  const replaced = replace(schema);
  if (replaced) return replaced;
  const inner = (value: JsonValue | undefined) => (isJsonObject(value) ? mapSchema(value, replace) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === "properties" && isJsonObject(value)) {
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, property]) => [name, inner(property)]))];
      }
      return [keyword, keyword === "items" || keyword === "additionalProperties" ? inner(value) : value];
    }),
  );
}
