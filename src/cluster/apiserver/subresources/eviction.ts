/** `pods/eviction`: a deletion that disruption budgets may refuse. */
import {
  budgetCovers,
  budgetStatus,
  isPodHealthy,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
} from "#api/core/disruption-budget.ts";
import type { Pod } from "#api/core/pod.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { type StatusError, statusError } from "#api/meta/status.ts";
import { type Clock, rfc3339 } from "#runtime/clock.ts";
import type { Objects } from "../../store/objects.ts";
import { keyOf } from "../resources/served-resource.ts";

const BUDGETS = "policy/poddisruptionbudgets";
const PODS = "/pods";

interface Evicting {
  readonly objects: Objects;
  readonly clock: Clock;
}

/**
 * Takes a pod's eviction from its disruption budget: the budget's status counts the pod as gone before its deletion begins, in one write
 * of its newest version, so that of evictions at the same instant no more pass than the budget has room for. Throws TooManyRequests
 * when it has none, and InternalError when several budgets cover the pod, as Kubernetes does.
 */
export async function spendDisruption({ objects, clock }: Evicting, found: JsonObject, dryRun: boolean): Promise<void> {
  const pod = found as unknown as Pod;
  const { namespace = "", name = "", deletionTimestamp } = pod.metadata;
  const { phase } = pod.status ?? {};
  if (phase === "Succeeded" || phase === "Failed" || phase === "Pending" || deletionTimestamp) return;
  const budgets = objects
    .list(BUDGETS, namespace)
    .map(({ object }) => object as unknown as PodDisruptionBudget)
    .filter((budget) => budgetCovers(budget)(pod));
  const [budget] = budgets;
  if (!budget) return;
  if (budgets.length > 1)
    throw statusError(
      "InternalError",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );

  const spend = (current: PodDisruptionBudget): PodDisruptionBudget | undefined => {
    const covered = objects
      .list(PODS, namespace)
      .map(({ object }) => object as unknown as Pod)
      .filter(budgetCovers(current));
    const status = budgetStatus(current, covered, clock.now());
    if (Object.hasOwn(status.disruptedPods ?? {}, name)) return undefined;
    if (!isPodHealthy(pod)) {
      if (current.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return undefined;
      if (status.currentHealthy >= status.desiredHealthy) return undefined;
    }
    if (status.disruptionsAllowed < 1) throw refused(current, status);
    const disruptedPods = { ...status.disruptedPods, [name]: rfc3339(clock.now()) };
    return {
      ...current,
      status: budgetStatus({ ...current, status: { ...status, disruptedPods } }, covered, clock.now()),
    };
  };
  if (dryRun) {
    spend(budget);
    return;
  }
  await objects.write(BUDGETS, keyOf(namespace, budget.metadata.name ?? ""), (current) => {
    // A budget that is deleted meanwhile asks for nothing any more.
    const spent = current && spend(current.object as unknown as PodDisruptionBudget);
    return spent as unknown as JsonObject | undefined;
  });
}

function refused(
  { metadata }: PodDisruptionBudget,
  { desiredHealthy, currentHealthy }: PodDisruptionBudgetStatus,
): StatusError {
  return statusError("TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [
      {
        reason: "DisruptionBudget",
        message: `The disruption budget ${metadata.name ?? ""} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
      },
    ],
  });
}
