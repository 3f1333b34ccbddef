/** The rules of policies that keep a buffer: of servers, or of places in a counter or list. */
import type { FeatureGates } from "../agones/feature-gates.ts";
import { NOT_NEGATIVE } from "../agones/validate-resources.ts";
import { child, type FieldError, forbidden, invalid, required } from "../meta/field.ts";
import type { BufferPolicy, CapacityPolicy } from "./policy.ts";

/** A buffer within limits, and the words of its faults. */
interface Buffered {
  readonly bufferSize: number | string;
  readonly min: number | bigint;
  readonly max: number | bigint;
  readonly minName: string;
  readonly maxName: string;
  /** What is told of a minimum below 1 beside a percentage. */
  readonly belowOne: (path: string) => FieldError;
}

export function validateBuffer(buffer: BufferPolicy | null | undefined, path: string): readonly FieldError[] {
  if (!buffer) return [required(path, "buffer policy config params are missing")];
  const { minReplicas = 0, maxReplicas, bufferSize = 0 } = buffer;
  return validateBuffered(
    {
      bufferSize,
      min: minReplicas,
      max: maxReplicas,
      minName: "minReplicas",
      maxName: "maxReplicas",
      belowOne: (field) => invalid(field, minReplicas, NOT_NEGATIVE),
    },
    path,
  );
}

/** `kind`: counter or list. */
export function validateCapacity(
  policy: CapacityPolicy | null | undefined,
  kind: "counter" | "list",
  gates: FeatureGates,
  path: string,
): readonly FieldError[] {
  if (!gates.CountsAndLists) return [forbidden(path, "feature CountsAndLists must be enabled")];
  if (!policy) return [required(path, `${kind} policy config params are missing`)];
  const { minCapacity = 0n, maxCapacity, bufferSize } = policy;
  // The space in front is part of the contract's text.
  const rule = " when bufferSize in percentage format is used, minCapacity should be more than 0";
  return validateBuffered(
    {
      bufferSize,
      min: minCapacity,
      max: maxCapacity,
      minName: "minCapacity",
      maxName: "maxCapacity",
      belowOne: (field) => invalid(field, bufferSize, rule),
    },
    path,
  );
}

function validateBuffered(policy: Buffered, path: string): readonly FieldError[] {
  const { bufferSize, min, max, minName, maxName, belowOne } = policy;
  const [size, least, most] = ["bufferSize", minName, maxName].map((name) => child(path, name)) as [
    string,
    string,
    string,
  ];
  const faults: FieldError[] = [];
  if (min > max) faults.push(invalid(least, min, `${minName} should be smaller than ${maxName}`));
  if (typeof bufferSize === "string") {
    if (!isPercentage(bufferSize)) faults.push(invalid(size, bufferSize, "bufferSize should be between 1% and 99%"));
    if (min < 1) faults.push(belowOne(least));
    return faults;
  }
  if (bufferSize <= 0) faults.push(invalid(size, bufferSize, NOT_NEGATIVE));
  if (max < bufferSize) {
    faults.push(invalid(most, max, `${maxName} should be bigger than or equal to bufferSize`));
  }
  if (Number(min) !== 0 && min < bufferSize) {
    faults.push(invalid(least, min, `${minName} should be bigger than or equal to bufferSize`));
  }
  return faults;
}

/** A whole number from 1 to 99 with its sign. */
function isPercentage(text: string): boolean {
  const digits = /^(\+?\d+)%$/.exec(text)?.[1];
  return digits !== undefined && Number(digits) >= 1 && Number(digits) <= 99;
}
