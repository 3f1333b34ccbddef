/** One checked condition on one label: what label selectors are made of. */
import { type FieldError, index, invalid, key as keyed } from "./field.ts";
import { isLabelValue, isQualifiedName } from "./names.ts";

/** A selector that Kubernetes would refuse; the message is Kubernetes' own. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
  readonly code = "InvalidSelector";
}

export const SET_OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"] as const;
export type SetOperator = (typeof SET_OPERATORS)[number];

export interface Requirement {
  readonly key: string;
  readonly operator: SetOperator;
  /** Sorted, each once. */
  readonly values: readonly string[];
}

/** Checks key, number of values and values. Throws `SelectorError` naming all faults. */
export function requirement(key: string, operator: SetOperator, values: readonly string[]): Requirement {
  const faults = [
    ...faultsAt("key", key, isQualifiedName(key)),
    ...countFaults(operator, values),
    ...values.flatMap((value, at) => faultsAt(keyed(index("values", at), key), value, isLabelValue(value))),
  ];
  if (faults.length > 0) {
    const texts = faults.map(({ field, body }) => `${field}: ${body}`);
    throw new SelectorError(texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`);
  }
  return { key, operator, values: [...new Set(values)].sort() };
}

/** An invalid value with all the reasons in one text; nothing when there are none. */
export function faultsAt(field: string, value: string, reasons: readonly string[]): readonly FieldError[] {
  return reasons.length === 0 ? [] : [invalid(field, value, reasons.join("; "))];
}

function countFaults(operator: SetOperator, values: readonly string[]): readonly FieldError[] {
  const wantsValues = operator === "In" || operator === "NotIn";
  if (wantsValues === values.length > 0) return [];
  return [
    invalid(
      "values",
      values,
      wantsValues
        ? "for 'in', 'notin' operators, values set can't be empty"
        : "values set must be empty for exists and does not exist",
    ),
  ];
}
