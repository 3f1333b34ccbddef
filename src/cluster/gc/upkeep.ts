import type { PodDisruptionBudget } from "#api/core/disruption-budget.ts";
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { DISRUPTION_BUDGETS, LEASES, NAMESPACES, SERVICE_ACCOUNTS } from "#api/core/resources.ts";
import type { Client } from "#kube/client.ts";
import type { Informer } from "#kube/informer.ts";
import { createInformer } from "#kube/shared-informer.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { createDisruptionController } from "./disruption-controller.ts";
import { createGarbageCollector } from "./garbage-collector.ts";
import { createNamespaceController } from "./namespace-controller.ts";
import { createNamespaceObjects, DEFAULT_ACCOUNT } from "./namespace-objects.ts";
import { createNodeLifecycle, NODE_LEASE_NAMESPACE } from "./node-lifecycle.ts";
import { createPodCollector } from "./pod-collector.ts";

export interface UpkeepOptions {
  readonly client: Client;
  /** Of all pods and nodes; run by the caller, before the first group. */
  readonly informers: { readonly pods: Informer<Pod>; readonly nodes: Informer<Node> };
  /** The disruption budget that a namespace gets. */
  readonly budgetFor: (namespace: string) => PodDisruptionBudget;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * What a cluster does to stay tidy: garbage collection, the end of namespaces and their first objects, the end of pods on lost nodes,
 * the room of disruption budgets, and the word on silent nodes.
 * Groups in starting order: caches, then what works from them.
 */
export function createUpkeep({
  client,
  informers,
  budgetFor,
  clock,
  log,
}: UpkeepOptions): readonly (readonly Runnable[])[] {
  const namespaces = createInformer(client, NAMESPACES, { clock, log });
  const leases = createInformer(client, LEASES, { namespace: NODE_LEASE_NAMESPACE, clock, log });
  const fieldSelector = `metadata.name=${DEFAULT_ACCOUNT}`;
  const serviceAccounts = createInformer(client, SERVICE_ACCOUNTS, { fieldSelector, clock, log });
  const budgets = createInformer(client, DISRUPTION_BUDGETS, { clock, log });
  return [
    [namespaces, leases, serviceAccounts, budgets],
    [
      createGarbageCollector({ client, clock, log }),
      createNamespaceController({ client, informers: { namespaces }, clock, log }),
      createNamespaceObjects({ client, informers: { namespaces, serviceAccounts, budgets }, budgetFor, clock, log }),
      createDisruptionController({ client, informers: { pods: informers.pods, budgets }, clock, log }),
      createPodCollector({ client, informers, clock, log }),
      createNodeLifecycle({ client, informers: { nodes: informers.nodes, leases }, clock, log }),
    ],
  ];
}
