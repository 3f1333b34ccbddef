import type { CloudProduct } from "#api/agones/cloud-product/cloud-product.ts";
import { generic } from "#api/agones/cloud-product/generic.ts";
import type { GameServer, GameServerPort } from "#api/agones/gameserver.ts";
import { needsHostPort } from "#api/agones/port-policy.ts";
import type { Node } from "#api/core/node.ts";
import type { Informer } from "#kube/informer.ts";
import { PortPool } from "./port-pool.ts";
import { DEFAULT_RANGE, type PortRange } from "./port-range.ts";

export interface Allocation {
  /** The server with its host ports; TCPUDP ports split in two. */
  readonly gameServer: GameServer;
  /** True when a port is held by more servers than there are nodes to take them: the Pod will wait for a node. */
  readonly waitsForNode: boolean;
  /** Ports that name a range which does not exist, and so got no host port. */
  readonly unknownRange: readonly GameServerPort[];
}

/** A range has fewer ports than one server asks for. */
export class PortsExhausted extends Error {
  override readonly name = "PortsExhausted";
  readonly code = "PortsExhausted";
}

interface FollowedCaches {
  readonly gameServers: Informer<GameServer>;
  readonly nodes: Informer<Node>;
}

export interface PortAllocatorOptions {
  /** The gate PortRanges; off, every port comes from the range `default`. */
  readonly namedRanges: boolean;
  /** One that finds host ports itself gets placeholders, and nothing is kept here. Default `generic`. */
  readonly product?: CloudProduct;
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Which host ports are free and who holds which.
 *
 * What a server holds is remembered by its UID, exactly: asking again for the same server gives the same ports, giving back
 * twice changes nothing. The map is rebuilt from the objects alone: hand every server seen to `observe`, at start and after.
 * One server never gets a number twice, and a TCPUDP port takes one number for both protocols.
 * `allocate` and `release` are O(ports of the server), however many servers and nodes there are.
 */
export class PortAllocator {
  readonly #ranges: ReadonlyMap<string, PortRange>;
  readonly #pools: ReadonlyMap<string, PortPool>;
  readonly #namedRanges: boolean;
  readonly #product: CloudProduct;
  /** By UID: each number and the pool it came from. */
  readonly #held = new Map<string, ReadonlyMap<number, PortPool>>();
  #nodes = 0;

  constructor(ranges: ReadonlyMap<string, PortRange>, options: PortAllocatorOptions) {
    const { namedRanges, product = generic, random = Math.random } = options;
    this.#ranges = ranges;
    this.#pools = new Map([...ranges].map(([name, range]) => [name, new PortPool(range, random)]));
    this.#namedRanges = namedRanges;
    this.#product = product;
  }

  /** Keeps the map true to the servers and nodes of these caches. Call once, before they run. */
  follow({ gameServers, nodes }: FollowedCaches): void {
    const countNodes = () => this.setNodes(nodes.lister.list().filter(({ spec }) => !spec?.unschedulable).length);
    nodes.addHandler({ add: countNodes, update: countNodes, delete: countNodes });
    gameServers.addHandler({
      add: (server) => this.observe(server),
      update: (server) => this.observe(server),
      delete: ({ metadata }) => this.release(metadata.uid ?? ""),
    });
  }

  /** How many nodes may take servers. */
  setNodes(count: number): void {
    this.#nodes = count;
  }

