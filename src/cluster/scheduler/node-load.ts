import type { Pod } from "#api/core/pod.ts";
import { type LabelSelector, type Labels, labelSelectorMatcher, SelectorError } from "#api/meta/label-selector.ts";
import type { Load } from "./decide-node.ts";
import { hostPortsOf, requestsOf } from "./decide-requests.ts";

interface Counter {
  readonly matches: (pod: Pod) => boolean;
  count: number;
}

/** What runs on one node, kept pod by pod: asking costs nothing that grows with the pods. */
export class NodeLoad implements Load {
  readonly #process: boolean;
  readonly #pods = new Set<Pod>();
  readonly #requested = new Map<string, bigint>();
  readonly #ports = new Map<string, number>();
  /** Selectors that were asked for; pods of one scheduling strategy share theirs. */
  readonly #counters = new Map<string, Counter>();

  /** `process`: the node's pods are processes of its agent. */
  constructor(process: boolean, pods: Iterable<Pod> = []) {
    this.#process = process;
    for (const pod of pods) this.add(pod);
  }

  get process(): boolean {
    return this.#process;
  }

  get all(): Iterable<Pod> {
    return this.#pods;
  }

  get pods(): number {
    return this.#pods.size;
  }

  requested(resource: string): bigint {
    return this.#requested.get(resource) ?? 0n;
  }

  holdsPort(port: string): boolean {
    return this.#ports.has(port);
  }

  matching(selector: LabelSelector, namespaces: readonly string[]): number {
    const text = JSON.stringify([selector, namespaces]);
    let counter = this.#counters.get(text);
    if (!counter) {
      const labelsMatch = matcherOf(selector);
      const matches = ({ metadata }: Pod) =>
        namespaces.includes(metadata.namespace ?? "") && !metadata.deletionTimestamp && labelsMatch(metadata.labels);
      counter = { matches, count: [...this.#pods].filter(matches).length };
      this.#counters.set(text, counter);
    }
    return counter.count;
  }

  add(pod: Pod): void {
    if (!this.#pods.has(pod)) this.#count(pod, 1);
    this.#pods.add(pod);
  }

  /** `pod`: the very object that was added. */
  remove(pod: Pod): void {
    if (this.#pods.delete(pod)) this.#count(pod, -1);
  }

  #count(pod: Pod, sign: 1 | -1): void {
    for (const [resource, amount] of requestsOf(pod, this.#process))
      this.#requested.set(resource, this.requested(resource) + BigInt(sign) * amount);
    for (const port of hostPortsOf(pod)) {
      const held = (this.#ports.get(port) ?? 0) + sign;
      if (held > 0) this.#ports.set(port, held);
      else this.#ports.delete(port);
    }
    for (const counter of this.#counters.values()) if (counter.matches(pod)) counter.count += sign;
  }
}

/** A selector that the API would refuse matches nothing. */
function matcherOf(selector: LabelSelector): (labels: Labels | undefined) => boolean {
  try {
    return labelSelectorMatcher(selector);
  } catch (error) {
    if (error instanceof SelectorError) return () => false;
    throw error;
  }
}
