/** Ends pods whose node is gone: nobody else would say that they have ended. */
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { NODES, PODS } from "#api/core/resources.ts";
import { isConflict, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import type { Informer } from "#kube/informer.ts";
import { type Clock, rfc3339 } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { TimeSlice } from "./time-slice.ts";

export interface PodCollectorOptions {
  readonly client: Pick<Client, "get" | "patch" | "delete">;
  /** Synced before it runs. */
  readonly informers: { readonly pods: Informer<Pod>; readonly nodes: Informer<Node> };
  readonly clock: Clock;
  readonly log: Logger;
}

const CHECK_MS = 20_000;
/** A node must be missing in so many checks in a row: one that is made anew in between keeps its pods. */
const CHECKS = 3;

export function createPodCollector(options: PodCollectorOptions): Runnable {
  return new PodCollector(options);
}

class PodCollector implements Runnable {
  readonly name = "pod collector";
  readonly #options: PodCollectorOptions;
  readonly #slice: TimeSlice;
  /** In how many checks each node was missing. */
  #missing: ReadonlyMap<string, number> = new Map();

  constructor(options: PodCollectorOptions) {
    this.#options = options;
    this.#slice = new TimeSlice(options.clock);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      await this.#check(signal).catch((error: unknown) => log.warn({ error }, "pods of lost nodes were not deleted"));
      await clock.sleep(CHECK_MS, signal).catch(() => {});
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { pods, nodes } = this.#options.informers;
    const stranded = new Map<string, Pod[]>();
    for (const pod of pods.lister.list()) {
      const { nodeName } = pod.spec;
      if (nodeName && !nodes.lister.get(nodeName)) stranded.set(nodeName, [...(stranded.get(nodeName) ?? []), pod]);
    }
    this.#missing = new Map([...stranded.keys()].map((node) => [node, (this.#missing.get(node) ?? 0) + 1]));
    for (const [node, its] of stranded) {
      if ((this.#missing.get(node) ?? 0) < CHECKS || (await this.#exists(node))) continue;
      for (const pod of its) {
        if (signal.aborted) return;
        await this.#slice.breathe();
        await this.#end(pod);
      }
    }
  }

  async #exists(node: string): Promise<boolean> {
    try {
      await this.#options.client.get(NODES, "", node);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #end({ metadata, spec, status }: Pod): Promise<void> {
    const { client, clock, log } = this.#options;
    const { namespace = "", name = "", uid } = metadata;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
      lastTransitionTime: rfc3339(clock.now()),
    };
    const patch = { metadata: { uid }, status: { phase: "Failed", conditions: [condition] } };
    try {
      if (status?.phase !== "Succeeded" && status?.phase !== "Failed")
        await client.patch(PODS, namespace, name, { type: "strategic", patch }, "status");
      await client.delete(PODS, namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } });
      log.info({ namespace, name, node: spec.nodeName }, "pod deleted, its node is gone");
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
