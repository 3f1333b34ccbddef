/** Defaults of a schema must themselves be valid, and hold nothing that pruning would drop. */
import { child, type FieldError, invalid, key } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import { objectAt } from "../resources/object-fields.ts";
import { unknownMembers, validateValue } from "../schema/compile.ts";

/** Faults of all defaults of a structural schema. */
export function defaultFaults(schema: JsonObject, path: string, plain: ReadonlySet<JsonObject>): readonly FieldError[] {
  if (plain.has(schema)) return [];
  return [
    ...ownFaults(schema, child(path, "default")),
    ...(isJsonObject(schema.items) ? defaultFaults(schema.items, child(path, "items"), plain) : []),
    ...Object.entries(objectAt(schema, "properties")).flatMap(([name, property]) =>
      isJsonObject(property) ? defaultFaults(property, key(child(path, "properties"), name), plain) : [],
    ),
    ...(isJsonObject(schema.additionalProperties)
      ? defaultFaults(schema.additionalProperties, child(path, "additionalProperties"), plain)
      : []),
  ];
}

function ownFaults(schema: JsonObject, field: string): readonly FieldError[] {
  const value = schema.default;
  if (value === undefined || value === null) return [];
  const unpruned = unknownMembers(schema, value).length > 0;
  return [
    ...(unpruned ? [invalid(field, value, "must not have unknown fields")] : []),
    ...validateValue(schema, value, field),
  ];
}
