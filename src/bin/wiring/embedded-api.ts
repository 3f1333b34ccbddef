import { join } from "node:path";
import type { CustomResourceDefinition } from "#api/core/custom-resource-definition.ts";
import type { AdmissionPlugin, ApiGroup } from "#api/meta/admission.ts";
import type { ApiHandler } from "#api/meta/exchange.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { createApiServer } from "#cluster/apiserver/server.ts";
import { createAgentClient } from "#cluster/node/agent-client.ts";
import { openEnduringLog } from "#cluster/node/enduring-log.ts";
import { openObjectStore } from "#cluster/store/object-store.ts";
import { openSqliteStore } from "#cluster/store/sqlite-store.ts";
import type { Store } from "#cluster/store/store.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import type { ApiDoors } from "./api-doors.ts";

export interface EmbeddedApiOptions {
  readonly dataDir: string;
  /** On its way; its failure is that of the opening. */
  readonly store: Promise<Store>;
  /** Closed with the API, and when its store cannot be opened. */
  readonly doors: ApiDoors;
  readonly admission: readonly AdmissionPlugin[];
  readonly groups: readonly ApiGroup[];
  /** CustomResourceDefinitions of this version, which are known to be valid. */
  readonly definitions: readonly CustomResourceDefinition[];
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface EmbeddedApi {
  readonly handler: ApiHandler;
  readonly server: Runnable;
  /** Ends the doors, then writes what is left to the disk. */
  close(): Promise<void>;
}

/** Events and Leases may lose their last second: nobody waits for the disk with them. */
const volatile = new Set(["/events", "coordination.k8s.io/leases"]);

/** Opens the store of a data folder, in a thread of its own. Rejects with `StoreError`. */
export const openStore = (dataDir: string, options: { readonly clock: Clock; readonly log: Logger }): Promise<Store> =>
  openSqliteStore(join(dataDir, "store"), options);

/** Puts the API server of a data folder on its store. Its doors serve once it is ready. Rejects with `StoreError`. */
export async function openEmbeddedApi(options: EmbeddedApiOptions): Promise<EmbeddedApi> {
  const { dataDir, doors, clock, log } = options;
  const store = await options.store.catch(async (error: unknown) => {
    await doors.close();
    throw error;
  });
  const objects = await openObjectStore(store, { volatile: (collection) => volatile.has(collection), clock, log });
  const agent = createAgentClient(join(dataDir, "agent.sock"));
  const server = createApiServer({
    ...options,
    definitions: options.definitions as unknown as readonly JsonObject[],
    objects,
    podLogs: { open: ({ signal, ...query }) => openEnduringLog(agent, query, { clock, signal }) },
  });
  return {
    handler: server.handler,
    server: {
      ...server,
      ready: async () => {
        await server.ready();
        doors.serve(server.handler);
      },
    },
    close: async () => {
      await doors.close();
      await objects.close();
    },
  };
}
