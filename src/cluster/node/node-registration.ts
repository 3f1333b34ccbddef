/** Keeps this node's Node object and its Lease: what the node is, and that its agent lives. */
import { arch, availableParallelism, platform, release, totalmem, type } from "node:os";
import type { Lease } from "#api/core/lease.ts";
import type { Node, NodeAddress, NodeCondition } from "#api/core/node.ts";
import type { ResourceList } from "#api/core/pod.ts";
import { LEASES, NODES } from "#api/core/resources.ts";
import { deepEqual } from "#api/meta/equality.ts";
import type { JsonValue } from "#api/meta/json.ts";
import { isAlreadyExists, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import type { Informer } from "#kube/informer.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { type Clock, rfc3339 } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";

export interface NodeDescription {
  readonly name: string;
  readonly addresses: readonly NodeAddress[];
  readonly capacity: ResourceList;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly nodeInfo?: Readonly<Record<string, string>>;
}

export interface NodeRegistrationOptions {
  readonly client: Client;
  readonly node: NodeDescription;
  readonly clock: Clock;
  readonly log: Logger;
}

const LEASE_NAMESPACE = "kube-node-lease";
const LEASE_SECONDS = 40;
const RENEW_MS = 10_000;
const RETRY_MS = 1_000;
/** How often the Node itself is written though nothing changed. */
const REPORT_MS = 300_000;

/** What this machine has. Both can be told otherwise to share it with other work. */
export function machineCapacity(): ResourceList {
  return { cpu: String(availableParallelism()), memory: `${Math.floor(totalmem() / 1024)}Ki`, pods: "1000" };
}

/** What this machine is, in the words of Kubernetes. */
export function machineLabels(nodeName: string): Readonly<Record<string, string>> {
  return {
    "kubernetes.io/hostname": nodeName,
    "kubernetes.io/os": platform() === "win32" ? "windows" : platform(),
    "kubernetes.io/arch": arch() === "x64" ? "amd64" : arch(),
  };
}

export function machineInfo(version: string): Readonly<Record<string, string>> {
  const labels = machineLabels("");
  return {
    machineID: "",
    systemUUID: "",
    bootID: "",
    kernelVersion: release(),
    osImage: `${type()} ${release()}`,
    containerRuntimeVersion: `process://${version}`,
    kubeletVersion: `v${version}`,
    kubeProxyVersion: "",
    operatingSystem: labels["kubernetes.io/os"] ?? "",
    architecture: labels["kubernetes.io/arch"] ?? "",
  };
}

/**
 * Creates the node or takes over the one with its name; taints, cordons and labels of others are left as they are. A node that somebody
 * deletes is made again at once: its agent lives, and so do its pods.
 */
export function createNodeRegistration(options: NodeRegistrationOptions): Runnable {
  return new NodeRegistration(options);
}

class NodeRegistration implements Runnable {
  readonly name = "node registration";
  readonly #options: NodeRegistrationOptions;
  readonly #own: Informer<Node>;
  /** Aborted when there is something to do before the next round is due. */
  #pause = new AbortController();
  #reportedAt: number | undefined;
  #lease: Lease | undefined;

  constructor(options: NodeRegistrationOptions) {
    this.#options = options;
    const fieldSelector = `metadata.name=${options.node.name}`;
    this.#own = createInformer(options.client, NODES, { ...options, fieldSelector });
    this.#own.addHandler({ delete: () => this.#pause.abort() });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#own.run(signal), this.#keep(signal)]);
  }

  async #keep(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    let failed = false;
    while (!signal.aborted) {
      this.#pause = new AbortController();
      try {
        if (this.#isDue()) await this.#report();
        await this.#renew();
        failed = false;
      } catch (error) {
        if (!failed) log.warn({ node: this.#options.node.name, error }, "The node cannot be reported; trying again");
        failed = true;
      }
      const woken = AbortSignal.any([signal, this.#pause.signal]);
      await clock.sleep(failed ? RETRY_MS : RENEW_MS, woken).catch(() => {});
    }
  }

  #isDue(): boolean {
    const { clock, node } = this.#options;
    if (this.#reportedAt === undefined || clock.now() - this.#reportedAt >= REPORT_MS) return true;
    return this.#own.synced && this.#own.lister.get(node.name) === undefined;
  }

  async #report(): Promise<void> {
    const { client, clock, node } = this.#options;
    const isKnown = this.#own.lister.get(node.name) !== undefined;
    if (isKnown || !(await this.#isCreated())) {
      const found = await this.#labelled(await client.get(NODES, "", node.name));
      await client.updateStatus(NODES, { ...found, status: this.#statusOver(found) });
    }
    this.#reportedAt = clock.now();
  }

  /** Creates the node with its status, which of a Node, unlike of other kinds, a creation keeps. False when it is there already. */
  async #isCreated(): Promise<boolean> {
    const { client, node } = this.#options;
    const { name, labels, annotations } = node;
    const created: Node = { apiVersion: "v1", kind: "Node", metadata: { name, labels, annotations } };
    try {
      await client.create(NODES, { ...created, status: this.#statusOver(created) });
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  async #labelled(found: Node): Promise<Node> {
    const { client, node } = this.#options;
    const labels = { ...found.metadata.labels, ...node.labels };
    const annotations = { ...found.metadata.annotations, ...node.annotations };
    if (same(labels, found.metadata.labels ?? {}) && same(annotations, found.metadata.annotations ?? {})) return found;
    return client.patch(NODES, "", node.name, { type: "merge", patch: { metadata: { labels, annotations } } });
  }

  #statusOver({ status }: Node): NonNullable<Node["status"]> {
    const { capacity, addresses, nodeInfo } = this.#options.node;
    const others = (status?.conditions ?? []).filter(({ type }) => type !== "Ready");
    return {
      ...status,
      capacity,
      allocatable: capacity,
      addresses,
      conditions: [...others, this.#ready(status?.conditions ?? [])],
      ...(nodeInfo && { nodeInfo }),
    };
  }

  #ready(before: readonly NodeCondition[]): NodeCondition {
    const now = rfc3339(this.#options.clock.now());
    const old = before.find(({ type }) => type === "Ready");
    return {
      type: "Ready",
      status: "True",
      reason: "KubeletReady",
      message: "the node agent runs pods",
      lastHeartbeatTime: now,
      lastTransitionTime: (old?.status === "True" && old.lastTransitionTime) || now,
    };
  }

  async #renew(): Promise<void> {
    const { client, node, clock } = this.#options;
    const spec = {
      holderIdentity: node.name,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: new Date(clock.now()).toISOString().replace("Z", "000Z"),
    };
    try {
      this.#lease ??= await client.get(LEASES, LEASE_NAMESPACE, node.name);
      this.#lease = await client.update(LEASES, { ...this.#lease, spec: { ...this.#lease.spec, ...spec } });
    } catch (error) {
      this.#lease = undefined;
      if (!isNotFound(error)) throw error;
      const metadata = { name: node.name, namespace: LEASE_NAMESPACE };
      this.#lease = await client.create(LEASES, {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata,
        spec,
      });
    }
  }
}

const same = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  deepEqual(a as JsonValue, b as JsonValue);
