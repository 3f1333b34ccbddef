/**
 * Whether a JSON value has the types its schema names, before it is used as the typed object. For documents that no API server
 * has checked against a CRD. Rules beyond the type (ranges, enums, patterns) are the validation's.
 */
import { child, type FieldError, index, key, typeInvalid } from "./field.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** Faults of `value` against `schema`, each with the path of the member; `null` counts as absent. Unknown members are no fault. */
export function shapeFaults(schema: JsonObject, value: JsonValue | undefined, path: string): readonly FieldError[] {
  if (value === undefined || value === null) return [];
  const { type, properties, additionalProperties, items } = schema;
  if (typeof type === "string" && !hasType(value, type)) {
    return [typeInvalid(path, typeName(value), `must be of type ${type}: "${typeName(value)}"`)];
  }
  if (Array.isArray(value) && isJsonObject(items)) {
    return value.flatMap((item, position) => shapeFaults(items, item, index(path, position)));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isJsonObject(known)) return shapeFaults(known, member, child(path, name));
    return isJsonObject(additionalProperties) ? shapeFaults(additionalProperties, member, key(path, name)) : [];
  });
}

function hasType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "object":
      return isJsonObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return typeof value === "bigint" || Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function typeName(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}
