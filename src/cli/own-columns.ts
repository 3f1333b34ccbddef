/** Columns for kinds of which the contract gives kubectl none but name and age. */
import { AUTOSCALING_GROUP, type FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { AnyResource } from "./resources.ts";

interface OwnColumn {
  readonly name: string;
  readonly cell: (object: FleetAutoscaler) => JsonValue | undefined;
}

const AUTOSCALER_COLUMNS: readonly OwnColumn[] = [
  { name: "Fleet", cell: ({ spec }) => spec.fleetName },
  { name: "Policy", cell: ({ spec }) => spec.policy.type },
  { name: "Current", cell: ({ status }) => status?.currentReplicas },
  { name: "Desired", cell: ({ status }) => status?.desiredReplicas },
  { name: "Able", cell: ({ status }) => status?.ableToScale },
  { name: "Limited", cell: ({ status }) => status?.scalingLimited },
];

export const hasOwnColumns = ({ group, kind }: AnyResource): boolean =>
  group === AUTOSCALING_GROUP && kind === "FleetAutoscaler";

/** A table of the API server whose rows carry whole objects, with our columns after the name. */
export function withOwnColumns(table: JsonValue): JsonValue {
  if (!isJsonObject(table) || !Array.isArray(table.rows)) return table;
  const definitions = Array.isArray(table.columnDefinitions) ? table.columnDefinitions : [];
  const rows = table.rows.filter(isJsonObject).map((row) => {
    const cells = Array.isArray(row.cells) ? row.cells : [];
    const own = AUTOSCALER_COLUMNS.map(({ cell }) => cell(row.object as unknown as FleetAutoscaler) ?? null);
    return { ...row, cells: [...cells.slice(0, 1), ...own, ...cells.slice(1)] };
  });
  const names: readonly JsonObject[] = AUTOSCALER_COLUMNS.map(({ name }) => ({ name }));
  return {
    ...table,
    columnDefinitions: definitions.length > 0 ? [...definitions.slice(0, 1), ...names, ...definitions.slice(1)] : [],
    rows,
  };
}
