/** The rules of one selector of a request. */
import type { FeatureGates } from "../agones/feature-gates.ts";
import { NOT_NEGATIVE } from "../agones/validate-resources.ts";
import { child, type FieldError, forbidden, invalid, key } from "../meta/field.ts";
import { labelSelectorMatcher, SelectorError } from "../meta/label-selector.ts";
import type { CounterSelector, GameServerSelector, ListSelector } from "./gameserverallocation.ts";

/** At `path`: `spec.required`, `spec.preferred[0]` or `spec.selectors[0]`. */
export function validateSelector(
  selector: GameServerSelector,
  gates: FeatureGates,
  path: string,
): readonly FieldError[] {
  return [
    ...validateLabels(selector, child(path, "labelSelector")),
    ...validateState(selector.gameServerState, child(path, "gameServerState")),
    ...(gates.PlayerAllocationFilter ? validatePlayers(selector.players, child(path, "players")) : []),
    ...validateGate(selector, gates, path),
    ...Object.entries(selector.counters ?? {}).flatMap(([name, each]) =>
      validateCounter(each, key(child(path, "counters"), name)),
    ),
    ...Object.entries(selector.lists ?? {}).flatMap(([name, each]) =>
      validateAvailable(each, key(child(path, "lists"), name)),
    ),
  ];
}

/** An int64 that may not be below zero; absent is fine. */
export function notNegative(value: bigint | null | undefined, path: string): readonly FieldError[] {
  return value != null && value < 0n ? [invalid(path, value, NOT_NEGATIVE)] : [];
}

function validateLabels({ matchLabels, matchExpressions }: GameServerSelector, path: string): readonly FieldError[] {
  const selector = {
    ...(matchLabels && { matchLabels }),
    ...(matchExpressions && { matchExpressions }),
  };
  try {
    labelSelectorMatcher(selector);
    return [];
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return [invalid(path, selector, `Error converting label selector: ${error.message}`)];
  }
}

function validateState(state: string | null | undefined, path: string): readonly FieldError[] {
  return state == null || state === "Ready" || state === "Allocated"
    ? []
    : [invalid(path, state, "GameServerState must be either Allocated or Ready")];
}

function validatePlayers(players: GameServerSelector["players"], path: string): readonly FieldError[] {
  const { minAvailable, maxAvailable } = players ?? {};
  const minPath = child(path, "minAvailable");
  return [
    ...notNegative(minAvailable, minPath),
    ...notNegative(maxAvailable, child(path, "maxAvailable")),
    ...((minAvailable ?? 0n) > (maxAvailable ?? 0n)
      ? [invalid(minPath, minAvailable, "minAvailable cannot be greater than maxAvailable")]
      : []),
  ];
}

function validateGate(selector: GameServerSelector, gates: FeatureGates, path: string): readonly FieldError[] {
  if (gates.CountsAndLists) return [];
  return (["counters", "lists"] as const).flatMap((name) =>
    selector[name] ? [forbidden(child(path, name), "Feature CountsAndLists must be enabled")] : [],
  );
}

function validateCounter(counter: CounterSelector, path: string): readonly FieldError[] {
  const { minCount, maxCount } = counter;
  return [
    ...notNegative(minCount, child(path, "minCount")),
    ...notNegative(maxCount, child(path, "maxCount")),
    ...(isBelow(maxCount, minCount)
      ? [invalid(path, maxCount, `maxCount must zero or greater than minCount ${minCount ?? 0n}`)]
      : []),
    ...validateAvailable(counter, path),
  ];
}

function validateAvailable({ minAvailable, maxAvailable }: ListSelector, path: string): readonly FieldError[] {
  return [
    ...notNegative(minAvailable, child(path, "minAvailable")),
    ...notNegative(maxAvailable, child(path, "maxAvailable")),
    ...(isBelow(maxAvailable, minAvailable)
      ? [invalid(path, maxAvailable, `maxAvailable must zero or greater than minAvailable ${minAvailable ?? 0n}`)]
      : []),
  ];
}

/** A maximum that is set (zero is not) and below the minimum. */
const isBelow = (most: bigint | null | undefined, least: bigint | null | undefined): boolean =>
  !!most && most < (least ?? 0n);
