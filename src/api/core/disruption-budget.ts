/** policy/v1 PodDisruptionBudget: how many of some pods may go by an eviction, and what its status says of that. */
import { type IntOrString, scaledValue } from "../meta/int-or-string.ts";
import { type LabelSelector, labelSelectorMatcher } from "../meta/label-selector.ts";
import type { KubeObject } from "../meta/object.ts";
import type { Pod } from "./pod.ts";

export interface PodDisruptionBudget extends KubeObject {
  readonly spec?: {
    readonly minAvailable?: IntOrString | null;
    readonly maxUnavailable?: IntOrString | null;
    readonly selector?: LabelSelector | null;
    readonly unhealthyPodEvictionPolicy?: "IfHealthyBudget" | "AlwaysAllow";
  };
  readonly status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  /** By the pod's name: when its eviction was granted. It counts as gone from then on, though its deletion may not be seen yet. */
  readonly disruptedPods?: Readonly<Record<string, string>>;
}

/** A granted eviction after which the pod is still there has not happened. */
const EVICTION_MS = 120_000;

/** Which pods of its namespace a budget covers; one without a selector covers none. Throws `SelectorError`. */
export function budgetCovers({ spec }: PodDisruptionBudget): (pod: Pod) => boolean {
  const selects = spec?.selector ? labelSelectorMatcher(spec.selector) : () => false;
  return ({ metadata }) => selects(metadata.labels);
}

/** Whether a pod serves: it is Ready, and not on its way out. */
export const isPodHealthy = ({ metadata, status }: Pod): boolean =>
  !metadata.deletionTimestamp &&
  (status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ?? false);

/**
 * The status of a budget over the pods it covers, at a time in milliseconds since 1970. Evictions that are over are forgotten.
 * Percentages are of the pods covered, rounded up; without a rule one pod may be missing. Throws `IntOrStringError`.
 */
export function budgetStatus(
  { metadata, spec, status }: PodDisruptionBudget,
  pods: readonly Pod[],
  now: number,
): PodDisruptionBudgetStatus {
  const { minAvailable, maxUnavailable } = spec ?? {};
  const expectedPods = pods.length;
  const desiredHealthy =
    minAvailable === undefined || minAvailable === null
      ? Math.max(0, expectedPods - scaledValue(maxUnavailable ?? 1, expectedPods, true))
      : scaledValue(minAvailable, expectedPods, true);
  const staying = new Set(pods.filter((pod) => !pod.metadata.deletionTimestamp).map((pod) => pod.metadata.name));
  const disruptedPods = Object.fromEntries(
    Object.entries(status?.disruptedPods ?? {}).filter(
      ([name, since]) => staying.has(name) && Date.parse(since) + EVICTION_MS > now,
    ),
  );
  const currentHealthy = pods.filter(
    (pod) => isPodHealthy(pod) && !Object.hasOwn(disruptedPods, pod.metadata.name ?? ""),
  ).length;
  return {
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
    currentHealthy,
    desiredHealthy,
    expectedPods,
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
  };
}
