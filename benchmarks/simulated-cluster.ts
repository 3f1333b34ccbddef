/** The embedded cluster in this process: store in memory, API server, scheduler, upkeep, controllers, and nodes whose games are simulated. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "#api/core/resources.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import type { KubeObject } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { createHttpServer } from "#cluster/apiserver/http-server.ts";
import { createApiServer } from "#cluster/apiserver/server.ts";
import { createSimulatedNode } from "#cluster/node/simulated/simulated-node.ts";
import { MemoryStore } from "#cluster/store/memory-store.ts";
import { openObjectStore } from "#cluster/store/object-store.ts";
import { agonesAdmission } from "#extensions/admission.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { portRanges } from "#ports/port-range.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { type Runnable, runGroups } from "#runtime/runnable.ts";
import { selfSignedCertificate } from "#runtime/self-signed.ts";
import { kubeconfigText } from "#tests/kubernetes/rig/kubeconfig.ts";
import { askForState, fleetOf, templateOf } from "#tests/world/changes.ts";
import { wireClusterServices } from "../src/bin/wiring/cluster-services.ts";
import { wireControllers } from "../src/bin/wiring/controllers.ts";
import { until } from "./cluster.ts";

/** Writes that were answered, by verb and resource: `create pods`, `update gameservers`. Events are not among them. */
export type WriteCounts = Map<string, number>;

const VERSION = "0.0.0";
const HOST = "127.0.0.1";
const PODS_ON_A_NODE = 600;
const PATIENCE_MS = 900_000;
const gates = featureGates();
const user = { username: "benchmark", groups: ["system:masters"] };

export class SimulatedCluster implements AsyncDisposable {
  readonly client: Client;
  /** Of the controllers, and of the SDK servers. */
  readonly controllerWrites: WriteCounts = new Map();
  readonly sdkWrites: WriteCounts = new Map();
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly #door: (kubeconfig: string) => Promise<void>;
  #stopControllers: (() => Promise<void>) | undefined;

  private constructor(
    client: Client,
    door: (kubeconfig: string) => Promise<void>,
    ends: readonly (() => Promise<unknown>)[],
  ) {
    this.client = client;
    this.#door = door;
    this.#ends.push(...ends);
  }

  /** Nodes for so many game servers; no controllers yet. */
  static async open(servers: number): Promise<SimulatedCluster> {
    const objects = await openObjectStore(new MemoryStore(), {
      volatile: (collection) => collection === "/events" || collection === "coordination.k8s.io/leases",
      clock,
      log,
    });
    const admission = [agonesAdmission({ gates, version: VERSION })];
    const server = createApiServer({ objects, admission, groups: [], clock, log, version: VERSION });
    const stop = run([[server]]);
    await server.ready();
    const client = createClient(inProcessTransport(server.handler, user));
    for (const definition of buildCustomResourceDefinitions())
      await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
    const token = randomBytes(24).toString("base64url");
    const doors = createHttpServer(server.handler, { token, log, clock });
    const listen = async (kubeconfig: string): Promise<void> => {
      const tls = await selfSignedCertificate({
        commonName: "stadion",
        names: ["localhost"],
        addresses: [HOST],
        clock,
      });
      const port = await doors.listenTcp({ host: HOST, port: 0, tls });
      writeFileSync(kubeconfig, kubeconfigText(`https://${HOST}:${port}`, token, tls.certificate));
    };
    const cluster = new SimulatedCluster(client, listen, [() => objects.close(), stop, () => doors.close()]);
    cluster.#startNodes(Math.ceil(servers / PODS_ON_A_NODE) + 1);
    return cluster;
  }

  startControllers(): void {
    const { groups } = wireControllers({
      client: counted(this.client, this.controllerWrites),
      gates,
      ranges: portRanges({ min: 7000, max: 8000 }),
      workers: 64,
      pod: { version: VERSION, sidecar: { image: "sdk", requestsRateLimit: "500ms" } },
      clock,
      log,
    });
    this.#stopControllers = run(groups);
  }