  /** The ports a server holds. */
  heldBy(uid: string): ReadonlySet<number> {
    return new Set(this.#held.get(uid)?.keys());
  }

  /**
   * Gives host ports to the Dynamic and Passthrough ports of a server.
   * Throws `PortsExhausted` when a range is too small for this server alone.
   */
  allocate(gameServer: GameServer): Allocation {
    const standard = this.#ranges.get(DEFAULT_RANGE);
    if (this.#product.placeholderPorts && standard)
      return {
        gameServer: this.#product.placeholderPorts(gameServer, standard),
        waitsForNode: false,
        unknownRange: [],
      };

    const numbers = this.#pick(gameServer);
    const first: GameServerPort[] = [];
    const appended: GameServerPort[] = [];
    for (const port of gameServer.spec.ports ?? []) {
      const hostPort = needsHostPort(port) ? numbers.get(this.#poolOf(port))?.next().value : undefined;
      if (hostPort === undefined) {
        first.push(port);
        continue;
      }
      const placed = { ...port, hostPort, ...(port.portPolicy === "Passthrough" && { containerPort: hostPort }) };
      if (port.protocol === "TCPUDP") {
        first.push({ ...placed, name: `${port.name ?? ""}-tcp`, protocol: "TCP" });
        appended.push({ ...placed, name: `${port.name ?? ""}-udp`, protocol: "UDP" });
      } else first.push(placed);
    }
    const held = this.#held.get(gameServer.metadata.uid ?? "");
    return {
      gameServer: { ...gameServer, spec: { ...gameServer.spec, ports: [...first, ...appended] } },
      unknownRange: first.filter((port) => needsHostPort(port) && !this.#poolOf(port)),
      waitsForNode: held?.entries().some(([number, pool]) => pool.uses(number) > Math.max(1, this.#nodes)) ?? false,
    };
  }

  /** Takes what the object says it holds; without host ports yet, nothing changes. */
  observe(gameServer: GameServer): void {
    if (this.#product.placeholderPorts) return;
    const uid = gameServer.metadata.uid ?? "";
    const held = this.#held.get(uid) ?? new Map<number, PortPool>();
    const now = new Map<number, PortPool>();
    for (const port of gameServer.spec.ports ?? []) {
      if (!needsHostPort(port) || port.hostPort === undefined) continue;
      const pool = held.get(port.hostPort) ?? this.#poolHolding(port, port.hostPort);
      if (pool) now.set(port.hostPort, pool);
    }
    if (now.size === 0) return;
    for (const [number, pool] of now) if (!held.has(number)) pool.hold(number);
    for (const [number, pool] of held) if (!now.has(number)) pool.put(number);
    this.#held.set(uid, now);
  }

  /** Gives back all ports of a server. */
  release(uid: string): void {
    for (const [number, pool] of this.#held.get(uid) ?? []) pool.put(number);
    this.#held.delete(uid);
  }

  /** Numbers for a server by pool, those it holds already first; what it does not need any more is given back. */
  #pick({ metadata, spec }: GameServer): ReadonlyMap<PortPool | undefined, Iterator<number>> {
    const { uid = "", name } = metadata;
    const wanted = new Map<PortPool, number>();
    for (const port of spec.ports ?? []) {
      const pool = needsHostPort(port) ? this.#poolOf(port) : undefined;
      if (pool) wanted.set(pool, (wanted.get(pool) ?? 0) + 1);
    }
    const before = this.#held.get(uid) ?? new Map<number, PortPool>();
    const taken = new Set(before.keys());
    const held = new Map<number, PortPool>();
    const picked = [...wanted].map(([pool, count]) => {
      const own = before.entries().filter(([, from]) => from === pool);
      const kept = [...own.take(count).map(([number]) => number)];
      const numbers = [...kept, ...pool.take(count - kept.length, taken)];
      for (const number of numbers) {
        taken.add(number);
        held.set(number, pool);
      }
      return { pool, count, numbers };
    });
    for (const [number, pool] of before) if (!held.has(number)) pool.put(number);
    this.#held.set(uid, held);

    const short = picked.find(({ count, numbers }) => numbers.length < count);
    if (!short) return new Map(picked.map(({ pool, numbers }) => [pool, numbers.values()]));
    this.release(uid);
    const { min, max } = short.pool.range;
    throw new PortsExhausted(
      `port range ${this.#nameOf(short.pool)} has ${max - min + 1} ports, too few for GameServer ${name}`,
    );
  }

  #poolOf(port: GameServerPort): PortPool | undefined {
    return this.#pools.get(this.#namedRanges ? (port.range ?? DEFAULT_RANGE) : DEFAULT_RANGE);
  }

  #nameOf(pool: PortPool): string {
    return this.#pools.entries().find(([, each]) => each === pool)?.[0] ?? "";
  }

  /** The port's own range if the number is in it, else the first that has it: ranges may have changed since it was given. */
  #poolHolding(port: GameServerPort, number: number): PortPool | undefined {
    const own = this.#poolOf(port);
    return own?.has(number) ? own : this.#pools.values().find((pool) => pool.has(number));
  }
}
