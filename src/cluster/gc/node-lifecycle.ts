/**
 * Tells when a node's agent is silent: its Ready condition becomes Unknown and new pods are kept off by a taint, until it is heard again.
 * Pods that run there are left alone.
 */
import type { Lease } from "#api/core/lease.ts";
import type { Node, NodeCondition, Taint } from "#api/core/node.ts";
import { NODES } from "#api/core/resources.ts";
import { isConflict, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import type { Informer } from "#kube/informer.ts";
import { type Clock, rfc3339 } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";

export interface NodeLifecycleOptions {
  readonly client: Pick<Client, "get" | "patch" | "updateStatus">;
  /** Synced before it runs; the Leases are those of `kube-node-lease`. */
  readonly informers: { readonly nodes: Informer<Node>; readonly leases: Informer<Lease> };
  readonly clock: Clock;
  readonly log: Logger;
}

export const NODE_LEASE_NAMESPACE = "kube-node-lease";
const CHECK_MS = 5_000;
/**
 * So many checks in a row without a sign of life: 40 s. Counted, not timed: after a pause of this very process
 * no node is blamed for what happened meanwhile.
 */
const CHECKS = 8;
const UNREACHABLE: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" };
const REASON = "NodeStatusUnknown";

export function createNodeLifecycle(options: NodeLifecycleOptions): Runnable {
  return new NodeLifecycle(options);
}

class NodeLifecycle implements Runnable {
  readonly name = "node lifecycle";
  readonly #options: NodeLifecycleOptions;
  /** What each node's last sign of life was, and in how many checks it was the same. */
  #heard: ReadonlyMap<string, { readonly sign: string; readonly checks: number }> = new Map();

  constructor(options: NodeLifecycleOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      for (const [node, silent] of this.#listen()) {
        try {
          await (silent ? this.#declareUnknown(node) : this.#welcomeBack(node));
        } catch (error) {
          // Changed meanwhile: the next check sees it.
          if (!isConflict(error) && !isNotFound(error))
            log.warn({ error, node: node.metadata.name }, "the state of a node could not be written");
        }
      }
      await clock.sleep(CHECK_MS, signal).catch(() => {});
    }
  }

  /** Every node, and whether it has been silent for too long. */
  #listen(): readonly (readonly [Node, boolean])[] {
    const { nodes, leases } = this.#options.informers;
    const all = nodes.lister.list();
    this.#heard = new Map(
      all.map((node) => {
        const { name = "" } = node.metadata;
        const renewed = leases.lister.get(`${NODE_LEASE_NAMESPACE}/${name}`)?.spec?.renewTime;
        const sign = `${renewed} ${readyOf(node)?.lastHeartbeatTime}`;
        const before = this.#heard.get(name);
        return [name, { sign, checks: before?.sign === sign ? before.checks + 1 : 0 }];
      }),
    );
    return all.map((node) => [node, (this.#heard.get(node.metadata.name ?? "")?.checks ?? 0) >= CHECKS]);
  }

  async #declareUnknown(node: Node): Promise<void> {
    const { log } = this.#options;
    if (readyOf(node)?.status !== "Unknown") {
      log.warn({ node: node.metadata.name }, "node is not heard any more");
      await this.#setReady(node, {
        status: "Unknown",
        reason: REASON,
        message: "The node's agent stopped renewing its lease.",
      });
    }
    if (!isTainted(node)) await this.#setTaints(node, (taints) => [...taints, UNREACHABLE]);
  }

  async #welcomeBack(node: Node): Promise<void> {
    const ready = readyOf(node);
    if (ready?.status === "Unknown" && ready.reason === REASON) {
      this.#options.log.info({ node: node.metadata.name }, "node is heard again");
      const message = "The node's agent renews its lease again.";
      await this.#setReady(node, { status: "True", reason: "KubeletReady", message });
    }
    if (isTainted(node)) await this.#setTaints(node, (taints) => taints.filter(({ key }) => key !== UNREACHABLE.key));
  }

  async #setReady({ metadata }: Node, change: Pick<NodeCondition, "status" | "reason" | "message">): Promise<void> {
    const { client, clock } = this.#options;
    const node = await client.get(NODES, "", metadata.name ?? "");
    const { conditions = [] } = node.status ?? {};
    const { lastHeartbeatTime } = readyOf(node) ?? {};
    const ready = { type: "Ready", ...change, lastHeartbeatTime, lastTransitionTime: rfc3339(clock.now()) };
    const others = conditions.filter(({ type }) => type !== "Ready");
    await client.updateStatus(NODES, { ...node, status: { ...node.status, conditions: [...others, ready] } });
  }

  async #setTaints({ metadata }: Node, change: (taints: readonly Taint[]) => readonly Taint[]): Promise<void> {
    const { client } = this.#options;
    const node = await client.get(NODES, "", metadata.name ?? "");
    const taints = change(node.spec?.taints ?? []).map((taint) => ({ ...taint }));
    const { resourceVersion } = node.metadata;
    const patch = { metadata: { resourceVersion }, spec: { taints } };
    await client.patch(NODES, "", metadata.name ?? "", { type: "merge", patch });
  }
}

const readyOf = ({ status }: Node): NodeCondition | undefined =>
  status?.conditions?.find(({ type }) => type === "Ready");

const isTainted = ({ spec }: Node): boolean => spec?.taints?.some(({ key }) => key === UNREACHABLE.key) ?? false;
