import { type JsonValue, stringifyJson } from "#api/meta/json.ts";
import { compileJsonPath, JsonPathError } from "#api/meta/json-path.ts";
import { CliError } from "./errors.ts";

/** Writes a value by a template. */
export type Template = (value: JsonValue) => string;

type Part = { readonly text: string } | { readonly path: string } | { readonly range: string; readonly parts: Part[] };

/**
 * Compiles what stands after `jsonpath=`, as kubectl reads it: text, `{PATH}`, `{"text"}` and `{range PATH}…{end}`. Several values of
 * a path are written with spaces between them; what is no scalar as JSON. A template without braces is a path. Throws `CliError`.
 */
export function compileTemplate(template: string): Template {
  const parts = parse(template.includes("{") ? template : `{${template}}`);
  return (value) => write(parts, value);
}

function parse(template: string): readonly Part[] {
  const open: Part[][] = [[]];
  const add = (part: Part): void => void open.at(-1)?.push(part);
  for (const [piece, quoted, inside] of template.matchAll(
    /\{\s*(?:"((?:[^"\\]|\\.)*)"\s*|((?:[^}"']|"[^"]*"|'[^']*')*))\}|[^{]+|\{/gu,
  )) {
    if (quoted !== undefined) add({ text: JSON.parse(`"${quoted}"`) as string });
    else if (inside === undefined && piece === "{")
      throw new CliError("Usage", `jsonpath: a { is not closed in ${template}`);
    else if (inside === undefined) add({ text: piece });
    else if (inside.trim() === "end") {
      if (open.length === 1) throw new CliError("Usage", "jsonpath: {end} without {range}");
      open.pop();
    } else if (/^range\s/.test(inside)) {
      const range = { range: checked(inside.replace(/^range\s+/, "")), parts: [] };
      add(range);
      open.push(range.parts);
    } else add({ path: checked(inside) });
  }
  if (open.length > 1) throw new CliError("Usage", "jsonpath: {range} without {end}");
  return open[0] ?? [];
}

/** A path from the root or the current item: kubectl's `$` and `@` stand for it and may be left out. */
function checked(path: string): string {
  const plain = path.trim().replace(/^[$@]/, "");
  try {
    compileJsonPath(plain);
  } catch (cause) {
    if (!(cause instanceof JsonPathError)) throw cause;
    throw new CliError("Usage", `jsonpath: ${cause.message}`, { cause });
  }
  return plain;
}

function write(parts: readonly Part[], value: JsonValue): string {
  return parts
    .map((part) => {
      if ("text" in part) return part.text;
      if ("path" in part) return compileJsonPath(part.path)(value).map(textOf).join(" ");
      return compileJsonPath(part.range)(value)
        .map((item) => write(part.parts, item))
        .join("");
    })
    .join("");
}

const textOf = (value: JsonValue): string => (typeof value === "string" ? value : stringifyJson(value));
