/** Label selectors of apimachinery `meta/v1`: matching and the text form. */
import { type Requirement, requirement, SET_OPERATORS, SelectorError } from "./label-requirement.ts";

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
 * Compiles a selector once, to be asked often; an empty one matches everything.
 * Throws `SelectorError` with Kubernetes' text on an unknown operator, a bad key, a bad value or a wrong number of values.
 */
export function labelSelectorMatcher(selector: LabelSelector): (labels: Labels | undefined) => boolean {
  const tests = requirementsOf(selector).map(testOf);
  return (labels = {}) => tests.every((test) => test(labels));
}

/** The text that goes into `labelSelector=`; it parses back to the same conditions. Throws `SelectorError`. */
export function formatLabelSelector(selector: LabelSelector): string {
  return requirementsOf(selector)
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(format)
    .join(",");
}

function requirementsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly Requirement[] {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => requirement(key, "In", [value])),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      const known = SET_OPERATORS.find((each) => each === operator);
      if (!known) throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
      return requirement(key, known, values);
    }),
  ];
}

function testOf({ key, operator, values }: Requirement): (labels: Labels) => boolean {
  const wanted = operator === "In" || operator === "Exists";
  const whenAbsent = !wanted;
  if (values.length === 0) return (labels) => Object.hasOwn(labels, key) === wanted;
  return (labels) => (Object.hasOwn(labels, key) ? values.includes(labels[key] as string) === wanted : whenAbsent);
}

function format({ key, operator, values }: Requirement): string {
  const set = values.length === 1 ? undefined : `(${values.join(",")})`;
  switch (operator) {
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "In":
      return set ? `${key} in ${set}` : `${key}=${values[0]}`;
    case "NotIn":
      return set ? `${key} notin ${set}` : `${key}!=${values[0]}`;
  }
}
