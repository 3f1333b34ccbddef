import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { deepEqual } from "#api/meta/equality.ts";
import type { Candidate } from "./decide-node.ts";
import { isProcessNode } from "./decide-requests.ts";
import { NodeLoad } from "./node-load.ts";

/**
 * Which pods run where, from events and from the scheduler's own bindings in flight: a pod that was just assigned counts from that
 * moment on, and until its deletion was seen, so that nothing it holds is given to another.
 */
export class ClusterLoad {
  readonly #nodes = new Map<string, Node>();
  /** Kept for nodes that are gone too: their pods may outlive them. */
  readonly #loads = new Map<string, NodeLoad>();
  readonly #placed = new Map<string, { readonly pod: Pod; readonly node: string; readonly assumed: boolean }>();
  #candidates: readonly Candidate[] | undefined;

  /** All nodes that are known, in no order. */
  candidates(): readonly Candidate[] {
    this.#candidates ??= [...this.#nodes].map(([name, node]) => ({ node, load: this.#loadOf(name) }));
    return this.#candidates;
  }

  setNode(node: Node): void {
    const name = node.metadata.name ?? "";
    const before = this.#loads.get(name);
    this.#nodes.set(name, node);
    if (before && before.process !== isProcessNode(node))
      this.#loads.set(name, new NodeLoad(isProcessNode(node), before.all));
    this.#candidates = undefined;
  }

  removeNode(name: string): void {
    this.#nodes.delete(name);
    this.#candidates = undefined;
  }

  /** The pod as an event shows it. Returns true when that frees something. */
  observe(pod: Pod): boolean {
    const uid = pod.metadata.uid ?? "";
    const { nodeName } = pod.spec;
    const placed = this.#placed.get(uid);
    if (isOver(pod)) return this.forget(uid);
    // An event older than our binding does not take it back.
    if (!nodeName) return false;
    if (placed?.node === nodeName && countsAlike(placed.pod, pod)) {
      this.#placed.set(uid, { ...placed, assumed: false });
      return false;
    }
    this.#place(pod, nodeName, false);
    return placed !== undefined && placed.node !== nodeName;
  }

  /** The pod is being bound to `node`. */
  assume(pod: Pod, node: string): void {
    this.#place(pod, node, true);
  }

  /** The binding failed for sure. What an event has confirmed meanwhile stays. */
  unassume(uid: string): boolean {
    return this.#placed.get(uid)?.assumed === true && this.forget(uid);
  }

  /** Where a binding in flight puts the pod. */
  assumedNode(uid: string): string | undefined {
    const placed = this.#placed.get(uid);
    return placed?.assumed ? placed.node : undefined;
  }

  /** The pod is gone, or ended. Returns true when it had held something. */
  forget(uid: string): boolean {
    const placed = this.#placed.get(uid);
    if (!placed) return false;
    this.#placed.delete(uid);
    this.#loads.get(placed.node)?.remove(placed.pod);
    return true;
  }

  #place(pod: Pod, node: string, assumed: boolean): void {
    const uid = pod.metadata.uid ?? "";
    this.forget(uid);
    this.#placed.set(uid, { pod, node, assumed });
    this.#loadOf(node).add(pod);
  }

  #loadOf(name: string): NodeLoad {
    let load = this.#loads.get(name);
    if (!load) {
      load = new NodeLoad(isProcessNode(this.#nodes.get(name)));
      this.#loads.set(name, load);
    }
    return load;
  }
}

/** Resources and ports of a pod never change. */
function countsAlike({ metadata: a }: Pod, { metadata: b }: Pod): boolean {
  return a.deletionTimestamp === b.deletionTimestamp && deepEqual(a.labels, b.labels);
}

/** A pod whose containers have ended for good holds nothing. */
function isOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
