import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";

const TYPES = new Set<JsonValue | undefined>(["array", "boolean", "integer", "number", "object", "string"]);
/** Keywords that no rule of definitions looks at, or only together with others. */
const PLAIN = new Set([
  "type",
  "format",
  "title",
  "description",
  "required",
  "enum",
  "nullable",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "maxProperties",
]);
const INT_OR_STRING = "x-kubernetes-int-or-string";
const MAP_TYPE = "x-kubernetes-map-type";

/**
 * The schemas below a schema in which no rule of definitions can find a fault, wherever they stand: all they say, down to the leaves,
 * is types, members, items and bounds. Nearly all of a large schema is so, and need not be looked at rule by rule.
 * The schema must not be nested too deeply (`depthFaults`).
 */
export function plainSchemas(schema: JsonObject): ReadonlySet<JsonObject> {
  const plain = new Set<JsonObject>();
  isPlain(schema, plain);
  return plain;
}

function isPlain(schema: JsonObject, found: Set<JsonObject>): boolean {
  const { type } = schema;
  let plain = type === undefined ? schema[INT_OR_STRING] === true : TYPES.has(type);
  if (type === "array" && !isJsonObject(schema.items)) plain = false;
  for (const keyword of Object.keys(schema)) {
    if (PLAIN.has(keyword) || (keyword === INT_OR_STRING && type === undefined)) continue;
    if (keyword === MAP_TYPE && type === "object" && schema[MAP_TYPE] === "atomic") continue;
    // Each is looked into, whatever the others are: it may be plain where this one is not.
    if (!areInnerPlain(schema, keyword, found)) plain = false;
  }
  if (plain) found.add(schema);
  return plain;
}

function areInnerPlain(schema: JsonObject, keyword: string, found: Set<JsonObject>): boolean {
  const value = schema[keyword];
  if (!isJsonObject(value)) return false;
  if (keyword === "items") return isPlain(value, found);
  if (keyword === "additionalProperties") return isPlain(value, found) && schema.properties === undefined;
  if (keyword !== "properties") return false;
  let plain = true;
  for (const name of Object.keys(value)) {
    const property = value[name];
    if (!isJsonObject(property) || !isPlain(property, found)) plain = false;
  }
  return plain;
}
