import { type Condition, conditionOf } from "#api/meta/conditions.ts";

/** The conditions that took one of these reasons, and had another before: what is worth an event, once. */
export function turned(
  before: readonly Condition[] | null | undefined,
  after: readonly Condition[],
  reasons: ReadonlySet<string>,
): readonly Condition[] {
  return after.filter(({ type, reason }) => reasons.has(reason) && conditionOf(before, type)?.reason !== reason);
}
