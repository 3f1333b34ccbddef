/** One checked condition on one label: what label selectors are made of. */
import { type FieldError, index, invalid, key as keyed } from "./field.ts";
import { isLabelValue, isQualifiedName } from "./names.ts";

/** A selector that Kubernetes would refuse; the message is Kubernetes' own. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
  readonly code = "InvalidSelector";
}

/** Those of selectors in objects. */
export const SET_OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"] as const;
/** The text form has two more, which compare a label's value as a number: greater and less. */
export type SelectorOperator = (typeof SET_OPERATORS)[number] | "Gt" | "Lt";

export interface Requirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

/** Checks key, number of values and values. Throws `SelectorError` naming all faults. */
export function requirement(key: string, operator: SelectorOperator, values: readonly string[]): Requirement {
  const faults = [
    ...faultsAt("key", key, isQualifiedName(key)),
    ...operandFaults(operator, values),
    ...values.flatMap((value, at) => faultsAt(keyed(index("values", at), key), value, isLabelValue(value))),
  ];
  if (faults.length > 0) {
    const texts = faults.map(({ field, body }) => `${field}: ${body}`);
    throw new SelectorError(texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`);
  }
  return { key, operator, values };
}

/** The number that a text is, where 64 bits hold it. */
export function integerOf(text: string): bigint | undefined {
  const number = /^[+-]?\d{1,63}$/.test(text) ? BigInt(text) : undefined;
  return number !== undefined && BigInt.asIntN(64, number) === number ? number : undefined;
}

/** An invalid value with all the reasons in one text; nothing when there are none. */
export function faultsAt(field: string, value: string, reasons: readonly string[]): readonly FieldError[] {
  return reasons.length === 0 ? [] : [invalid(field, value, reasons.join("; "))];
}

function operandFaults(operator: SelectorOperator, values: readonly string[]): readonly FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [invalid("values", null, "for 'in', 'notin' operators, values set can't be empty")];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [invalid("values", values, "values set must be empty for exists and does not exist")];
    case "Gt":
    case "Lt":
      return values.flatMap((value, at) =>
        integerOf(value) === undefined
          ? [invalid(index("values", at), value, "for 'Gt', 'Lt' operators, the value must be an integer")]
          : [],
      );
  }
}
