/** Rules for `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type`. */
import { child, type FieldError, forbidden, invalid, key, notSupported, required } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import { objectAt } from "../resources/object-fields.ts";
import { textsOf } from "./definition.ts";

const LIST_TYPE = "x-kubernetes-list-type";
const MAP_TYPE = "x-kubernetes-map-type";
const MAP_KEYS = "x-kubernetes-list-map-keys";

export function listTypeFaults(schema: JsonObject, path: string): readonly FieldError[] {
  const items = isJsonObject(schema.items) ? schema.items : undefined;
  return [
    ...kindFaults(schema, path, MAP_TYPE, "object", ["atomic", "granular"]),
    ...kindFaults(schema, path, LIST_TYPE, "array", ["atomic", "set", "map"]),
    ...(schema[LIST_TYPE] === "set" && items ? setItemFaults(items, child(path, "items")) : []),
    ...(schema[LIST_TYPE] === "map" ? mapFaults(schema, items, path) : keysWithoutMap(schema, path)),
    ...nullableItems(schema, items, path),
  ];
}

function kindFaults(
  schema: JsonObject,
  path: string,
  extension: string,
  type: string,
  allowed: readonly string[],
): readonly FieldError[] {
  const value = schema[extension];
  if (value === undefined) return [];
  const faults: FieldError[] = [];
  if (schema.type !== type) {
    const text = `must be ${type} if ${extension} is specified`;
    const field = child(path, "type");
    faults.push(schema.type ? invalid(field, schema.type, text) : required(field, text));
  }
  if (!allowed.includes(String(value))) faults.push(notSupported(child(path, extension), value, allowed));
  return faults;
}

/** Items of a set are compared whole, so they must be atomic. */
function setItemFaults(items: JsonObject, path: string): readonly FieldError[] {
  const text = `must be atomic as item of a list with ${LIST_TYPE}=set`;
  if (items.type === "array" && (items[LIST_TYPE] ?? "atomic") !== "atomic") {
    return [invalid(child(path, LIST_TYPE), items[LIST_TYPE], text)];
  }
  if (items.type === "object" && items[MAP_TYPE] !== "atomic") {
    return [invalid(child(path, MAP_TYPE), items[MAP_TYPE], text)];
  }
  return [];
}

function keysWithoutMap(schema: JsonObject, path: string): readonly FieldError[] {
  if (textsOf(schema[MAP_KEYS]).length === 0) return [];
  const text = `must be map if ${MAP_KEYS} is non-empty`;
  const field = child(path, LIST_TYPE);
  const type = schema[LIST_TYPE];
  return [type === undefined ? required(field, text) : invalid(field, type, text)];
}

function mapFaults(schema: JsonObject, items: JsonObject | undefined, path: string): readonly FieldError[] {
  const faults: FieldError[] = [];
  const names = textsOf(schema[MAP_KEYS]);
  const keysField = child(path, MAP_KEYS);
  const itemsField = child(path, "items");
  if (names.length === 0) faults.push(required(keysField, `must not be empty if ${LIST_TYPE} is map`));
  if (!items) return [...faults, required(itemsField, `must have a schema if ${LIST_TYPE} is map`)];
  if (items.type !== "object") {
    const text = `must be object if parent array's ${LIST_TYPE} is map`;
    return [...faults, invalid(child(itemsField, "type"), items.type ?? "", text)];
  }
  for (const name of names) {
    const property = objectAt(items, "properties")[name];
    if (isJsonObject(property)) faults.push(...keyFaults(items, name, property, itemsField));
    else faults.push(invalid(keysField, names, "entries must all be names of item properties"));
  }
  if (new Set(names).size < names.length) {
    faults.push(invalid(keysField, names, "must not contain duplicate entries"));
  }
  return faults;
}

function keyFaults(items: JsonObject, name: string, property: JsonObject, itemsField: string): readonly FieldError[] {
  const field = key(child(itemsField, "properties"), name);
  const faults: FieldError[] = [];
  if (property.type === "array" || property.type === "object") {
    const text = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
    faults.push(invalid(child(field, "type"), property.type, text));
  }
  const intro = `this property is in ${MAP_KEYS}, so it`;
  if (!textsOf(items.required).includes(name) && (property.default ?? null) === null) {
    faults.push(required(child(field, "default"), `${intro} must have a default or be a required property`));
  }
  if (property.nullable === true) faults.push(forbidden(child(field, "nullable"), `${intro} cannot be nullable`));
  return faults;
}

function nullableItems(schema: JsonObject, items: JsonObject | undefined, path: string): readonly FieldError[] {
  const type = schema[LIST_TYPE];
  if ((type !== "set" && type !== "map") || items?.nullable !== true) return [];
  return [forbidden(child(child(path, "items"), "nullable"), `cannot be nullable when ${LIST_TYPE} is ${type}`)];
}
