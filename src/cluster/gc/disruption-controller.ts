/** Keeps the status of disruption budgets true: how many pods serve, how many must, how many may go. Evictions do not wait for it. */
import { budgetCovers, budgetStatus, type PodDisruptionBudget } from "#api/core/disruption-budget.ts";
import type { Pod } from "#api/core/pod.ts";
import { DISRUPTION_BUDGETS } from "#api/core/resources.ts";
import { deepEqual } from "#api/meta/equality.ts";
import { objectKey } from "#api/meta/object.ts";
import { isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { createController } from "#kube/controller.ts";
import type { Informer } from "#kube/informer.ts";
import { fastThenSlow } from "#kube/rate-limiter.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";

export interface DisruptionControllerOptions {
  readonly client: Pick<Client, "updateStatus">;
  readonly informers: { readonly pods: Informer<Pod>; readonly budgets: Informer<PodDisruptionBudget> };
  readonly clock: Clock;
  readonly log: Logger;
}

/** Changes of pods come in swarms: those of one second are one look. */
const POD_CHANGES_MS = 1_000;
/** When a granted eviction that nobody carried out is looked at again: a little after it counts no more. */
const RECHECK_MS = 125_000;

/** Create it before its informers run. */
export function createDisruptionController(options: DisruptionControllerOptions): Runnable {
  const { client, informers, clock, log } = options;
  const { pods, budgets } = informers;
  const controller = createController({
    name: "disruption controller",
    reconcile: async (key) => {
      const budget = budgets.lister.get(key);
      if (!budget) return;
      const covers = budgetCovers(budget);
      const { namespace } = budget.metadata;
      const covered = pods.lister.list().filter((pod) => pod.metadata.namespace === namespace && covers(pod));
      const status = budgetStatus(budget, covered, clock.now());
      try {
        if (!deepEqual(status, budget.status)) await client.updateStatus(DISRUPTION_BUDGETS, { ...budget, status });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      return status.disruptedPods && { requeueAfterMs: RECHECK_MS };
    },
    workers: 1,
    limiter: fastThenSlow(100, 5_000),
    clock,
    log,
  });
  const look = (budget: PodDisruptionBudget): void => controller.enqueue(objectKey(budget));
  budgets.addHandler({ add: look, update: look });
  const lookAtBudgetsOf = ({ metadata }: Pod): void => {
    for (const budget of budgets.lister.list())
      if (budget.metadata.namespace === metadata.namespace) controller.enqueueAfter(objectKey(budget), POD_CHANGES_MS);
  };
  pods.addHandler({ add: lookAtBudgetsOf, update: lookAtBudgetsOf, delete: lookAtBudgetsOf });
  return controller;
}
