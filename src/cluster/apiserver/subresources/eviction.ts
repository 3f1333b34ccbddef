/** `pods/eviction`: a deletion that disruption budgets may refuse. */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { type LabelSelector, labelSelectorMatcher } from "#api/meta/label-selector.ts";
import { statusError } from "#api/meta/status.ts";
import type { Objects } from "../../store/objects.ts";
import { metaOf, objectAt, objectsAt } from "../resources/object-fields.ts";

const BUDGETS = "policy/poddisruptionbudgets";
const PODS = "/pods";

/** Throws TooManyRequests when the pod's going would leave fewer healthy pods than one of its budgets asks for. */
export function checkDisruptionBudgets(objects: Objects, pod: JsonObject): void {
  const { namespace, labels } = metaOf(pod);
  const { phase } = objectAt(pod, "status");
  if (phase === "Succeeded" || phase === "Failed" || phase === "Pending" || metaOf(pod).deletionTimestamp) return;
  for (const { object: budget } of objects.list(BUDGETS, namespace)) {
    const selects = selectorOf(budget);
    if (!selects(labels)) continue;
    const covered = objects.list(PODS, namespace).filter(({ object }) => selects(metaOf(object).labels));
    const healthy = covered.filter(({ object }) => isHealthy(object)).length;
    if (healthy - (isHealthy(pod) ? 1 : 0) >= wantedHealthy(objectAt(budget, "spec"), covered.length)) continue;
    const name = metaOf(budget).name ?? "";
    throw statusError("TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [
        {
          reason: "DisruptionBudget",
          message: `The disruption budget ${name} does not allow another pod to go at present`,
        },
      ],
    });
  }
}

/** A budget's selector; one without selects nothing. */
function selectorOf(budget: JsonObject): ReturnType<typeof labelSelectorMatcher> {
  const { selector } = objectAt(budget, "spec");
  return selector === undefined ? () => false : labelSelectorMatcher(selector as unknown as LabelSelector);
}

function isHealthy(pod: JsonObject): boolean {
  if (metaOf(pod).deletionTimestamp) return false;
  return objectsAt(objectAt(pod, "status"), "conditions").some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
}

/** Percentages are of the pods covered, rounded up. Without a rule one pod may be missing. */
function wantedHealthy({ minAvailable, maxUnavailable }: JsonObject, covered: number): number {
  const count = (value: JsonValue): number =>
    typeof value === "string" && value.endsWith("%")
      ? Math.ceil((covered * Number(value.slice(0, -1))) / 100)
      : Number(value);
  if (minAvailable !== undefined && minAvailable !== null) return count(minAvailable);
  return covered - count(maxUnavailable ?? 1);
}
