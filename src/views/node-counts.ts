import type { GameServer } from "#api/agones/gameserver.ts";
import type { Node } from "#api/core/node.ts";
import { isNewerVersion } from "#api/meta/resource-version.ts";
import type { Informer, InformerHandler } from "#kube/informer.ts";

/** Ready and Allocated servers of one node, over all namespaces. */
export interface NodeCount {
  readonly ready: number;
  readonly allocated: number;
}

/** How many Ready and Allocated servers, and how many in any state. */
interface Counter {
  ready: number;
  allocated: number;
  servers: number;
}

/**
 * How many Ready and Allocated servers each node runs: where packing puts the next match
 * and which node scale-down empties first. Kept from events; one that comes twice or late counts once, since each server's last
 * known version is remembered by UID. A node is known from its first server until the Node object goes, and again when
 * another server comes to it.
 */
export class NodeCounts implements InformerHandler<GameServer> {
  readonly #all = new Map<string, Counter>();
  /** The nodes that are known: some of `#all`, the same objects. */
  readonly #known = new Map<string, Counter>();
  readonly #tracked = new Map<string, GameServer>();

  /** By node name; a live view, read-only. */
  get counts(): ReadonlyMap<string, NodeCount> {
    return this.#known;
  }

  /** Keeps the counts true to the servers and nodes of these caches. Call once. */
  follow({ gameServers, nodes }: { readonly gameServers: Informer<GameServer>; readonly nodes: Informer<Node> }): void {
    gameServers.addHandler(this);
    nodes.addHandler({ delete: ({ metadata }) => this.nodeDeleted(metadata.name ?? "") });
  }

  add(gameServer: GameServer): void {
    this.update(gameServer);
  }

  update(gameServer: GameServer): void {
    const uid = uidOf(gameServer);
    const before = this.#tracked.get(uid);
    if (before && isNewerVersion(before, gameServer)) return;
    this.#tracked.set(uid, gameServer);
    const node = nodeOf(gameServer);
    if (before && nodeOf(before) === node && stateOf(before) === stateOf(gameServer)) return;
    if (before) this.#charge(before, -1);
    this.#charge(gameServer, 1);
    const counter = this.#all.get(node);
    if (counter && (!before || nodeOf(before) !== node)) this.#known.set(node, counter);
  }

  /** What a server is about to be, before its event comes. Without effect once the server has gone. */
  anticipate(gameServer: GameServer): void {
    if (this.#tracked.has(uidOf(gameServer))) this.update(gameServer);
  }

  delete(gameServer: GameServer): void {
    const uid = uidOf(gameServer);
    const before = this.#tracked.get(uid);
    if (!before) return;
    this.#tracked.delete(uid);
    this.#charge(before, -1);
  }

  /** Forgets a node that left the cluster; servers still on it no longer count. */
  nodeDeleted(name: string): void {
    this.#known.delete(name);
    if (this.#all.get(name)?.servers === 0) this.#all.delete(name);
  }

  #charge(gameServer: GameServer, by: 1 | -1): void {
    const node = nodeOf(gameServer);
    if (node === "") return;
    const counter = this.#all.get(node) ?? { ready: 0, allocated: 0, servers: 0 };
    counter.servers += by;
    if (stateOf(gameServer) === "Ready") counter.ready += by;
    if (stateOf(gameServer) === "Allocated") counter.allocated += by;
    if (counter.servers === 0 && !this.#known.has(node)) this.#all.delete(node);
    else this.#all.set(node, counter);
  }
}

const uidOf = ({ metadata }: GameServer): string => metadata.uid ?? "";
const nodeOf = ({ status }: GameServer): string => status?.nodeName ?? "";
const stateOf = ({ status }: GameServer): string | undefined => status?.state;
