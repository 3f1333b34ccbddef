/**
 * A node without processes, for tests and benchmarks of everything above it. Towards the API it is the node agent: the same
 * workers, decisions and statuses; only what runs a container is a state machine. It writes no Events, tries no probes and keeps
 * nothing on disk.
 */

import type { NodeAddress } from "#api/core/node.ts";
import type { Container, Pod, ResourceList } from "#api/core/pod.ts";
import { PODS } from "#api/core/resources.ts";
import type { Client } from "#kube/client.ts";
import { createInformer } from "#kube/shared-informer.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import { type Runnable, runGroups } from "#runtime/runnable.ts";
import { createNodeRegistration, machineLabels } from "../node-registration.ts";
import { createPodEvents } from "../pod-events.ts";
import { PodWorker, type PodWorkerOptions } from "../pod-worker.ts";
import { PodWorkers } from "../pod-workers.ts";
import type { PodStore } from "../state-folder.ts";
import { WriteTurns } from "../write-turns.ts";
import { SimulatedContainers } from "./simulated-containers.ts";

export interface SimulatedNodeOptions {
  readonly client: Client;
  readonly nodeName: string;
  /** Default: 10.0.0.1. The first InternalIP is every pod's address. */
  readonly addresses?: readonly NodeAddress[];
  /** Default: room for 10,000 pods. */
  readonly capacity?: ResourceList;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long a container takes to start, and to end when asked; milliseconds, default 0. */
  readonly startMs?: number;
  readonly stopMs?: number;
  /** Status writes and deletions under way at once. Default 64. */
  readonly maxWrites?: number;
  /** Called when a container has begun to run: acts as the game in it would. */
  readonly onRun?: (pod: Pod, container: Container) => void;
}

export interface SimulatedNode extends Runnable {
  /** Resolves once it knows its pods. */
  ready(): Promise<void>;
  /** Ends a container of the pod `namespace/name` by itself, by default the first that is no init container. False: it does not run. */
  exit(key: string, exitCode: number, container?: string): boolean;
  /** As `exit`, by a segmentation fault. */
  crash(key: string, container?: string): boolean;
  /** How many containers run. */
  readonly running: number;
}

const SEGMENTATION_FAULT = 139;
const defaultCapacity: ResourceList = { cpu: "10000", memory: "10Ti", pods: "10000" };
const defaultAddresses: readonly NodeAddress[] = [{ type: "InternalIP", address: "10.0.0.1" }];

export function createSimulatedNode(options: SimulatedNodeOptions): SimulatedNode {
  const { client, nodeName, clock, log, maxWrites = 64 } = options;
  const { addresses = defaultAddresses, capacity = defaultCapacity } = options;
  const containers = new SimulatedContainers(options);
  const address = addresses.find(({ type }) => type === "InternalIP")?.address ?? "";
  const each: PodWorkerOptions = {
    writer: client,
    turns: new WriteTurns(maxWrites),
    store: forgetfulStore(containers),
    addresses: { hostIP: address, podIPs: [address] },
    runtime: containers,
    handlers: new Map(),
    events: createPodEvents({ event: () => {} }),
    clock,
    log,
  };
  const workers = new PodWorkers((pod, gone) => new PodWorker(pod, each, gone));
  const informer = createInformer(client, PODS, { fieldSelector: `spec.nodeName=${nodeName}`, clock, log });
  workers.follow(informer);
  const node = { name: nodeName, addresses, capacity, labels: machineLabels(nodeName) };
  const registration = createNodeRegistration({ client, node, clock, log });

  const exit = (key: string, exitCode: number, container?: string): boolean => {
    const pod = informer.lister.get(key);
    const name = container ?? pod?.spec.containers[0]?.name;
    return name !== undefined && containers.exit(pod?.metadata.uid ?? "", name, exitCode);
  };
  return {
    name: `simulated node ${nodeName}`,
    ready: () => informer.ready(),
    run: async (signal) => {
      await runGroups([[registration, informer]], signal, log);
      await workers.detach();
    },
    exit,
    crash: (key, container) => exit(key, SEGMENTATION_FAULT, container),
    get running() {
      return containers.running().length;
    },
  };
}

/** Nothing is written down: should this node end, its containers are gone with it. */
function forgetfulStore(containers: SimulatedContainers): PodStore {
  return {
    list: async () => [],
    load: async () => undefined,
    save: async () => {},
    remove: async (uid) => containers.forget(uid),
  };
}
