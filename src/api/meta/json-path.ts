/**
 * The part of kubectl's JSONPath that printer columns and the command line use: `.a.b`, `.a\.b`, `['a.b']`, `[0]`, `[-1]`, `[*]`, `.*` and filters
 * such as `[?(@.type=="Ready")]`.
 */
import { isJsonObject, type JsonValue } from "./json.ts";

/** Finds the values at a path, in order; a step that leads nowhere finds nothing. */
export type JsonPath = (root: JsonValue) => readonly JsonValue[];

/** Thrown for a path outside the supported part. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
  readonly code = "JsonPathError";
}

type Step = (value: JsonValue) => readonly JsonValue[];

/** Compiles a path such as `.status.ports[0].port`; braces around it are allowed. Throws `JsonPathError`. */
export function compileJsonPath(path: string): JsonPath {
  const text = path.startsWith("{") && path.endsWith("}") ? path.slice(1, -1) : path;
  if (text !== "" && !/^[.[]/.test(text)) throw new JsonPathError(`unrecognized path ${JSON.stringify(path)}`);
  const steps = parseSteps(text, path);
  return (root) => steps.reduce<readonly JsonValue[]>((values, step) => values.flatMap(step), [root]);
}

/** As `compileJsonPath`, but a path outside the supported part finds nothing. */
export function tolerantJsonPath(path: string): JsonPath {
  try {
    return compileJsonPath(path);
  } catch {
    return () => [];
  }
}

const STEP = [
  String.raw`\.?\[\s*(?:(?<index>-?\d+)|(?<all>\*)|'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>(?:[^"\\]|\\.)*)"|\?\((?<filter>[^)]*)\))\s*\]`,
  String.raw`\.(?<star>\*)`,
  String.raw`\.(?<name>(?:[^.[\]\\]|\\.)+)`,
].join("|");

function parseSteps(text: string, path: string): readonly Step[] {
  const steps: Step[] = [];
  const next = new RegExp(STEP, "uy");
  for (let at = 0; at < text.length; at = next.lastIndex) {
    const groups = next.exec(text)?.groups;
    if (groups) steps.push(stepOf(groups, path));
    else if (text.slice(at) === ".") break;
    else throw new JsonPathError(`unrecognized path ${JSON.stringify(path)}`);
  }
  return steps;
}

function stepOf(groups: Record<string, string | undefined>, path: string): Step {
  if (groups.all || groups.star) return everything;
  if (groups.index !== undefined) return itemAt(Number(groups.index));
  if (groups.filter !== undefined) return filtered(groups.filter, path);
  return memberNamed(unescaped(groups.name ?? groups.single ?? groups.double ?? ""));
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, "$1");

const everything: Step = (value) =>
  Array.isArray(value)
    ? value
    : isJsonObject(value)
      ? Object.values(value).filter((member) => member !== undefined)
      : [];

const itemAt =
  (position: number): Step =>
  (value) =>
    Array.isArray(value) ? value.slice(position, position === -1 ? undefined : position + 1) : [];

const memberNamed =
  (name: string): Step =>
  (value) => {
    const member = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return member === undefined ? [] : [member];
  };

const COMPARISON = /^\s*@(?<path>[^=!<>]*?)\s*(?:(?<operator>==|!=|<=|>=|<|>)\s*(?<operand>.+?))?\s*$/u;

/** Items for which the expression holds; an item without the member never does. */
function filtered(expression: string, path: string): Step {
  const groups = COMPARISON.exec(expression)?.groups;
  if (!groups) throw new JsonPathError(`unrecognized filter in path ${JSON.stringify(path)}`);
  const left = compileJsonPath(groups.path ?? "");
  const holds = groups.operator ? comparison(groups.operator, operandOf(groups.operand ?? "", path)) : () => true;
  return (value) =>
    everything(value).filter((item) => {
      const [found] = left(item);
      return found !== undefined && holds(found);
    });
}

function operandOf(text: string, path: string): string | number | boolean {
  const quoted = /^'(.*)'$|^"(.*)"$/su.exec(text);
  if (quoted) return unescaped(quoted[1] ?? quoted[2] ?? "");
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  if (Number.isNaN(number)) throw new JsonPathError(`unrecognized operand in path ${JSON.stringify(path)}`);
  return number;
}

function comparison(operator: string, right: string | number | boolean): (left: JsonValue) => boolean {
  return (value) => {
    const left = typeof value === "bigint" ? Number(value) : value;
    if (typeof left !== typeof right || left === null || typeof left === "object") return false;
    switch (operator) {
      case "==":
        return left === right;
      case "!=":
        return left !== right;
      case "<":
        return left < right;
      case "<=":
        return left <= right;
      case ">":
        return left > right;
      default:
        return left >= right;
    }
  };
}
