import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CustomResourceDefinition } from "#api/core/custom-resource-definition.ts";
import type { AdmissionPlugin, ApiGroup } from "#api/meta/admission.ts";
import type { ApiHandler } from "#api/meta/exchange.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { statusError } from "#api/meta/status.ts";
import { createHttpServer, type HttpServer } from "#cluster/apiserver/http-server.ts";
import { createApiServer } from "#cluster/apiserver/server.ts";
import { createAgentClient } from "#cluster/node/agent-client.ts";
import { openEnduringLog } from "#cluster/node/enduring-log.ts";
import { openObjectStore } from "#cluster/store/object-store.ts";
import { openSqliteStore } from "#cluster/store/sqlite-store.ts";
import type { Store } from "#cluster/store/store.ts";
import type { Clock } from "#runtime/clock.ts";
import { statusAnswer } from "#runtime/http/api-door.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { apiCertificate } from "./api-certificate.ts";

export interface EmbeddedApiOptions {
  readonly dataDir: string;
  /** On its way; its failure is that of the opening. */
  readonly store: Promise<Store>;
  readonly apiPort: number;
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
  /** Begins to answer; resolves with the address clients use. Rejects with the system's error of a door, such as `EADDRINUSE`. */
  listen(): Promise<string>;
  /** Ends the doors, then writes what is left to the disk. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/**
 * Where the API is served when any port will do, both ends included. Below the ports that systems give to outgoing connections: no such
 * connection comes to own it while the control plane is away for a moment.
 */
const CHOSEN = { first: 30_000, last: 32_000 };
const MOST_CHOICES = 100;

/** Events and Leases may lose their last second: nobody waits for the disk with them. */
const volatile = new Set(["/events", "coordination.k8s.io/leases"]);

/** Opens the store of a data folder, in a thread of its own. Rejects with `StoreError`. */
export const openStore = (dataDir: string, options: { readonly clock: Clock; readonly log: Logger }): Promise<Store> =>
  openSqliteStore(join(dataDir, "store"), options);

/**
 * Puts the API server of a data folder on its store. Rejects with `StoreError`. Its doors open while the store does, so that
 * nobody on this machine finds them shut and waits before the next try; what comes through them is answered after `listen`.
 */
export async function openEmbeddedApi(options: EmbeddedApiOptions): Promise<EmbeddedApi> {
  const { dataDir, clock, log } = options;
  const serving = Promise.withResolvers<ApiHandler>();
  const doors = createHttpServer(async (request) => (await serving.promise)(request), {
    token: readFileSync(join(dataDir, "token"), "utf8").trim(),
    log,
    clock,
  });
  const socket = doors.listenSocket(join(dataDir, "api.sock"));
  const port = openPort(doors, options);
  const open = Promise.all([socket, port]);
  open.catch(() => {});
  const closeDoors = async (): Promise<void> => {
    // One that is opening would stay open.
    await Promise.allSettled([socket, port]);
    const { status } = statusError("ServiceUnavailable", "the API server is stopping");
    serving.resolve(async () => statusAnswer(status));
    await doors.close();
  };
  const store = await options.store.catch(async (error: unknown) => {
    await closeDoors();
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
    server,
    listen: async () => {
      await open;
      serving.resolve(server.handler);
      return `https://${HOST}:${await port}`;
    },
    close: async () => {
      await closeDoors();
      await objects.close();
    },
  };
}

/** The port that asks for a token. */
async function openPort(doors: HttpServer, { dataDir, apiPort, clock }: EmbeddedApiOptions): Promise<number> {
  const tls = await apiCertificate(dataDir, [HOST], clock);
  const ports = apiPort === 0 ? await choices(dataDir) : [apiPort];
  return atFreePort(ports, (port) => doors.listenTcp({ host: HOST, port, tls }));
}

/** Ports to try: that of the folder's kubeconfig as `start` writes it, which clients may have read, then any. */
async function choices(dataDir: string): Promise<readonly number[]> {
  const kubeconfig = await readFile(join(dataDir, "kubeconfig"), "utf8").catch(() => "");
  const [, former] = /"server": "https:\/\/127\.0\.0\.1:(\d+)"/.exec(kubeconfig) ?? [];
  const any = () => CHOSEN.first + Math.floor(Math.random() * (CHOSEN.last - CHOSEN.first + 1));
  return [...(former === undefined ? [] : [Number(former)]), ...Array.from({ length: MOST_CHOICES }, any)];
}

/** Opens at the first of the ports that nobody has. Rejects with the system's error. */
async function atFreePort(ports: readonly number[], open: (port: number) => Promise<number>): Promise<number> {
  for (const [at, port] of ports.entries()) {
    try {
      return await open(port);
    } catch (error) {
      if (at === ports.length - 1 || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
  throw new TypeError("no port to open at");
}
