/** `minimum`, `maximum`, `multipleOf`, and `minLength`, `maxLength`, `pattern`. */
import { type FieldError, invalid, tooLong } from "#api/meta/field.ts";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { compilePattern } from "./pattern.ts";
import type { Validate } from "./validation.ts";
import { goNumber } from "./values.ts";

type Numeric = number | bigint;

const isNumeric = (value: JsonValue | undefined): value is Numeric =>
  typeof value === "number" || typeof value === "bigint";

export function numberChecks(schema: JsonObject): readonly Validate[] {
  const checks: Validate[] = [];
  const { multipleOf, maximum, minimum } = schema;
  const check = (holds: (value: Numeric) => boolean, text: string) => {
    checks.push((value, faults) => {
      if (!holds(value as Numeric)) faults.add((path) => invalid(path, value, `${path} in body should be ${text}`));
    });
  };
  if (isNumeric(multipleOf)) check((value) => isMultiple(value, multipleOf), `a multiple of ${goNumber(multipleOf)}`);
  if (isNumeric(minimum)) {
    if (schema.exclusiveMinimum === true) check((value) => value > minimum, `greater than ${goNumber(minimum)}`);
    else check((value) => value >= minimum, `greater than or equal to ${goNumber(minimum)}`);
  }
  if (isNumeric(maximum)) {
    if (schema.exclusiveMaximum === true) check((value) => value < maximum, `less than ${goNumber(maximum)}`);
    else check((value) => value <= maximum, `less than or equal to ${goNumber(maximum)}`);
  }
  return checks;
}

function isMultiple(value: Numeric, factor: Numeric): boolean {
  if (factor <= 0) return false;
  if (typeof value === "bigint" && Number.isInteger(Number(factor))) return value % BigInt(factor) === 0n;
  const step = Number(factor);
  const quotient = step < 1 ? (1 / step) * Number(value) : Number(value) / step;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

/** Length and pattern; only the first that fails is told. Lengths count code points. */
export function stringChecks(schema: JsonObject): readonly Validate[] {
  const tests: ((text: string) => ((path: string) => FieldError) | undefined)[] = [];
  const { maxLength, minLength, pattern } = schema;
  if (typeof maxLength === "number") {
    tests.push((text) =>
      text.length > maxLength && codePoints(text) > maxLength ? (path) => tooLong(path, maxLength) : undefined,
    );
  }
  if (typeof minLength === "number") {
    tests.push((text) =>
      text.length < minLength || (text.length < minLength * 2 && codePoints(text) < minLength)
        ? (path) => invalid(path, text, `${path} in body should be at least ${minLength} chars long`)
        : undefined,
    );
  }
  if (typeof pattern === "string" && pattern !== "") tests.push(patternTest(pattern));
  if (tests.length === 0) return [];
  return [
    (value, faults) => {
      for (const test of tests) {
        const fault = test(value as string);
        if (fault) return faults.add(fault);
      }
    },
  ];
}

function patternTest(pattern: string): (text: string) => ((path: string) => FieldError) | undefined {
  const compiled = compilePattern(pattern);
  const shown = compiled.valid ? pattern : `${pattern}, but pattern is invalid: ${compiled.fault}`;
  return (text) =>
    compiled.valid && compiled.expression.test(text)
      ? undefined
      : (path) => invalid(path, text, `${path} in body should match '${shown}'`);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _point of text) count++;
  return count;
}
