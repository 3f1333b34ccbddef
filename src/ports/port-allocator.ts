import type { GameServer, GameServerPort } from "#api/agones/gameserver.ts";
import { needsHostPort } from "#api/agones/port-policy.ts";
import { PortPool } from "./port-pool.ts";
import { DEFAULT_RANGE, type PortRange } from "./port-range.ts";

export interface Allocation {
  /** The server with its host ports; TCPUDP ports split in two. */
  readonly gameServer: GameServer;
  /** True when a port is held by more servers than there are nodes to take them: the Pod will wait for a node. */
  readonly waitsForNode: boolean;
}

/** A range has fewer ports than one server asks for. */
export class PortsExhausted extends Error {
  override readonly name = "PortsExhausted";
  readonly code = "PortsExhausted";
}

/**
 * Which host ports are free and who holds which.
 *
 * What a server holds is remembered by its UID, exactly: asking again for the same server gives the same ports, giving back
 * twice changes nothing. The map is rebuilt from the objects alone: hand every server seen to `observe`, at start and after.
 * One server never gets a number twice, and a TCPUDP port takes one number for both protocols.
 */
export class PortAllocator {
  readonly #pools: ReadonlyMap<string, PortPool>;
  readonly #namedRanges: boolean;
  /** By UID: each number and the pool it came from. */
  readonly #held = new Map<string, ReadonlyMap<number, PortPool>>();
  #nodes = 0;

  /** `namedRanges`: the gate PortRanges; off, every port comes from the range `default`. */
  constructor(
    ranges: ReadonlyMap<string, PortRange>,
    options: { readonly namedRanges: boolean; readonly random?: () => number },
  ) {
    const random = options.random ?? Math.random;
    this.#pools = new Map([...ranges].map(([name, range]) => [name, new PortPool(range, random)]));
    this.#namedRanges = options.namedRanges;
  }

  /** How many nodes may take servers. */
  setNodes(count: number): void {
    this.#nodes = count;
  }

  /** The ports a server holds. */
  heldBy(uid: string): ReadonlySet<number> {
    return new Set(this.#held.get(uid)?.keys());
  }

  /** Gives host ports to the Dynamic and Passthrough ports of a server. A port that names an unknown range is left without one. */
  allocate(gameServer: GameServer): Allocation {
    const uid = gameServer.metadata.uid ?? "";
    const before = new Map(this.#held.get(uid));
    const picked = new Map<number, PortPool>();
    let waitsForNode = false;

    const pick = (port: GameServerPort): number | undefined => {
      const pool = this.#poolOf(port);
      if (!pool) return undefined;
      const again = before.entries().find(([, from]) => from === pool)?.[0];
      const number = again ?? pool.take(new Set([...picked.keys(), ...before.keys()]));
      if (number === undefined) return this.#exhausted(gameServer, pool, port, [...picked, ...before]);
      before.delete(number);
      picked.set(number, pool);
      waitsForNode ||= pool.uses(number) > Math.max(1, this.#nodes);
      return number;
    };

    const first: GameServerPort[] = [];
    const appended: GameServerPort[] = [];
    for (const port of gameServer.spec.ports ?? []) {
      const hostPort = needsHostPort(port) ? pick(port) : undefined;
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
    for (const [number, pool] of before) pool.put(number);
    this.#held.set(uid, picked);
    return {
      gameServer: { ...gameServer, spec: { ...gameServer.spec, ports: [...first, ...appended] } },
      waitsForNode,
    };
  }

  /** Takes what the object says it holds; without host ports yet, nothing changes. */
  observe(gameServer: GameServer): void {
    const uid = gameServer.metadata.uid ?? "";
    const held = this.#held.get(uid) ?? new Map<number, PortPool>();
    const now = new Map<number, PortPool>();
    for (const port of gameServer.spec.ports ?? []) {
      if (!needsHostPort(port) || port.hostPort === undefined) continue;
      const pool = held.get(port.hostPort) ?? this.#poolHolding(port.hostPort);
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

  #exhausted(gameServer: GameServer, pool: PortPool, port: GameServerPort, taken: Iterable<[number, PortPool]>): never {
    for (const [number, from] of taken) from.put(number);
    this.#held.delete(gameServer.metadata.uid ?? "");
    const size = pool.range.max - pool.range.min + 1;
    throw new PortsExhausted(
      `port range ${port.range ?? DEFAULT_RANGE} has ${size} ports, too few for GameServer ${gameServer.metadata.name}`,
    );
  }

  #poolOf(port: GameServerPort): PortPool | undefined {
    return this.#pools.get(this.#namedRanges ? (port.range ?? DEFAULT_RANGE) : DEFAULT_RANGE);
  }

  /** By number alone, as Agones rebuilds its map. Ranges that share an end point: the first has it. */
  #poolHolding(number: number): PortPool | undefined {
    for (const pool of this.#pools.values()) if (pool.has(number)) return pool;
    return undefined;
  }
}
