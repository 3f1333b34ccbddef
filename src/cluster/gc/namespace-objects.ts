/** Gives every namespace the objects that it is to have: the account that its pods run as, and a disruption budget. */
import type { PodDisruptionBudget } from "#api/core/disruption-budget.ts";
import type { Namespace } from "#api/core/namespace.ts";
import { DISRUPTION_BUDGETS, SERVICE_ACCOUNTS } from "#api/core/resources.ts";
import { type KubeObject, objectKey } from "#api/meta/object.ts";
import { isAlreadyExists, isForbidden, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { createController } from "#kube/controller.ts";
import type { Informer } from "#kube/informer.ts";
import { fastThenSlow } from "#kube/rate-limiter.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";

export interface NamespaceObjectsOptions {
  readonly client: Pick<Client, "create">;
  readonly informers: {
    readonly namespaces: Informer<Namespace>;
    /** At least those called `default`. */
    readonly serviceAccounts: Informer<KubeObject>;
    readonly budgets: Informer<PodDisruptionBudget>;
  };
  /** The budget of a namespace that is not the system's. */
  readonly budgetFor: (namespace: string) => PodDisruptionBudget;
  readonly clock: Clock;
  readonly log: Logger;
}

export const DEFAULT_ACCOUNT = "default";

/** Kubernetes keeps these for itself: nobody else's pods run there. */
const isOfSystem = (namespace: string): boolean => namespace.startsWith("kube-");

/** Create it before its informers run. What is deleted is made again, as long as its namespace stays; what is changed stays so. */
export function createNamespaceObjects(options: NamespaceObjectsOptions): Runnable {
  const { client, informers, budgetFor, clock, log } = options;
  const { namespaces, serviceAccounts, budgets } = informers;
  const create = async (making: Promise<unknown>): Promise<void> => {
    try {
      await making;
    } catch (error) {
      // It is there already, or its namespace goes.
      if (!isAlreadyExists(error) && !isNotFound(error) && !isForbidden(error)) throw error;
    }
  };
  const controller = createController({
    name: "namespace objects controller",
    reconcile: async (namespace) => {
      const found = namespaces.lister.get(namespace);
      if (!found || found.metadata.deletionTimestamp) return;
      const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: DEFAULT_ACCOUNT, namespace } };
      const budget = budgetFor(namespace);
      if (!serviceAccounts.lister.get(objectKey(account))) await create(client.create(SERVICE_ACCOUNTS, account));
      if (!isOfSystem(namespace) && !budgets.lister.get(objectKey(budget)))
        await create(client.create(DISRUPTION_BUDGETS, budget));
    },
    workers: 2,
    limiter: fastThenSlow(100, 5_000),
    clock,
    log,
  });
  const look = ({ metadata }: KubeObject): void => controller.enqueue(metadata.namespace ?? "");
  namespaces.addHandler({ add: ({ metadata }) => controller.enqueue(metadata.name ?? "") });
  serviceAccounts.addHandler({ delete: look });
  budgets.addHandler({ delete: look });
  return controller;
}
