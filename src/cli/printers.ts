import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { compileTemplate } from "./json-path-template.ts";
import { type Column, columnWriter, formatted, isTable, isTemplate, type Output, serverTable } from "./output.ts";
import { hasOwnColumns, withOwnColumns } from "./own-columns.ts";
import type { AnyResource } from "./resources.ts";
import type { ShowOptions } from "./show-options.ts";

/** An answer as text; `undefined` when it holds nothing. */
export type Printer = (answer: JsonValue) => Promise<string | undefined>;

/** Prints answers of one command, one after another. `resource`: absent for a list of several kinds. */
export function printerFor(options: ShowOptions, resource: AnyResource | undefined): Printer {
  const { output } = options;
  if (isTable(output)) {
    const print = rowPrinter(options);
    return resource && hasOwnColumns(resource) ? (answer) => print(withOwnColumns(answer)) : print;
  }
  if (!isTemplate(output)) return textPrinter(output, resource);
  const template = compileTemplate(output.slice(output.indexOf("=") + 1));
  // A template may end its lines by itself.
  return async (answer) => template(answer).replace(/\n$/, "");
}

/** The head stands above the first rows alone. */
function rowPrinter({ output, allNamespaces }: ShowOptions): Printer {
  const style = { wide: output === "wide", namespaces: allNamespaces === true };
  const write = columnWriter();
  let headed = false;
  let known: readonly Column[] = [];
  return async (answer) => {
    const { head, rows, columns } = serverTable(answer, { ...style, known });
    known = columns;
    if (rows.length === 0) return undefined;
    const text = write(headed ? rows : [head, ...rows]);
    headed = true;
    return text;
  };
}

function textPrinter(format: Output, resource: AnyResource | undefined): Printer {
  return async (answer) => {
    if (format !== "name") return formatted(answer, format);
    const object = isJsonObject(answer) ? answer : {};
    const items = Array.isArray(object.items) ? object.items.filter(isJsonObject) : [object];
    if (items.length === 0) return undefined;
    return items.map(({ metadata }) => `${resource?.plural}/${(metadata as JsonObject | undefined)?.name}`).join("\n");
  };
}
