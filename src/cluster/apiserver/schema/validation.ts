/**
 * Validation against a schema node, compiled into one list of checks for each JSON type. Order and texts are those of
 * Kubernetes (kube-openapi `validation/validate` and apiextensions-apiserver).
 */
import { typeInvalid } from "#api/meta/field.ts";
import type { JsonValue } from "#api/meta/json.ts";
import { arrayChecks } from "./array-checks.ts";
import { compositeChecks } from "./composite-checks.ts";
import { enumCheck } from "./enum-check.ts";
import type { Faults } from "./faults.ts";
import { formatChecks, isKnownFormat } from "./format-checks.ts";
import type { SchemaNode } from "./node.ts";
import { objectChecks } from "./object-checks.ts";
import { numberChecks, stringChecks } from "./scalar-checks.ts";
import { type JsonKind, kindOf } from "./values.ts";

export type Validate = (value: JsonValue, faults: Faults) => void;

type ChecksByKind = Readonly<Record<JsonKind, readonly Validate[]>>;

export function compileValidation(node: SchemaNode): Validate {
  const checks = checksOf(node);
  return (value, faults) => {
    for (const check of checks[kindOf(value)]) check(value, faults);
  };
}

function checksOf(node: SchemaNode): ChecksByKind {
  const composites = compositeChecks(node);
  const values = enumCheck(node.schema);
  const chain = (kind: JsonKind, ...own: readonly Validate[]) => [
    ...typeChecks(node, kind),
    ...composites,
    ...own,
    ...values,
  ];
  const numbers = numberChecks(node.schema);
  const { typed } = node.context;
  return {
    // Nothing but type and enum is asked of a null.
    null: [...nullChecks(node), ...values],
    boolean: chain("boolean"),
    string: chain("string", ...stringChecks(node.schema), ...formatChecks(node.schema, "string", typed)),
    integer: chain("integer", ...numbers, ...formatChecks(node.schema, "integer", typed)),
    number: chain("number", ...numbers),
    array: chain("array", ...arrayChecks(node)),
    object: [...chain("object"), ...objectChecks(node)],
  };
}

function nullChecks(node: SchemaNode): readonly Validate[] {
  return node.nullable || node.types.length === 0 || node.types.includes("null")
    ? []
    : [mustBe(node.types.join(","), "null")];
}

function typeChecks(node: SchemaNode, kind: JsonKind): readonly Validate[] {
  const { types } = node;
  if (types.length === 0 || types.includes(kind)) return [];
  if (kind === "integer" && types.includes("number")) return [];
  const format = node.schema.format;
  // A string format names the type that is expected, and the value is named by the format a Go client would give it.
  if (types.includes("string") && typeof format === "string" && isKnownFormat(format) && kind !== "array") {
    return [mustBe(format, kind === "integer" ? "int64" : kind === "number" ? "float64" : "")];
  }
  return [mustBe(types.join(","), kind)];
}

function mustBe(expected: string, actual: string): Validate {
  return (_value, faults) =>
    faults.add((path) =>
      typeInvalid(path, actual, `${path} in body must be of type ${expected}: ${JSON.stringify(actual)}`),
    );
}
