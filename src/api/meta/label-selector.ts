/** Label selectors of apimachinery: as they stand in objects (`meta/v1`), and as text. */
import { integerOf, type Requirement, requirement, SET_OPERATORS, SelectorError } from "./label-requirement.ts";
import { quoted } from "./quote.ts";

export { SelectorError } from "./label-requirement.ts";
export { parseLabelSelector } from "./label-selector-text.ts";

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export type Labels = Readonly<Record<string, string>>;

/**
 * Compiles a selector once, to be asked often; an empty one matches everything. A text is parsed first (`parseLabelSelector`).
 * Throws `SelectorError` with Kubernetes' text on an unknown operator, a bad key, a bad value or a wrong number of values.
 */
export function labelSelectorMatcher(
  selector: LabelSelector | readonly Requirement[],
): (labels: Labels | undefined) => boolean {
  const tests = (isParsed(selector) ? selector : requirementsOf(selector)).map(testOf);
  return (labels = {}) => tests.every((test) => test(labels));
}

const isParsed = (selector: LabelSelector | readonly Requirement[]): selector is readonly Requirement[] =>
  Array.isArray(selector);

function requirementsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly Requirement[] {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => requirement(key, "In", [value])),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      const known = SET_OPERATORS.find((each) => each === operator);
      if (!known) throw new SelectorError(`${quoted(operator)} is not a valid label selector operator`);
      return requirement(key, known, values);
    }),
  ];
}

function testOf({ key, operator, values }: Requirement): (labels: Labels) => boolean {
  const labelOf = (labels: Labels) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const among = new Set(values);
  switch (operator) {
    case "In":
      return (labels) => among.has(labelOf(labels) as string);
    case "NotIn":
      return (labels) => !among.has(labelOf(labels) as string);
    case "Exists":
      return (labels) => labelOf(labels) !== undefined;
    case "DoesNotExist":
      return (labels) => labelOf(labels) === undefined;
    default:
      return comparison(operator, integerOf(values[0] ?? ""), labelOf);
  }
}

/** A label that is no number is neither greater nor less. */
function comparison(
  operator: "Gt" | "Lt",
  bound: bigint | undefined,
  labelOf: (labels: Labels) => string | undefined,
): (labels: Labels) => boolean {
  return (labels) => {
    const number = integerOf(labelOf(labels) ?? "");
    if (number === undefined || bound === undefined) return false;
    return operator === "Gt" ? number > bound : number < bound;
  };
}
