/** What a scale subresource asks of the objects it shows, besides their schema. */
import { type FieldError, invalid } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { ObjectSchema, ScalePaths } from "../resource-definition.ts";

const MOST_REPLICAS = 2147483647;

/** The schema with the rule that replica counts must be counts, and the selector a text. */
export function withScaleRules(schema: ObjectSchema, scale: ScalePaths | undefined): ObjectSchema {
  if (!scale) return schema;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const ofStatus = [replicaRule(statusReplicasPath), ...(labelSelectorPath ? [selectorRule(labelSelectorPath)] : [])];
  const all = [replicaRule(specReplicasPath), ...ofStatus];
  return {
    ...schema,
    validate: (object, old) => [...schema.validate(object, old), ...all.flatMap((rule) => rule(object))],
    validateStatus: (object, old) => [
      ...schema.validateStatus(object, old),
      ...ofStatus.flatMap((rule) => rule(object)),
    ],
  };
}

type Rule = (object: JsonObject) => readonly FieldError[];

function replicaRule(path: string): Rule {
  const find = finder(path);
  return (object) => {
    const { value, fault } = find(object);
    if (fault !== undefined) return [invalid(path, 0, fault)];
    if (value === undefined) return [];
    if (!isWhole(value)) return [invalid(path, 0, wrongType(path, value, "int64"))];
    if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
    return value > MOST_REPLICAS ? [invalid(path, value, `should be less than or equal to ${MOST_REPLICAS}`)] : [];
  };
}

function selectorRule(path: string): Rule {
  const find = finder(path);
  return (object) => {
    const { value, fault } = find(object);
    if (fault !== undefined) return [invalid(path, "", fault)];
    return value === undefined || typeof value === "string"
      ? []
      : [invalid(path, "", wrongType(path, value, "string"))];
  };
}

interface Found {
  readonly value?: JsonValue;
  readonly fault?: string;
}

/** What stands at a path of members; a fault when it leads through something that has none. */
function finder(path: string): (object: JsonObject) => Found {
  const steps = path.replace(/^\./, "").split(".");
  return (object) => {
    let value: JsonValue | undefined = object;
    for (const [position, step] of steps.entries()) {
      if (value === undefined || value === null) return {};
      if (!isJsonObject(value))
        return { fault: wrongType(`.${steps.slice(0, position + 1).join(".")}`, value, "map[string]interface{}") };
      value = Object.hasOwn(value, step) ? value[step] : undefined;
    }
    return value === undefined ? {} : { value };
  };
}

const isWhole = (value: JsonValue): value is number | bigint =>
  typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));

const wrongType = (path: string, value: JsonValue, expected: string): string =>
  `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`;

/** The names that the language of Kubernetes has for the types of JSON. */
function goType(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return isWhole(value) ? "int64" : "float64";
}

function goText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([name, member]) => `${name}:${goText(member)}`).join(" ")}]`;
}
