/** The rules of a request for a server. All faults are told at once; the older selector form is checked even where it is ignored. */
import type { Priority } from "../agones/common.ts";
import type { FeatureGates } from "../agones/feature-gates.ts";
import { validateMetadata } from "../agones/validate-metadata.ts";
import { child, type FieldError, forbidden, index, invalid, key, notSupported } from "../meta/field.ts";
import type { CounterAction, GameServerAllocation, GameServerAllocationSpec } from "./gameserverallocation.ts";
import { notNegative, validateSelector } from "./validate-selector.ts";

/** A defaulted request, before its older selectors are converted. */
export function validateAllocation({ spec = {} }: GameServerAllocation, gates: FeatureGates): readonly FieldError[] {
  const preferred = (spec.preferred ?? []).map((each, at) => [each, index("spec.preferred", at)] as const);
  const selectors = (spec.selectors ?? []).map((each, at) => [each, index("spec.selectors", at)] as const);
  return [
    ...validateScheduling(spec.scheduling),
    ...[[spec.required ?? {}, "spec.required"] as const, ...preferred, ...selectors].flatMap(([selector, path]) =>
      validateSelector(selector, gates, path),
    ),
    ...validateGates(spec, gates),
    ...(spec.priorities ?? []).flatMap((each, at) => validatePriority(each, index("spec.priorities", at))),
    ...Object.entries(spec.counters ?? {}).flatMap(([name, each]) =>
      validateCounterAction(each, key("spec.counters", name)),
    ),
    ...Object.entries(spec.lists ?? {}).flatMap(([name, { capacity }]) =>
      notNegative(capacity, child(key("spec.lists", name), "capacity")),
    ),
    ...validateMetadata(spec.metadata, "spec.metadata"),
  ];
}

function validateScheduling(scheduling: string | undefined): readonly FieldError[] {
  const known = ["Packed", "Distributed"];
  return known.includes(scheduling ?? "") ? [] : [notSupported("spec.scheduling", scheduling ?? "", known)];
}

function validateGates(spec: GameServerAllocationSpec, gates: FeatureGates): readonly FieldError[] {
  if (gates.CountsAndLists) return [];
  return (["priorities", "counters", "lists"] as const).flatMap((name) => {
    if (!spec[name]) return [];
    const what = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    return [forbidden(`spec.${name}`, `Feature CountsAndLists must be enabled if ${what} is specified`)];
  });
}

function validatePriority({ type, key: name, order }: Priority, path: string): readonly FieldError[] {
  return [
    ...(type === "Counter" || type === "List" ? [] : [invalid(path, type ?? "", 'type must be "Counter" or "List"')]),
    ...(name ? [] : [invalid(path, type ?? "", "key must not be nil")]),
    ...(order === "Ascending" || order === "Descending"
      ? []
      : [invalid(path, order ?? "", 'order must be "Ascending" or "Descending"')]),
  ];
}

function validateCounterAction({ action, amount, capacity }: CounterAction, path: string): readonly FieldError[] {
  const faults = [...notNegative(amount, child(path, "amount")), ...notNegative(capacity, child(path, "capacity"))];
  if (amount != null && action == null) {
    faults.push(invalid(path, action, 'action must be "Increment" or "Decrement" if the amount is not nil'));
  }
  if (action != null && amount == null) {
    faults.push(invalid(path, amount, "amount must not be nil if action is not nil"));
  }
  return faults;
}
