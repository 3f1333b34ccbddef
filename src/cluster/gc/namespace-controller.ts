/** Empties a namespace that is being deleted, then lets it go. */
import type { Namespace } from "#api/core/namespace.ts";
import { NAMESPACES } from "#api/core/resources.ts";
import type { JsonValue } from "#api/meta/json.ts";
import { isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { createController, ExpectedRetry, type Outcome } from "#kube/controller.ts";
import type { Informer } from "#kube/informer.ts";
import { fastThenSlow } from "#kube/rate-limiter.ts";
import { pathOf } from "#kube/resource.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { type ApiType, discoverTypes } from "./api-types.ts";

export interface NamespaceControllerOptions {
  readonly client: Client;
  readonly informers: { readonly namespaces: Informer<Namespace> };
  readonly clock: Clock;
  readonly log: Logger;
}

const FINALIZER = "kubernetes";
/** How soon a namespace is looked at again whose content needs time to end. */
const RECHECK_MS = 1_000;

/** Create it before its informer runs. */
export function createNamespaceController({ client, informers, clock, log }: NamespaceControllerOptions): Runnable {
  const controller = createController({
    name: "namespace controller",
    reconcile: (name) => finish(client, informers.namespaces.lister.get(name)),
    workers: 2,
    limiter: fastThenSlow(100, 5_000),
    clock,
    log,
  });
  const look = ({ metadata }: Namespace) => {
    if (metadata.deletionTimestamp) controller.enqueue(metadata.name ?? "");
  };
  informers.namespaces.addHandler({ add: look, update: look });
  return controller;
}

async function finish(client: Client, namespace: Namespace | undefined): Promise<Outcome> {
  if (!namespace?.metadata.deletionTimestamp || !namespace.spec?.finalizers?.includes(FINALIZER)) return;
  const { name = "", uid } = namespace.metadata;
  const types = await discoverTypes(client);
  let remaining = false;
  for (const type of types.all.filter(canEmpty)) remaining = (await empty(client, type, name)) || remaining;
  if (remaining) return { requeueAfterMs: RECHECK_MS };
  // What a silent group holds would be lost from sight.
  if (types.incomplete) throw new ExpectedRetry("not all groups of the API answer");
  const latest = await client.get(NAMESPACES, "", name).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  });
  if (!latest || latest.metadata.uid !== uid) return;
  const finalizers = (latest.spec?.finalizers ?? []).filter((each) => each !== FINALIZER);
  const finalized = { ...latest, spec: { ...latest.spec, finalizers } };
  await client.raw("PUT", pathOf(NAMESPACES, undefined, name, "finalize"), finalized as unknown as JsonValue);
}

const canEmpty = ({ namespaced, verbs }: ApiType): boolean =>
  namespaced && verbs.includes("list") && verbs.includes("deletecollection");

/** Deletes all objects of a type in the namespace; true when some need time to end. */
async function empty(client: Client, type: ApiType, namespace: string): Promise<boolean> {
  const holdsSome = async () => (await client.list(type, { namespace, limit: 1 })).items.length > 0;
  if (!(await holdsSome())) return false;
  const options = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" };
  await client.raw("DELETE", pathOf(type, namespace), options);
  return holdsSome();
}
