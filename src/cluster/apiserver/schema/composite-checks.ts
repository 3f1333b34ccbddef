/** `allOf`, `anyOf`, `oneOf` and `not`. Their own faults name no field: Kubernetes prints `<nil>` there and the path in the text. */
import { invalid } from "#api/meta/field.ts";
import { isJsonObject, type JsonValue } from "#api/meta/json.ts";
import { type Fault, Faults } from "./faults.ts";
import { nodeOf, referenceOf, type SchemaNode } from "./node.ts";
import type { Validate } from "./validation.ts";

type Attempt = (value: JsonValue, depth: number) => readonly Fault[];

export function compositeChecks(node: SchemaNode): readonly Validate[] {
  const checks: Validate[] = [];
  const anyOf = attempts(node, node.schema.anyOf);
  if (anyOf.length > 0) checks.push(anyOfCheck(anyOf));
  const oneOf = attempts(node, node.schema.oneOf);
  if (oneOf.length > 0) checks.push(oneOfCheck(oneOf));
  // An `allOf` of one reference is the reference itself, already followed.
  const allOf = referenceOf(node.schema) === undefined ? attempts(node, node.schema.allOf) : [];
  if (allOf.length > 0) checks.push(allOfCheck(allOf));
  const [not] = attempts(node, [node.schema.not]);
  if (not) {
    checks.push((value, faults) => {
      if (not(value, faults.depth).length === 0) complain(faults, "must not validate the schema (not)");
    });
  }
  return checks;
}

function attempts(node: SchemaNode, schemas: unknown): readonly Attempt[] {
  if (!Array.isArray(schemas)) return [];
  return schemas.filter(isJsonObject).map((schema) => {
    let alternative: SchemaNode | undefined;
    return (value, depth) => {
      alternative ??= nodeOf(schema, node.context);
      const faults = new Faults(depth);
      alternative.validate(value, faults);
      return faults.list;
    };
  });
}

function anyOfCheck(alternatives: readonly Attempt[]): Validate {
  return (value, faults) => {
    let nearest: readonly Fault[] | undefined;
    for (const attempt of alternatives) {
      const failed = attempt(value, faults.depth);
      if (failed.length === 0) return;
      nearest = nearer(nearest, failed);
    }
    complain(faults, "must validate at least one schema (anyOf)");
    faults.list.push(...(nearest ?? []));
  };
}

function oneOfCheck(alternatives: readonly Attempt[]): Validate {
  return (value, faults) => {
    let nearest: readonly Fault[] | undefined;
    let valid = 0;
    for (const attempt of alternatives) {
      const failed = attempt(value, faults.depth);
      if (failed.length === 0) valid++;
      else nearest = nearer(nearest, failed);
    }
    if (valid === 1) return;
    const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
    complain(faults, `must validate one and only one schema (oneOf). ${found}`);
    if (valid === 0) faults.list.push(...(nearest ?? []));
  };
}

function allOfCheck(parts: readonly Attempt[]): Validate {
  return (value, faults) => {
    let failures = 0;
    for (const attempt of parts) {
      const failed = attempt(value, faults.depth);
      if (failed.length > 0) failures++;
      faults.list.push(...failed);
    }
    if (failures === 0) return;
    complain(faults, `must validate all the schemas (allOf)${failures === parts.length ? ". None validated" : ""}`);
  };
}

/** Of several failed alternatives the one with the fewest faults explains best. */
const nearer = (best: readonly Fault[] | undefined, next: readonly Fault[]): readonly Fault[] =>
  best === undefined || next.length < best.length ? next : best;

function complain(faults: Faults, text: string): void {
  faults.add((path) => invalid("<nil>", "", `${JSON.stringify(path)} ${text}`));
}
