/** The columns of a custom resource's tables, by the JSONPaths its definition names. */

import { type JsonValue, stringifyJson } from "#api/meta/json.ts";
import { tolerantJsonPath } from "#api/meta/json-path.ts";
import type { PrinterColumn, TableColumn } from "../resource-definition.ts";
import { ageOf } from "./human-duration.ts";
import { nameColumn } from "./table.ts";

/** NAME and the columns given; AGE when none is given. A path that cannot be read leaves its column empty. */
export function printerColumns(columns: readonly PrinterColumn[]): readonly TableColumn[] {
  return [nameColumn, ...(columns.length > 0 ? columns : [age]).map(columnOf)];
}

const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

function columnOf({ jsonPath, ...column }: PrinterColumn): TableColumn {
  const path = tolerantJsonPath(jsonPath);
  const description = column.description || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return {
    ...column,
    description,
    cell: (object, now) => {
      const [value] = path(object);
      return value === undefined || value === null ? null : cellOf(column.type, value, now);
    },
  };
}

/** A value as its column's type shows it; null (an empty cell) when it is of another type. */
function cellOf(type: PrinterColumn["type"], value: JsonValue, now: number): string | number | boolean | null {
  switch (type) {
    case "string":
      return typeof value === "string" ? value : stringifyJson(value);
    case "integer":
      return isNumeric(value) ? Math.trunc(Number(value)) : null;
    case "number":
      return isNumeric(value) ? Number(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageOf(value, now) : null;
  }
}

const isNumeric = (value: JsonValue): boolean => typeof value === "number" || typeof value === "bigint";
