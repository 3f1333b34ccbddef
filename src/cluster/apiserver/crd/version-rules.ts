/** Rules for the versions of a CustomResourceDefinition: schemas, subresources, printer columns. */
import { child, type FieldError, index, invalid, required } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import { objectAt, objectsAt, textAt } from "../resources/object-fields.ts";
import { defaultFaults } from "./default-rules.ts";
import { hasStatusSubresource, schemaOf, sharedBy, versionsOf } from "./definition.ts";
import { dns1035Faults } from "./name-rules.ts";
import { plainSchemas } from "./plain-schemas.ts";
import { depthFaults, rootFaults, schemaFaults } from "./schema-rules.ts";
import { structuralFaults } from "./structural-rules.ts";

const VERSIONS = "spec.versions";

export function versionFaults(definition: JsonObject): readonly FieldError[] {
  const versions = versionsOf(definition);
  const names = versions.map((version) => textAt(version, "name"));
  const stored = versions.filter(({ storage }) => storage === true);
  return [
    ...versions.flatMap((version, at) => (schemaOf(version) ? [] : [required(schemaPath(at), "")])),
    ...names.flatMap((name, at) => {
      const faults = dns1035Faults(name);
      return faults.length > 0 ? [invalid(child(index(VERSIONS, at), "name"), name, faults.join(","))] : [];
    }),
    ...partFaults(versions),
    ...(new Set(names).size < names.length ? [invalid(VERSIONS, names, "must contain unique version names")] : []),
    ...(stored.length === 1
      ? []
      : [invalid(VERSIONS, names, "must have exactly one version marked as storage version")]),
  ];
}

const schemaPath = (at: number): string => `${index(VERSIONS, at)}.schema.openAPIV3Schema`;

/** Faults of each version's parts; a part that all versions share is told once, as a part of the definition. */
function partFaults(versions: readonly JsonObject[]): readonly FieldError[] {
  const place = (member: string, at: number, shared: string) =>
    sharedBy(versions, member) ? (at === 0 ? shared : undefined) : child(index(VERSIONS, at), member);
  return versions.flatMap((version, at) => {
    const schema = schemaOf(version);
    const schemaAt = place("schema", at, "spec.validation");
    const subresourcesAt = place("subresources", at, "spec.subresources");
    const columnsAt = place("additionalPrinterColumns", at, "spec.additionalPrinterColumns");
    return [
      ...(schema && schemaAt !== undefined
        ? openApiFaults(schema, `${schemaAt}.openAPIV3Schema`, hasStatusSubresource(version))
        : []),
      ...(subresourcesAt === undefined ? [] : subresourceFaults(objectAt(version, "subresources"), subresourcesAt)),
      ...(columnsAt === undefined ? [] : columnFaults(objectsAt(version, "additionalPrinterColumns"), columnsAt)),
    ];
  });
}

function openApiFaults(schema: JsonObject, path: string, hasStatus: boolean): readonly FieldError[] {
  const deep = depthFaults(schema, path);
  if (deep.length > 0) return deep;
  const plain = plainSchemas(schema);
  const own = schemaFaults(schema, path, plain);
  const root = rootFaults(schema, path, hasStatus);
  // What says more than a structural schema can is not looked at as one.
  if (own.some(({ body }) => UNSTRUCTURED.test(body))) return [...root, ...own];
  const structural = structuralFaults(schema, path, plain);
  return [...root, ...(structural.length > 0 ? structural : defaultFaults(schema, path, plain)), ...own];
}

const UNSTRUCTURED = /^Forbidden: (\S+ is not supported|items must be a schema object and not an array)$/;

function subresourceFaults(subresources: JsonObject, path: string): readonly FieldError[] {
  const { scale } = subresources;
  if (!isJsonObject(scale)) return [];
  const selector = textAt(scale, "labelSelectorPath");
  return [
    ...scalePathFaults(textAt(scale, "specReplicasPath"), `${path}.scale.specReplicasPath`, [".spec."]),
    ...scalePathFaults(textAt(scale, "statusReplicasPath"), `${path}.scale.statusReplicasPath`, [".status."]),
    ...(selector === "" ? [] : scalePathFaults(selector, `${path}.scale.labelSelectorPath`, [".spec.", ".status."])),
  ];
}

function scalePathFaults(text: string, field: string, below: readonly string[]): readonly FieldError[] {
  if (text === "") return [required(field, "")];
  const faults = jsonPathFaults(text, field);
  if (faults.length > 0 || below.some((start) => text.startsWith(start))) return faults;
  const places = below.map((start) => start.slice(0, -1)).join(" or ");
  return [invalid(field, text, `should be a json path under ${below.length > 1 ? "either " : ""}${places}`)];
}

function jsonPathFaults(text: string, field: string): readonly FieldError[] {
  return text.startsWith(".") ? [] : [invalid(field, text, "must be a simple json path starting with .")];
}

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function columnFaults(columns: readonly JsonObject[], path: string): readonly FieldError[] {
  return columns.flatMap((column, at) => {
    const field = (name: string) => child(index(path, at), name);
    const [name, type, format, jsonPath] = ["name", "type", "format", "jsonPath"].map((each) => textAt(column, each));
    const faults: FieldError[] = [];
    if (!name) faults.push(required(field("name"), ""));
    if (!type) faults.push(required(field("type"), `must be one of ${COLUMN_TYPES.join(",")}`));
    else if (!COLUMN_TYPES.includes(type)) {
      faults.push(invalid(field("type"), type, `must be one of ${COLUMN_TYPES.join(",")}`));
    }
    if (format && !COLUMN_FORMATS.includes(format)) {
      faults.push(invalid(field("format"), format, `must be one of ${COLUMN_FORMATS.join(",")}`));
    }
    if (jsonPath) faults.push(...jsonPathFaults(jsonPath, field("JSONPath")));
    else faults.push(required(field("JSONPath"), ""));
    return faults;
  });
}
