/** The real API server on a store in memory, with Stadion's kinds and their admission, under a clock that stands still. */

import { type FeatureGates, featureGates } from "#api/agones/feature-gates.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "#api/core/resources.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import type { ApiGroup } from "#api/meta/admission.ts";
import type { ApiHandler } from "#api/meta/exchange.ts";
import { createApiServer } from "#cluster/apiserver/server.ts";
import { MemoryStore } from "#cluster/store/memory-store.ts";
import { type ObjectStore, openObjectStore } from "#cluster/store/object-store.ts";
import { agonesAdmission } from "#extensions/admission.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import type { Clock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";

export const gates = featureGates();
const user = { username: "admin", groups: ["system:masters"] };

export interface EmbeddedTestApi {
  readonly objects: ObjectStore;
  readonly client: Client;
  readonly handler: ApiHandler;
  close(): Promise<void>;
}

export async function openTestApi(options: {
  readonly clock: Clock;
  readonly random: () => number;
  readonly groups?: readonly ApiGroup[];
  readonly gates?: FeatureGates;
}): Promise<EmbeddedTestApi> {
  const { clock, random, groups = [] } = options;
  const admission = agonesAdmission({ gates: options.gates ?? gates, version: "0.0.0" });
  const objects = await openObjectStore(new MemoryStore(), {
    volatile: (collection) => collection === "/events" || collection === "coordination.k8s.io/leases",
    freeze: true,
    clock,
    log: silentLogger,
  });
  let uids = 0;
  const server = createApiServer({
    objects,
    admission: [admission],
    groups,
    random,
    uid: () => `uid-${++uids}`,
    clock,
    log: silentLogger,
    version: "0.0.0",
  });
  const stop = new AbortController();
  const running = server.run(stop.signal);
  await server.ready();
  const client = createClient(inProcessTransport(server.handler, user));
  for (const definition of buildCustomResourceDefinitions())
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
  return {
    objects,
    client,
    handler: server.handler,
    close: async () => {
      stop.abort();
      await running;
      await objects.close();
    },
  };
}
