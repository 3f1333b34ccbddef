/** The fields of a kind as rows of a reference page, read from its schema. */
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { code } from "../reference/markdown.ts";

export interface Field {
  /** Dotted, `[]` for the items of a list and `{}` for the values of a map: `spec.ports[].hostPort`. */
  readonly path: string;
  readonly type: string;
  /** As it is told: a value, or words. */
  readonly default?: string;
  readonly limits: readonly string[];
  readonly meaning: string;
  readonly gate?: string;
  /** Where its members are told, in Markdown: another page, or the path of a field with the very same ones. */
  readonly membersAs?: string;
}

/** Fields that are not looked into, since their members belong to another page or to Kubernetes: a link to it, in Markdown. */
export type Elsewhere = (path: string) => string | undefined;

const DEFAULT = /\s*Default: ((?:[^.]|\.(?=\S))+)\./;
const GATE = /\s*Needs the feature gate (\w+)\./;

/** All fields below a schema, each before its members. A group of members that came before is not told again. */
export function fieldsOf(schema: JsonObject, elsewhere: Elsewhere = () => undefined): readonly Field[] {
  const told = new Map<string, string>();
  const fields: Field[] = [];
  const visit = (object: JsonObject, base: string): void => {
    const required = (object.required ?? []) as readonly string[];
    for (const [name, member] of Object.entries((object.properties ?? {}) as JsonObject)) {
      const path = base ? `${base}.${name}` : name;
      const { inner, suffix } = innermost(member as JsonObject);
      const identity = JSON.stringify(inner.properties);
      const before = identity && told.get(identity);
      const membersAs = elsewhere(path) ?? (before ? code(before) : undefined);
      fields.push({ ...field(member as JsonObject, path, required.includes(name)), membersAs });
      if (!inner.properties || membersAs) continue;
      told.set(identity, path);
      visit(inner, path + suffix);
    }
  };
  visit(schema, "");
  return fields;
}

/** Through lists and maps to what they hold. */
function innermost(schema: JsonObject): { readonly inner: JsonObject; readonly suffix: string } {
  for (const [keyword, suffix] of [
    ["items", "[]"],
    ["additionalProperties", "{}"],
  ] as const) {
    const held = schema[keyword];
    if (!isJsonObject(held)) continue;
    const deeper = innermost(held);
    return { inner: deeper.inner, suffix: suffix + deeper.suffix };
  }
  return { inner: schema, suffix: "" };
}

function field(schema: JsonObject, path: string, required: boolean): Field {
  const text = typeof schema.description === "string" ? schema.description : "";
  return {
    path,
    type: typeOf(schema),
    default: statedDefault(text) ?? (schema.default === undefined ? undefined : JSON.stringify(schema.default)),
    limits: limitsOf(schema, required),
    meaning: text.replace(DEFAULT, "").replace(GATE, "").trim(),
    gate: GATE.exec(text)?.[1],
  };
}

/** What a description says that admission fills in. */
export const statedDefault = (description: string): string | undefined => DEFAULT.exec(description)?.[1];

function typeOf(schema: JsonObject): string {
  if (schema["x-kubernetes-int-or-string"]) return "int or string";
  if (isJsonObject(schema.items)) {
    const what = schema["x-kubernetes-list-type"] === "set" ? "set" : "list";
    return `${what} of ${typeOf(schema.items)}`;
  }
  if (isJsonObject(schema.additionalProperties)) return `map to ${typeOf(schema.additionalProperties)}`;
  switch (schema.format) {
    case "date-time":
      return "time";
    case "byte":
      return "base64";
    case "int32":
    case "int64":
      return schema.format;
    default:
      return String(schema.type);
  }
}

function limitsOf(schema: JsonObject, required: boolean): readonly string[] {
  const { minimum, exclusiveMinimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = schema;
  const values = schema.enum as readonly string[] | undefined;
  const limits: (string | false | undefined)[] = [
    required && "required",
    values?.map(code).join(", "),
    range(exclusiveMinimum ? "above" : "at least", minimum, maximum),
    range("at least", minLength || undefined, maxLength, " characters"),
    range("at least", minItems, maxItems, " items"),
    range("at least", undefined, maxProperties, " keys"),
    typeof schema.pattern === "string" && code(schema.pattern),
    schema.nullable === true && "may be null",
  ];
  return limits.filter((limit): limit is string => typeof limit === "string");
}

function range(atLeast: string, least?: JsonValue, most?: JsonValue, units = ""): string | undefined {
  const unit = (most ?? least) === 1 ? units.replace(/s$/, "") : units;
  if (least !== undefined && least === most) return `exactly ${least}${unit}`;
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `${atLeast} ${least}${unit}`;
  return most === undefined ? undefined : `at most ${most}${unit}`;
}
