/**
 * What makes a schema structural: every part of a value has one type, told outside of `allOf`, `anyOf`, `oneOf` and `not`
 * (apiextensions-apiserver `schema.ValidateStructural`).
 */
import { child, type FieldError, forbidden, invalid, key, required } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { objectAt } from "../resources/object-fields.ts";
import { junctorFaults, patternFaults } from "./junctor-rules.ts";

type Level = "root" | "item" | "field";

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

/** All faults, sorted by their texts. The schema must not be nested too deeply (`depthFaults`). */
export function structuralFaults(
  schema: JsonObject,
  path: string,
  plain: ReadonlySet<JsonObject>,
): readonly FieldError[] {
  const faults = [...invariantFaults(schema, "root", path, plain), ...junctorFaults(schema, path, plain)];
  const textOf = ({ field, body }: FieldError) => `${field}: ${body}`;
  return faults.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function invariantFaults(
  schema: JsonObject,
  level: Level,
  path: string,
  plain: ReadonlySet<JsonObject>,
): readonly FieldError[] {
  const { items, additionalProperties } = schema;
  const isOdd = (inner: JsonValue | undefined): inner is JsonObject => isJsonObject(inner) && !plain.has(inner);
  return [
    ...(schema.type === "array" && !isJsonObject(items) ? [required(child(path, "items"), "must be specified")] : []),
    ...(isOdd(items) ? invariantFaults(items, "item", child(path, "items"), plain) : []),
    ...Object.entries(objectAt(schema, "properties")).flatMap(([name, property]) =>
      isOdd(property) ? invariantFaults(property, "field", key(child(path, "properties"), name), plain) : [],
    ),
    ...(additionalProperties !== undefined && level === "root"
      ? [forbidden(child(path, "additionalProperties"), "must not be used at the root")]
      : []),
    ...(isOdd(additionalProperties)
      ? invariantFaults(additionalProperties, "field", child(path, "additionalProperties"), plain)
      : []),
    ...intOrStringFaults(schema, path),
    ...patternFaults(schema, path),
    ...typeFaults(schema, level, path),
    ...metaFaults(schema, level, path),
  ];
}

const EMBEDDED = "x-kubernetes-embedded-resource";
const PRESERVE = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING = "x-kubernetes-int-or-string";

function intOrStringFaults(schema: JsonObject, path: string): readonly FieldError[] {
  if (schema[INT_OR_STRING] !== true) return [];
  return [PRESERVE, EMBEDDED]
    .filter((extension) => schema[extension] === true)
    .map((extension) => invalid(child(path, extension), true, `must be false if ${INT_OR_STRING} is true`));
}

function typeFaults(schema: JsonObject, level: Level, path: string): readonly FieldError[] {
  const field = child(path, "type");
  const { type = "" } = schema;
  if (schema[EMBEDDED] === true) {
    const text = `must be object if ${EMBEDDED} is true`;
    if (type === "") return [required(field, text)];
    if (type !== "object") return [invalid(field, type, text)];
  }
  if (type === "" && schema[INT_OR_STRING] !== true && schema[PRESERVE] !== true) {
    return [required(field, EMPTY_TYPE[level])];
  }
  return level === "root" && type !== "" && type !== "object"
    ? [invalid(field, type, "must be object at the root")]
    : [];
}

/** What a schema may say of `apiVersion`, `kind` and `metadata`, which are there without it. */
function metaFaults(schema: JsonObject, level: Level, path: string): readonly FieldError[] {
  const embedded = schema[EMBEDDED] === true;
  const properties = objectAt(schema, "properties");
  const faults: FieldError[] = [];
  const field = (name: string) => key(child(path, "properties"), name);
  if (embedded && schema.additionalProperties !== undefined) {
    faults.push(forbidden(child(path, "additionalProperties"), `must not be used if ${EMBEDDED} is set`));
  }
  if (embedded && schema[PRESERVE] !== true && Object.keys(properties).length === 0) {
    const text = `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`;
    faults.push(required(child(path, "properties"), text));
  }
  if (!embedded && level !== "root") return faults;
  for (const name of ["kind", "apiVersion"]) {
    const { type = "" } = objectAt(properties, name);
    if (isJsonObject(properties[name]) && type !== "string") {
      faults.push(invalid(child(field(name), "type"), type, "must be string"));
    }
  }
  const { metadata } = properties;
  if (!isJsonObject(metadata)) return faults;
  if (metadata.type !== "object")
    faults.push(invalid(child(field("metadata"), "type"), metadata.type ?? "", "must be object"));
  if (level === "root" && !restrictsNameOnly(metadata)) {
    const text = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    faults.push(forbidden(field("metadata"), text));
  }
  return faults;
}

const META_KEYWORDS = new Set(["type", "properties", "description", "default"]);

function restrictsNameOnly(metadata: JsonObject): boolean {
  const names = Object.keys(objectAt(metadata, "properties"));
  return (
    Object.keys(metadata).every((keyword) => META_KEYWORDS.has(keyword)) &&
    names.every((name) => name === "name" || name === "generateName")
  );
}
