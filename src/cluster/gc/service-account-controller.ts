/** Gives every namespace the account that its pods run as when they name none. */
import type { Namespace } from "#api/core/namespace.ts";
import { SERVICE_ACCOUNTS } from "#api/core/resources.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { isAlreadyExists, isForbidden, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { createController } from "#kube/controller.ts";
import type { Informer } from "#kube/informer.ts";
import { fastThenSlow } from "#kube/rate-limiter.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";

export interface ServiceAccountControllerOptions {
  readonly client: Pick<Client, "create">;
  /** The accounts are those called `default`. */
  readonly informers: { readonly namespaces: Informer<Namespace>; readonly serviceAccounts: Informer<KubeObject> };
  readonly clock: Clock;
  readonly log: Logger;
}

export const DEFAULT_ACCOUNT = "default";

/** Create it before its informers run. An account that is deleted is made again, as long as its namespace stays. */
export function createServiceAccountController(options: ServiceAccountControllerOptions): Runnable {
  const { client, informers, clock, log } = options;
  const { namespaces, serviceAccounts } = informers;
  const controller = createController({
    name: "service account controller",
    reconcile: async (namespace) => {
      const found = namespaces.lister.get(namespace);
      if (!found || found.metadata.deletionTimestamp) return;
      if (serviceAccounts.lister.get(`${namespace}/${DEFAULT_ACCOUNT}`)) return;
      await makeAccount(client, namespace);
    },
    workers: 2,
    limiter: fastThenSlow(100, 5_000),
    clock,
    log,
  });
  namespaces.addHandler({ add: ({ metadata }) => controller.enqueue(metadata.name ?? "") });
  serviceAccounts.addHandler({ delete: ({ metadata }) => controller.enqueue(metadata.namespace ?? "") });
  return controller;
}

async function makeAccount(client: Pick<Client, "create">, namespace: string): Promise<void> {
  const metadata = { name: DEFAULT_ACCOUNT, namespace };
  try {
    await client.create(SERVICE_ACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  } catch (error) {
    // It is there already, or its namespace goes.
    if (!isAlreadyExists(error) && !isNotFound(error) && !isForbidden(error)) throw error;
  }
}
