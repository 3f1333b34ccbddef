import Table from "cli-table3";
import { isJsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";

export type OutputFormat = "table" | "json" | "yaml" | "name" | "wide";
export const OUTPUT_FORMATS: readonly OutputFormat[] = ["table", "wide", "json", "yaml", "name"];

/** A format, or a template of JSONPath. */
export type Output = OutputFormat | `jsonpath=${string}`;

export const isTemplate = (output: Output): output is `jsonpath=${string}` => output.startsWith("jsonpath=");
export const isTable = (output: Output): boolean => output === "table" || output === "wide";

/** Asks an API server for its own columns. */
export const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** Where commands write; tests read it. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
}

/** Rows of cells as aligned lines, as kubectl prints them. */
export type ColumnWriter = (rows: readonly (readonly string[])[]) => string;

/** Columns without rules around them; they stay as wide as the widest cell that was written since. */
export function columnWriter(): ColumnWriter {
  const none = ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"];
  const empty = [...none, "left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"];
  const widths: number[] = [];
  return (rows) => {
    for (const row of rows)
      for (const [position, cell] of row.entries()) widths[position] = Math.max(widths[position] ?? 0, cell.length);
    const table = new Table({
      chars: Object.fromEntries(empty.map((name) => [name, name === "middle" ? "  " : ""])),
      style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
      colWidths: widths,
    });
    table.push(...rows.map((row) => row.map((content) => ({ content }))));
    const lines = table.toString().split("\n");
    return lines.map((line) => line.trimEnd()).join("\n");
  };
}

export const textTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  columnWriter()([head, ...rows]);

export interface Column {
  readonly name: string;
  readonly priority?: number;
}

export interface ServerTable {
  readonly columns: readonly Column[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * A Table answer of the API server; columns of priority 1 and more only when `wide`. In a watch the first Table alone has columns:
 * later ones take those that are `known`.
 */
export function serverTable(
  table: JsonValue,
  options: { readonly wide: boolean; readonly namespaces: boolean; readonly known?: readonly Column[] },
): ServerTable {
  // Servers written in Go send an empty list as null.
  const { columnDefinitions, rows } = (isJsonObject(table) ? table : {}) as {
    columnDefinitions?: readonly Column[] | null;
    rows?: readonly { cells: readonly JsonValue[]; object?: { metadata?: { namespace?: string } } }[] | null;
  };
  const columns = columnDefinitions?.length ? columnDefinitions : (options.known ?? []);
  const shown = columns.flatMap(({ priority = 0 }, position) => (options.wide || priority === 0 ? [position] : []));
  const namespaced = (row: readonly string[], namespace: string) => (options.namespaces ? [namespace, ...row] : row);
  return {
    columns,
    head: namespaced(
      shown.map((position) => columns[position]?.name.toUpperCase() ?? ""),
      "NAMESPACE",
    ),
    rows: (rows ?? []).map(({ cells, object }) =>
      namespaced(
        shown.map((position) => cellText(cells[position])),
        object?.metadata?.namespace ?? "",
      ),
    ),
  };
}

const cellText = (cell: JsonValue | undefined): string =>
  cell === null || cell === undefined || cell === ""
    ? "<none>"
    : typeof cell === "object"
      ? stringifyJson(cell)
      : String(cell);

/** An object in the format asked for. */
export async function formatted(value: JsonValue, format: Output): Promise<string> {
  if (format === "yaml") {
    const { stringify } = await import("yaml");
    return stringify(value, { version: "1.1", lineWidth: 0 }).trimEnd();
  }
  return stringifyJson(value, 2);
}
