import type { GameServer } from "#api/agones/gameserver.ts";
import type { InformerHandler } from "#kube/informer.ts";

/** Ready and Allocated servers of one node, over all namespaces. */
export interface NodeCount {
  readonly ready: number;
  readonly allocated: number;
}

interface Tracked {
  readonly node: string;
  readonly state: string | undefined;
}

/**
 * How many Ready and Allocated servers each node runs (`spec/controllers` §1.12): where packing puts the next match
 * and which node scale-down empties first. Kept from events; one that comes twice or late counts once, since each server's last
 * known node and state are remembered by UID. A node is known from its first server until the Node object goes.
 */
export class NodeCounts implements InformerHandler<GameServer> {
  readonly #counts = new Map<string, { ready: number; allocated: number }>();
  readonly #tracked = new Map<string, Tracked>();

  /** By node name; a live view, read-only. */
  get counts(): ReadonlyMap<string, NodeCount> {
    return this.#counts;
  }

  add(gameServer: GameServer): void {
    this.update(gameServer);
  }

  update(gameServer: GameServer): void {
    const uid = gameServer.metadata.uid ?? "";
    const now = { node: gameServer.status?.nodeName ?? "", state: gameServer.status?.state };
    const before = this.#tracked.get(uid);
    if (before?.node === now.node && before.state === now.state) return;
    if (before) this.#charge(before, -1);
    this.#tracked.set(uid, now);
    this.#charge(now, 1);
  }

  delete(gameServer: GameServer): void {
    const uid = gameServer.metadata.uid ?? "";
    const before = this.#tracked.get(uid);
    if (!before) return;
    this.#tracked.delete(uid);
    this.#charge(before, -1);
  }

  /** Forgets a node that left the cluster; servers still on it no longer count. */
  nodeDeleted(name: string): void {
    this.#counts.delete(name);
  }

  #charge({ node, state }: Tracked, by: 1 | -1): void {
    if (node === "") return;
    let count = this.#counts.get(node);
    if (!count) {
      if (by < 0) return;
      count = { ready: 0, allocated: 0 };
      this.#counts.set(node, count);
    }
    if (state === "Ready") count.ready = Math.max(0, count.ready + by);
    if (state === "Allocated") count.allocated = Math.max(0, count.allocated + by);
  }
}
