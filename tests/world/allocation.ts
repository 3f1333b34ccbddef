/** Allocation engines on one API, as several processes have them, and the servers they pick from. */
import { onTestFinished } from "vitest";
import { AllocationEngine, type Living } from "#allocation/engine/engine.ts";
import type { GameServer, GameServerStatus } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { GameServerAllocation, GameServerAllocationSpec } from "#api/allocation/gameserverallocation.ts";
import type { Client } from "#kube/client.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { NodeCounts } from "#views/node-counts.ts";
import { type EmbeddedTestApi, gates, openTestApi } from "./embedded-api.ts";
import { seededRandom } from "./random.ts";

export class AllocationWorld {
  readonly api: EmbeddedTestApi;
  readonly clock: FakeClock;
  readonly recorder = new FakeEventRecorder();
  readonly random = seededRandom(7);
  readonly #stop = new AbortController();

  /** Use `openAllocationWorld`. */
  constructor(api: EmbeddedTestApi, clock: FakeClock) {
    this.api = api;
    this.clock = clock;
  }

  /** An engine of a process of its own; `disturb` stands between its writes and the API, `watching` between its cache and it. */
  async engine(
    disturb: (client: Client) => Client = (client) => client,
    watching: (client: Client) => Client = (client) => client,
    living?: Living,
  ): Promise<AllocationEngine> {
    const { clock, recorder, random } = this;
    const cache = { clock, log: silentLogger, freeze: true };
    const gameServers = createInformer(watching(this.api.client), GAMESERVERS, cache);
    const nodeCounts = new NodeCounts();
    gameServers.addHandler(nodeCounts);
    const client = disturb(this.api.client);
    const engine = new AllocationEngine({ client, gameServers, nodeCounts, gates, recorder, clock, random, living });
    void gameServers.run(this.#stop.signal);
    await gameServers.ready();
    return engine;
  }

  async make(...servers: readonly GameServer[]): Promise<void> {
    for (const server of servers) await this.api.client.create(GAMESERVERS, server);
    await this.settle();
  }

  get(name: string): Promise<GameServer> {
    return this.api.client.get(GAMESERVERS, "default", name);
  }

  /** Lets the caches catch up. */
  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.api.close();
  }
}

/** Ends with the test. */
export async function openAllocationWorld(): Promise<AllocationWorld> {
  const clock = new FakeClock();
  const world = new AllocationWorld(await openTestApi({ clock, random: seededRandom(5) }), clock);
  onTestFinished(() => world.close());
  return world;
}

/** A Ready server on `node-1`, unless said otherwise. */
export function serverOf(
  name: string,
  status: Partial<GameServerStatus> = {},
  labels: Readonly<Record<string, string>> = { "agones.dev/fleet": "arena" },
): GameServer {
  return {
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: { name, namespace: "default", labels },
    spec: { template: { spec: { containers: [{ name: "game", image: "game:1" }] } } },
    status: {
      state: "Ready",
      nodeName: "node-1",
      address: "10.0.0.1",
      ports: [{ name: "play", port: 7000 }],
      ...status,
    },
  };
}

/** A request in its complete form: any Ready server of the fleet `arena`. */
export function requestOf(spec: GameServerAllocationSpec = {}): GameServerAllocation {
  return {
    apiVersion: "allocation.agones.dev/v1",
    kind: "GameServerAllocation",
    metadata: {},
    spec: {
      scheduling: "Packed",
      selectors: [{ matchLabels: { "agones.dev/fleet": "arena" }, gameServerState: "Ready" }],
      ...spec,
    },
  };
}
