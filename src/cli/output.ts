import Table from "cli-table3";
import { isJsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";

export type OutputFormat = "table" | "json" | "yaml" | "name" | "wide";
export const OUTPUT_FORMATS: readonly OutputFormat[] = ["table", "wide", "json", "yaml", "name"];

/** Asks an API server for its own columns. */
export const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** Where commands write; tests read it. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
}

/** Columns without rules around them, as kubectl prints them. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const none = ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"];
  const empty = [...none, "left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"];
  const table = new Table({
    chars: Object.fromEntries(empty.map((name) => [name, name === "middle" ? "  " : ""])),
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  table.push([...head], ...rows.map((row) => [...row]));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** A Table answer of the API server as text; columns of priority 1 and more only when `wide`. */
export function serverTable(
  table: JsonValue,
  options: { readonly wide: boolean; readonly namespaces: boolean; readonly head?: boolean },
): string {
  const { columnDefinitions = [], rows = [] } = (isJsonObject(table) ? table : {}) as {
    columnDefinitions?: readonly { name: string; priority?: number }[];
    rows?: readonly { cells: readonly JsonValue[]; object?: { metadata?: { namespace?: string } } }[];
  };
  const shown = columnDefinitions.flatMap(({ priority = 0 }, position) =>
    options.wide || priority === 0 ? [position] : [],
  );
  const namespaced = (row: readonly string[], namespace: string) => (options.namespaces ? [namespace, ...row] : row);
  const head = namespaced(
    shown.map((position) => columnDefinitions[position]?.name.toUpperCase() ?? ""),
    "NAMESPACE",
  );
  const cells = rows.map(({ cells, object }) =>
    namespaced(
      shown.map((position) => cellText(cells[position])),
      object?.metadata?.namespace ?? "",
    ),
  );
  return textTable(head, cells);
}

const cellText = (cell: JsonValue | undefined): string =>
  cell === null || cell === undefined || cell === ""
    ? "<none>"
    : typeof cell === "object"
      ? stringifyJson(cell)
      : String(cell);

/** An object in the format asked for. */
export async function formatted(value: JsonValue, format: OutputFormat): Promise<string> {
  if (format === "yaml") {
    const { stringify } = await import("yaml");
    return stringify(value, { version: "1.1", lineWidth: 0 }).trimEnd();
  }
  return stringifyJson(value, 2);
}
