/**
 * Assigns pods to nodes. A pod is looked at when it appears, when something became free, and once a minute while no node can take it.
 * What it decides is remembered at once (`ClusterLoad`), so that many bindings can be on their way together.
 */
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { PODS } from "#api/core/resources.ts";
import { deepEqual } from "#api/meta/equality.ts";
import { objectKey } from "#api/meta/object.ts";
import { isConflict, isNotFound, isRefusal } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { type Controller, createController, type Outcome } from "#kube/controller.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import type { Informer } from "#kube/informer.ts";
import { fastThenSlow } from "#kube/rate-limiter.ts";
import { pathOf } from "#kube/resource.ts";
import { type Clock, rfc3339 } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { ClusterLoad } from "./cluster-load.ts";
import { chooseNode } from "./decide-node.ts";

export interface SchedulerOptions {
  readonly client: Pick<Client, "get" | "patch" | "raw">;
  /** Of all pods and nodes; synced before the scheduler runs. */
  readonly informers: { readonly pods: Informer<Pod>; readonly nodes: Informer<Node> };
  /** Writes as `default-scheduler`. */
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Pods of another scheduler's name are left alone. */
export const SCHEDULER_NAME = "default-scheduler";
/** Bindings on their way at once. */
const WORKERS = 64;
/** What becomes free within this time is looked at together. */
const SETTLE_MS = 50;
const RETRY_MS = 60_000;
/** A cluster that has just started, or whose node registers again, is without nodes for a moment: nobody needs to hear of that. */
const NO_NODE_MS = 10_000;

/** Create it before its informers run: it listens from then on. */
export function createScheduler(options: SchedulerOptions): Runnable {
  return new Scheduler(options);
}

class Scheduler implements Runnable {
  readonly name = SCHEDULER_NAME;
  readonly #options: SchedulerOptions;
  readonly #load = new ClusterLoad();
  readonly #queue: Controller;
  /** Keys of pods that no node can take, in the order in which they were found so. */
  readonly #waiting = new Set<string>();
  #cancelRetry: (() => void) | undefined;
  /** Since when pods wait and there is no node at all. */
  #lonelySince: number | undefined;

  constructor(options: SchedulerOptions) {
    const { clock, log, informers } = options;
    this.#options = options;
    this.#queue = createController({
      name: SCHEDULER_NAME,
      reconcile: (key) => this.#schedule(key),
      workers: WORKERS,
      limiter: fastThenSlow(20, 1_000),
      clock,
      log,
    });
    informers.pods.addHandler({
      add: (pod) => this.#observe(pod),
      update: (pod) => this.#observe(pod),
      delete: (pod) => this.#gone(pod),
    });
    informers.nodes.addHandler({
      add: (node) => this.#nodeChanged(node),
      update: (node, old) => this.#nodeChanged(node, old),
      delete: ({ metadata }) => this.#load.removeNode(metadata.name ?? ""),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#queue.run(signal);
    this.#cancelRetry?.();
  }

  #observe(pod: Pod): void {
    if (this.#load.observe(pod)) this.#retrySoon();
    const key = objectKey(pod);
    if (!wantsNode(pod)) this.#waiting.delete(key);
    else if (!this.#waiting.has(key)) this.#queue.enqueue(key);
  }

  #gone(pod: Pod): void {
    this.#waiting.delete(objectKey(pod));
    if (this.#load.forget(pod.metadata.uid ?? "")) this.#retrySoon();
  }

  #nodeChanged(node: Node, old?: Node): void {
    this.#lonelySince = undefined;
    this.#load.setNode(node);
    if (!old || !deepEqual(decisive(node), decisive(old))) this.#retrySoon();
  }

  /** Something may have become free for those who wait. */
  #retrySoon(): void {
    if (this.#waiting.size === 0) return;
    this.#cancelRetry ??= this.#options.clock.after(SETTLE_MS, () => {
      this.#cancelRetry = undefined;
      const keys = [...this.#waiting];
      this.#waiting.clear();
      for (const key of keys) this.#queue.enqueue(key);
    });
  }

  async #schedule(key: string): Promise<Outcome> {
    const pod = this.#options.informers.pods.lister.get(key);
    if (!pod || !wantsNode(pod)) return;
    const begun = this.#load.assumedNode(pod.metadata.uid ?? "");
    if (begun !== undefined) return this.#bind(pod, begun);
    const candidates = this.#load.candidates();
    const choice = chooseNode(pod, candidates);
    if (choice.node === undefined) {
      this.#waiting.add(key);
      if (candidates.length === 0) {
        this.#lonelySince ??= this.#options.clock.monotonic();
        const left = this.#lonelySince + NO_NODE_MS - this.#options.clock.monotonic();
        if (left > 0) return { requeueAfterMs: left };
      }
      await this.#tellUnschedulable(pod, choice.message);
      return { requeueAfterMs: RETRY_MS };
    }
    this.#waiting.delete(key);
    // In the same step as the choice: the next one is made knowing of this.
    this.#load.assume(pod, choice.node);
    return this.#bind(pod, choice.node);
  }

  /**
   * After a broken connection or a fault of the server nobody knows whether the binding was made, or still will be. What it takes
   * stays taken then, and the same binding is asked for again, until the answer is definite.
   */
  async #bind(pod: Pod, node: string): Promise<Outcome> {
    const { client, recorder } = this.#options;
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    const target = { apiVersion: "v1", kind: "Node", name: node };
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { namespace, name, uid }, target };
    try {
      await client.raw("POST", pathOf(PODS, namespace, name, "binding"), binding);
    } catch (error) {
      // Assigned already, perhaps by an attempt of ours, or being deleted: an event is on its way.
      if (isConflict(error)) return { requeueAfterMs: RETRY_MS };
      if (!isRefusal(error)) throw error;
      if (this.#load.unassume(uid)) this.#retrySoon();
      if (isNotFound(error)) return;
      throw error;
    }
    recorder.event(pod, "Normal", "Scheduled", `Successfully assigned ${namespace}/${name} to ${node}`);
  }

  async #tellUnschedulable(pod: Pod, message: string): Promise<void> {
    const { client, clock, recorder } = this.#options;
    const { namespace = "", name = "" } = pod.metadata;
    const told = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (told?.status === "False" && told.reason === "Unschedulable" && told.message === message) return;
    recorder.event(pod, "Warning", "FailedScheduling", message);
    const lastTransitionTime = told?.status === "False" ? told.lastTransitionTime : rfc3339(clock.now());
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message, lastTransitionTime };
    const patch = { status: { conditions: [{ lastProbeTime: null, ...condition }] } };
    try {
      await client.patch(PODS, namespace, name, { type: "strategic", patch }, "status");
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Ours to assign: not yet assigned, not ended, not held back. */
function wantsNode({ metadata, spec, status }: Pod): boolean {
  const { nodeName, schedulerName = SCHEDULER_NAME } = spec;
  const { schedulingGates = [] } = spec as { readonly schedulingGates?: readonly unknown[] };
  if (nodeName || metadata.deletionTimestamp || schedulerName !== SCHEDULER_NAME) return false;
  return schedulingGates.length === 0 && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

/** What of a node decides which pods it can take; its heartbeats do not. */
const decisive = ({ metadata, spec, status }: Node) => [
  metadata.labels,
  spec,
  status?.allocatable,
  status?.capacity,
  status?.nodeInfo?.containerRuntimeVersion,
];
