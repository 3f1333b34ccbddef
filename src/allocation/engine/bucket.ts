import type { GameServer } from "#api/agones/gameserver.ts";

/** Servers of one namespace, state and fleet: by node, each node's in order of their names, and all in no order. */
export class Bucket {
  readonly #byNode = new Map<string, GameServer[]>();
  readonly #all: GameServer[] = [];
  readonly #place = new Map<GameServer, number>();

  get size(): number {
    return this.#all.length;
  }

  /** The servers, in no order; for random picks. */
  get all(): readonly GameServer[] {
    return this.#all;
  }

  get nodes(): IterableIterator<string> {
    return this.#byNode.keys();
  }

  /** A node's servers by name. */
  on(node: string): readonly GameServer[] {
    return this.#byNode.get(node) ?? [];
  }

  add(server: GameServer): void {
    const node = server.status?.nodeName ?? "";
    const servers = this.#byNode.get(node) ?? [];
    servers.splice(positionOf(servers, nameOf(server)), 0, server);
    this.#byNode.set(node, servers);
    this.#place.set(server, this.#all.length);
    this.#all.push(server);
  }

  remove(server: GameServer): void {
    const place = this.#place.get(server);
    if (place === undefined) return;
    this.#place.delete(server);
    const last = this.#all.pop();
    if (last && last !== server) {
      this.#all[place] = last;
      this.#place.set(last, place);
    }
    const node = server.status?.nodeName ?? "";
    const servers = this.#byNode.get(node) ?? [];
    servers.splice(positionOf(servers, nameOf(server)), 1);
    if (servers.length === 0) this.#byNode.delete(node);
  }
}

export const nameOf = ({ metadata }: GameServer): string => metadata.name ?? "";

/** Where `name` stands, or would stand, in servers sorted by name in byte order. */
function positionOf(servers: readonly GameServer[], name: string): number {
  let low = 0;
  let high = servers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = servers[middle];
    if (there && nameOf(there) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
