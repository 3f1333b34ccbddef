/** What the schema of a custom resource may not say, structural or not (apiextensions-apiserver `validation`). */
import { child, type FieldError, forbidden, index, invalid, key, notSupported, required } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { objectAt, objectsAt } from "../resources/object-fields.ts";
import { listTypeFaults } from "./list-type-rules.ts";

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];
/** Deeper schemas are refused before anything else looks at them. */
const MAX_SCHEMA_DEPTH = 100;

/** One fault when the schema is nested too deeply to be looked at; looks without recursion. */
export function depthFaults(schema: JsonObject, path: string): readonly FieldError[] {
  let level: readonly JsonValue[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    // Each level of a schema takes two of JSON: the keyword and what is below it.
    if (depth > 2 * MAX_SCHEMA_DEPTH) return [forbidden(path, `must not be nested more than ${MAX_SCHEMA_DEPTH} deep`)];
    level = level.flatMap((value) => {
      if (value === null || typeof value !== "object") return [];
      return (Object.values(value) as JsonValue[]).filter((member) => member !== null && typeof member === "object");
    });
  }
  return [];
}

interface Place {
  /** Why defaults are not allowed here. */
  readonly noDefaults?: string;
  /** Inside `apiVersion`, `kind` or `metadata`. */
  readonly inMeta?: boolean;
  readonly root?: boolean;
}

/** Faults of single schemas, those below included but for the plain ones. */
export function schemaFaults(
  schema: JsonObject,
  path: string,
  plain: ReadonlySet<JsonObject>,
  place: Place = { root: true },
): readonly FieldError[] {
  return [
    ...keywordFaults(schema, path, place),
    ...additionalFaults(schema, path),
    ...innerSchemas(schema, path, plain, place).flatMap(([inner, at, where]) => schemaFaults(inner, at, plain, where)),
    ...(schema["x-kubernetes-preserve-unknown-fields"] === false
      ? [invalid(child(path, "x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined")]
      : []),
    ...listTypeFaults(schema, path),
  ];
}

const UNSUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

function keywordFaults(schema: JsonObject, path: string, { noDefaults, inMeta }: Place): readonly FieldError[] {
  const faults: FieldError[] = [];
  const { type } = schema;
  if (typeof type === "string" && type !== "" && !TYPES.includes(type)) {
    faults.push(notSupported(child(path, "type"), type, TYPES));
  }
  if (schema.default !== undefined && schema.default !== null && noDefaults !== undefined) {
    faults.push(forbidden(child(path, "default"), `must not be set ${noDefaults}`));
  }
  for (const keyword of UNSUPPORTED) {
    const value = schema[keyword];
    const empty = value === undefined || value === "" || (isJsonObject(value) && Object.keys(value).length === 0);
    if (!empty) faults.push(forbidden(child(path, keyword), `${keyword} is not supported`));
  }
  if (type === "null") {
    faults.push(forbidden(child(path, "type"), "type cannot be set to null, use nullable as an alternative"));
  }
  if (Array.isArray(schema.items)) {
    faults.push(forbidden(child(path, "items"), "items must be a schema object and not an array"));
  }
  if (inMeta && schema["x-kubernetes-embedded-resource"] === true) {
    faults.push(forbidden(child(path, "x-kubernetes-embedded-resource"), "must not be used inside of resource meta"));
  }
  if (schema.uniqueItems === true) {
    const text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    faults.push(forbidden(child(path, "uniqueItems"), text));
  }
  return faults;
}

function additionalFaults({ additionalProperties, properties }: JsonObject, path: string): readonly FieldError[] {
  if (additionalProperties === undefined || additionalProperties === true) return [];
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return [];
  return [forbidden(child(path, "additionalProperties"), "additionalProperties and properties are mutual exclusive")];
}

const META = ["metadata", "kind", "apiVersion"];

function innerSchemas(
  schema: JsonObject,
  path: string,
  plain: ReadonlySet<JsonObject>,
  { root, ...place }: Place,
): readonly [JsonObject, string, Place][] {
  const found: [JsonObject, string, Place][] = [];
  const add = (inner: JsonValue | undefined, at: string, where: Place = place) => {
    if (isJsonObject(inner) && !plain.has(inner)) found.push([inner, at, where]);
  };
  const inMap = place.inMeta
    ? { ...place, noDefaults: "inside additionalProperties applying to object metadata" }
    : place;
  add(schema.additionalProperties, child(path, "additionalProperties"), inMap);
  const hasMeta = root || schema["x-kubernetes-embedded-resource"] === true;
  for (const [name, inner] of Object.entries(objectAt(schema, "properties"))) {
    const isMeta = hasMeta && META.includes(name);
    const noDefaults = isMeta && root ? `in top-level ${name}` : place.noDefaults;
    add(inner, key(child(path, "properties"), name), isMeta ? { noDefaults, inMeta: true } : place);
  }
  add(schema.not, child(path, "not"));
  for (const junctor of ["allOf", "oneOf", "anyOf"]) {
    for (const [at, inner] of objectsAt(schema, junctor).entries()) add(inner, index(child(path, junctor), at));
  }
  add(schema.items, child(path, "items"));
  return found;
}

const ROOT_WITH_STATUS =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
  "x-kubernetes-validations": "XValidations",
};

/** Rules for the root alone; with a status subresource it may say little else than `properties`. */
export function rootFaults(schema: JsonObject, path: string, hasStatus: boolean): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (hasStatus && schema.type !== "object") {
    const text = `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`;
    faults.push(schema.type ? invalid(child(path, "type"), schema.type, text) : required(child(path, "type"), text));
  } else if (hasStatus) {
    const allowed = ROOT_WITH_STATUS.split(" ");
    const nameOf = (keyword: string) => OTHER_NAMES[keyword] ?? keyword.charAt(0).toUpperCase() + keyword.slice(1);
    const odd = Object.keys(schema).find((keyword) => schema[keyword] !== false && !allowed.includes(nameOf(keyword)));
    if (odd !== undefined) {
      const text = `only [${ROOT_WITH_STATUS}] fields are allowed at the root of the schema if the status subresource is enabled`;
      faults.push(invalid(path, odd, text));
    }
  }
  if (schema.nullable === true) faults.push(forbidden(child(path, "nullable"), "nullable cannot be true at the root"));
  return faults;
}
