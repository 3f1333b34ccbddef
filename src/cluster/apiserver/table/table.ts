/** Tables (meta.k8s.io/v1), as kubectl asks for them. */
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { ResourceDefinition, TableColumn } from "../resource-definition.ts";
import { memberOf } from "../schema/members.ts";

/** What a row carries besides its cells: the object's metadata, the whole object, or nothing. */
export type IncludeObject = "Metadata" | "Object" | "None";

export interface TableOptions {
  /** Milliseconds since 1970: what ages are measured to. */
  readonly now: number;
  readonly includeObject: IncludeObject;
  /** In a watch only the first table has columns. */
  readonly withColumns: boolean;
  /** The table's own metadata: the list's, or a single object's `resourceVersion`. */
  readonly listMeta: JsonObject;
}

export const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The object's name.",
  cell: (object) => textOf(metadataOf(object).name),
};

/** Renders the objects, in the order given. */
export function renderTable(
  definition: Pick<ResourceDefinition, "columns">,
  objects: readonly JsonObject[],
  { now, includeObject, withColumns, listMeta }: TableOptions,
): JsonObject {
  const { columns } = definition;
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: listMeta,
    columnDefinitions: withColumns ? columns.map(columnDefinition) : null,
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, now)),
      object: rowObject(object, includeObject),
    })),
  };
}

function columnDefinition({ name, type, format = "", description = "", priority = 0 }: TableColumn): JsonObject {
  return { name, type, format, description, priority };
}

function rowObject(object: JsonObject, include: IncludeObject): JsonValue {
  switch (include) {
    case "Object":
      return object;
    case "None":
      return null;
    case "Metadata":
      return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: metadataOf(object) };
  }
}

export const metadataOf = (object: JsonObject): JsonObject => (isJsonObject(object.metadata) ? object.metadata : {});

/** A string, or the empty one for anything else. */
export const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** Follows member names; `undefined` where one is missing. */
export function valueAt(value: JsonValue | undefined, ...names: readonly string[]): JsonValue | undefined {
  return names.reduce<JsonValue | undefined>(
    (current, name) => (isJsonObject(current) ? memberOf(current, name) : undefined),
    value,
  );
}
