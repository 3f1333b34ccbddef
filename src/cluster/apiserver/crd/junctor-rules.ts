/** What a structural schema may say inside `allOf`, `anyOf`, `oneOf` and `not`: value rules only, about parts that are described outside. */
import { child, type FieldError, forbidden, index, invalid, key, required } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { objectAt, objectsAt } from "../resources/object-fields.ts";
import { compilePattern } from "../schema/pattern.ts";
import { identityOf } from "../schema/values.ts";

const JUNCTORS = ["anyOf", "allOf", "oneOf"] as const;
const INT_OR_STRING = identityOf([{ type: "integer" }, { type: "string" }]);

interface Place {
  /** The described part that the rules speak of; `undefined` when there is none. */
  readonly structure: JsonObject | undefined;
  readonly structurePath: string;
}

/** Faults of all junctors below a schema. `structure` is the schema that describes the same value. */
export function junctorFaults(schema: JsonObject, path: string, plain: ReadonlySet<JsonObject>): readonly FieldError[] {
  const place = { structure: schema, structurePath: path };
  return [
    ...rulesBelow(schema, path, place),
    ...childrenOf(schema, path)
      .filter(([inner]) => !plain.has(inner))
      .flatMap(([inner, innerPath]) => junctorFaults(inner, innerPath, plain)),
  ];
}

function childrenOf(schema: JsonObject, path: string): readonly (readonly [JsonObject, string])[] {
  const children: (readonly [JsonValue | undefined, string])[] = [
    [schema.items, child(path, "items")],
    [schema.additionalProperties, child(path, "additionalProperties")],
    ...Object.entries(objectAt(schema, "properties")).map(
      ([name, inner]) => [inner, key(child(path, "properties"), name)] as const,
    ),
  ];
  return children.filter((each): each is [JsonObject, string] => isJsonObject(each[0]));
}

function rulesBelow(schema: JsonObject, path: string, place: Place): readonly FieldError[] {
  const faults = JUNCTORS.flatMap((junctor) =>
    objectsAt(schema, junctor).flatMap((inner, position) =>
      isIntOrStringPart(schema, junctor, inner, position)
        ? []
        : ruleFaults(inner, index(child(path, junctor), position), place),
    ),
  );
  const { not } = schema;
  return isJsonObject(not) ? [...faults, ...ruleFaults(not, child(path, "not"), place)] : faults;
}

/** `anyOf: [{type: integer}, {type: string}]` may name types, alone or as the first of `allOf`. */
function isIntOrStringPart(schema: JsonObject, junctor: string, inner: JsonObject, position: number): boolean {
  if (junctor === "anyOf") return identityOf(schema.anyOf ?? null) === INT_OR_STRING;
  return junctor === "allOf" && position === 0 && identityOf(inner) === `{"anyOf":${INT_OR_STRING}}`;
}

const EMPTY = "must be empty to be structural";
const FALSE = "must be false to be structural";
const UNDEFINED = "must be undefined to be structural";
/** Keywords that describe a value rather than restrict it. */
const DESCRIBING: Readonly<Record<string, string>> = {
  type: EMPTY,
  additionalProperties: UNDEFINED,
  default: UNDEFINED,
  title: EMPTY,
  description: EMPTY,
  nullable: FALSE,
  "x-kubernetes-preserve-unknown-fields": FALSE,
  "x-kubernetes-embedded-resource": FALSE,
  "x-kubernetes-int-or-string": FALSE,
  "x-kubernetes-list-map-keys": EMPTY,
  "x-kubernetes-list-type": UNDEFINED,
  "x-kubernetes-map-type": UNDEFINED,
  "x-kubernetes-validations": EMPTY,
};

function ruleFaults(rules: JsonObject, path: string, { structure, structurePath }: Place): readonly FieldError[] {
  if (!structure) return [required(structurePath, `because it is defined in ${path}`)];
  const properties = objectAt(rules, "properties");
  const field = (base: string, name: string) => key(child(base, "properties"), name);
  const inner = (part: JsonValue | undefined, at: string, described: JsonValue | undefined, describedAt: string) => {
    if (!isJsonObject(part)) return [];
    return ruleFaults(part, at, {
      structure: isJsonObject(described) ? described : undefined,
      structurePath: describedAt,
    });
  };
  return [
    ...Object.entries(DESCRIBING)
      .filter(([keyword]) => rules[keyword] !== undefined && rules[keyword] !== false && rules[keyword] !== "")
      .map(([keyword, text]) => forbidden(child(path, keyword), text)),
    ...(properties.metadata === undefined
      ? []
      : [forbidden(field(path, "metadata"), "must not be specified in a nested context")]),
    ...patternFaults(rules, path),
    ...rulesBelow(rules, path, { structure, structurePath }),
    ...inner(rules.items, child(path, "items"), structure.items, child(structurePath, "items")),
    ...Object.entries(properties).flatMap(([name, part]) =>
      inner(part, field(path, name), objectAt(structure, "properties")[name], field(structurePath, name)),
    ),
  ];
}

export function patternFaults({ pattern }: JsonObject, path: string): readonly FieldError[] {
  if (typeof pattern !== "string" || pattern === "") return [];
  const compiled = compilePattern(pattern);
  if (compiled.valid) return [];
  const text = `must be a valid regular expression, but isn't: ${compiled.fault}`;
  return [invalid(child(path, "pattern"), pattern, text)];
}
