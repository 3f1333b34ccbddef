/**
 * Giving a server its host port and taking it back, 20,000 times, while 10,000 servers on 100 nodes hold theirs.
 *
 * The range has 1,000 numbers, so that each is held by ten servers. Servers come and go in random order, as in a fleet in use.
 *
 * Yardstick: the same with 1,000 servers on 10 nodes. The cost must not grow with the number of servers, beyond what larger
 * tables cost a processor's caches. Both take turns.
 */
import type { GameServer } from "#api/agones/gameserver.ts";
import { PortAllocator } from "#ports/port-allocator.ts";
import { portRanges } from "#ports/port-range.ts";
import { type Benchmark, median } from "./figure.ts";

const ROUNDS = 60;
const PAIRS = 20_000;
const TARGET = 2;

export const benchmark: Benchmark = async (tell) => {
  const many = new Ports(10_000, 100);
  const few = new Ports(1000, 10);
  const times = { many: [] as number[], few: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.few.push(few.churn(PAIRS));
    times.many.push(many.churn(PAIRS));
  }
  const p50 = (values: readonly number[]): number => median(values.slice(ROUNDS / 4));
  tell(`${(p50(times.many) / PAIRS / 1e-3).toFixed(2)} µs a port given and taken back`);
  return [{ name: "ports-10000", value: p50(times.many), unit: "ms", against: p50(times.few), target: TARGET }];
};

class Ports {
  readonly #servers: readonly GameServer[];
  readonly #allocator = new PortAllocator(portRanges({ min: 7000, max: 7999 }), { namedRanges: true });
  #random = 1;

  constructor(servers: number, nodes: number) {
    this.#allocator.setNodes(nodes);
    this.#servers = Array.from({ length: servers }, (_, number) => serverOf(`uid-${number}`));
    for (const server of this.#servers) this.#allocator.allocate(server);
  }

  /** Milliseconds for so many servers that go and come. */
  churn(pairs: number): number {
    const started = performance.now();
    for (let pair = 0; pair < pairs; pair++) {
      this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
      const server = this.#servers[this.#random % this.#servers.length];
      if (!server) continue;
      this.#allocator.release(server.metadata.uid ?? "");
      this.#allocator.allocate(server);
    }
    return performance.now() - started;
  }
}

const serverOf = (uid: string): GameServer => ({
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  metadata: { name: uid, namespace: "default", uid },
  spec: {
    ports: [{ name: "play", portPolicy: "Dynamic", containerPort: 7654, protocol: "UDP" }],
    template: { spec: { containers: [{ name: "game", image: "game:1" }] } },
  },
});
