import type { OwnerReference } from "#api/meta/object.ts";
import { type ApiType, groupOf } from "./api-types.ts";

/** What the collector knows of an object. */
export interface GraphNode {
  readonly type: ApiType;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
}

export const FOREGROUND = "foregroundDeletion";
export const ORPHAN = "orphan";

/** Being deleted, and waiting until those are gone that it owns. */
export const waitsForDependents = ({ deleting, finalizers }: Pick<GraphNode, "deleting" | "finalizers">): boolean =>
  deleting && finalizers.includes(FOREGROUND);

/** True when the reference means this very object, in the place where it says it is. */
export function refersTo(
  reference: OwnerReference,
  dependent: Pick<GraphNode, "namespace">,
  owner: GraphNode,
): boolean {
  return (
    reference.uid === owner.uid &&
    reference.name === owner.name &&
    reference.kind === owner.type.kind &&
    groupOf(reference.apiVersion) === owner.type.group &&
    (!owner.type.namespaced || owner.namespace === dependent.namespace)
  );
}

/** All objects by UID, and who says to be owned by whom. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  /** Owners need not be known. */
  readonly #dependents = new Map<string, Set<string>>();

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Those that name `uid` as an owner. */
  dependents(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((each) => this.#nodes.get(each) ?? []);
  }

  set(node: GraphNode): void {
    this.remove(node.uid);
    this.#nodes.set(node.uid, node);
    for (const { uid } of node.owners)
      this.#dependents.set(uid, (this.#dependents.get(uid) ?? new Set()).add(node.uid));
  }

  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (!node) return;
    this.#nodes.delete(uid);
    for (const owner of node.owners) {
      const siblings = this.#dependents.get(owner.uid);
      siblings?.delete(uid);
      if (siblings?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}
