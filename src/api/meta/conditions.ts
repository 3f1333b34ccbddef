/** Conditions: what an object says of itself in words that programs and people wait for (`Condition` of meta/v1). */
import { timeText } from "./time.ts";

export interface Condition {
  /** In CamelCase; one of each type in an object. */
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** Why, in one CamelCase word; never empty. */
  readonly reason: string;
  /** For people; may be empty. */
  readonly message: string;
  /** When `status` last changed: RFC 3339, UTC, whole seconds. */
  readonly lastTransitionTime: string;
  /** The `metadata.generation` it was made from. */
  readonly observedGeneration?: number;
}

/**
 * The conditions with this one in place of the one of its type, sorted by type. `lastTransitionTime` stays while the status
 * does, and is `now` (milliseconds since 1970) when it changes. The very same list when nothing changed.
 */
export function setCondition(
  conditions: readonly Condition[] | null | undefined,
  condition: Omit<Condition, "lastTransitionTime">,
  now: number,
): readonly Condition[] {
  const before = conditions?.find(({ type }) => type === condition.type);
  const others = (conditions ?? []).filter(({ type }) => type !== condition.type);
  const { type, status, reason, message, observedGeneration } = condition;
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : timeText(now);
  const set: Condition = {
    type,
    status,
    reason,
    message,
    lastTransitionTime,
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
  const all = [...others, before && isSame(before, set) ? before : set].sort((a, b) => (a.type < b.type ? -1 : 1));
  const unchanged = conditions?.length === all.length && all.every((each, position) => each === conditions[position]);
  return unchanged && conditions ? conditions : all;
}

const isSame = (a: Condition, b: Condition): boolean =>
  a.status === b.status &&
  a.reason === b.reason &&
  a.message === b.message &&
  a.lastTransitionTime === b.lastTransitionTime &&
  a.observedGeneration === b.observedGeneration;

/** The condition of a type, if it was ever set. */
export function conditionOf(conditions: readonly Condition[] | null | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