  async stopControllers(): Promise<void> {
    await this.#stopControllers?.();
    this.#stopControllers = undefined;
  }

  /** Writes a kubeconfig to that file, by which other processes reach the cluster. */
  listen(kubeconfig: string): Promise<void> {
    return this.#door(kubeconfig);
  }

  async createFleet(name: string, replicas: number): Promise<void> {
    await this.client.create(FLEETS, fleetOf(name, replicas));
    await this.#settled(name, replicas, "1");
  }

  async rollOut(name: string, version: string): Promise<void> {
    const fleet = await this.client.get(FLEETS, "default", name);
    const { replicas = 0 } = fleet.spec;
    await this.client.update(FLEETS, { ...fleet, spec: { ...fleet.spec, template: templateOf(version) } });
    await this.#settled(name, replicas, version);
  }

  async servers(): Promise<readonly GameServer[]> {
    return (await this.client.list(GAMESERVERS)).items;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopControllers();
    for (const end of this.#ends.toReversed()) await end();
  }

  /** Resolves when the fleet says that all its servers are Ready, and none of another version is left. */
  async #settled(name: string, replicas: number, version: string): Promise<void> {
    const holds = async (): Promise<boolean> => {
      const { status } = await this.client.get(FLEETS, "default", name);
      if (status?.readyReplicas !== replicas || status.replicas !== replicas) return false;
      const servers = await this.servers();
      const current = servers.filter(({ spec }) => spec.template.spec.containers?.[0]?.image === `game:${version}`);
      return servers.length === replicas && current.length === replicas;
    };
    await until(holds, PATIENCE_MS);
  }

  #startNodes(count: number): void {
    const { client } = this;
    const sdk = counted(client, this.sdkWrites);
    const nodes = Array.from({ length: count }, (_, at) =>
      createSimulatedNode({
        client,
        nodeName: `node-${at}`,
        addresses: [{ type: "InternalIP", address: `10.0.${at >> 8}.${at & 255}` }],
        capacity: { cpu: "1000", memory: "1Ti", pods: String(PODS_ON_A_NODE) },
        clock,
        log,
        onRun: ({ metadata }, { name }) => {
          if (name === "game") void askForState(sdk, metadata.name ?? "", "RequestReady");
        },
      }),
    );
    this.#ends.push(run([...wireClusterServices({ client, clock, log }), nodes]));
  }
}

function run(groups: readonly (readonly Runnable[])[]): () => Promise<void> {
  const stop = new AbortController();
  const running = runGroups(groups, stop.signal, log);
  return () => {
    stop.abort();
    return running;
  };
}

function counted(client: Client, counts: WriteCounts): Client {
  const count = (verb: string, { plural }: ResourceType<KubeObject>): void => {
    if (plural !== "events") counts.set(`${verb} ${plural}`, (counts.get(`${verb} ${plural}`) ?? 0) + 1);
  };
  return {
    ...client,
    create: (type, object) => {
      count("create", type);
      return client.create(type, object);
    },
    update: (type, object) => {
      count(shutsDown(object) ? "shut down" : "update", type);
      return client.update(type, object);
    },
    patch: (type, namespace, name, patch, ...more) => {
      count("patch", type);
      return client.patch(type, namespace, name, patch, ...more);
    },
    delete: (type, namespace, name, options) => {
      count("delete", type);
      return client.delete(type, namespace, name, options);
    },
    updateStatus: (type, object) => {
      count("update status of", type);
      return client.updateStatus(type, object);
    },
  };
}

/** Whether a write asks for the end of a game server, as a set does. */
const shutsDown = ({ metadata, status }: KubeObject & { readonly status?: { readonly state?: string } }): boolean =>
  status?.state === "Shutdown" && !metadata.deletionTimestamp;
