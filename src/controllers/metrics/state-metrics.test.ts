import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import type { Node } from "#api/core/node.ts";
import { controllerOf, type KubeObject, objectKey } from "#api/meta/object.ts";
import type { Informer, InformerHandler } from "#kube/informer.ts";
import { FakeClock } from "#runtime/clock.ts";
import { buildFleet, buildGameServer, buildSet } from "../fixtures.ts";
import { stateMetrics } from "./state-metrics.ts";

/** An informer whose cache the test fills by hand. */
class HandFilled<T extends KubeObject> implements Informer<T> {
  readonly name = "hand-filled";
  readonly synced = true;
  readonly #objects = new Map<string, T>();
  readonly #handlers: InformerHandler<T>[] = [];
  readonly lister = {
    get: (key: string) => this.#objects.get(key),
    list: () => [...this.#objects.values()],
    byIndex: (_index: string, uid: string) =>
      [...this.#objects.values()].filter((object) => controllerOf(object)?.uid === uid),
  };
  ready = () => Promise.resolve();
  run = () => Promise.resolve();
  addIndex = () => {};
  addHandler(handler: InformerHandler<T>): () => void {
    this.#handlers.push(handler);
    return () => {};
  }
  put(object: T): void {
    const old = this.#objects.get(objectKey(object));
    this.#objects.set(objectKey(object), object);
    for (const handler of this.#handlers) old ? handler.update?.(object, old) : handler.add?.(object);
  }
  remove(object: T): void {
    this.#objects.delete(objectKey(object));
    for (const handler of this.#handlers) handler.delete?.(object);
  }
}

function opened(gates = featureGates()) {
  const registry = new Registry();
  const sources = {
    gameServers: new HandFilled<GameServer>(),
    gameServerSets: new HandFilled<GameServerSet>(),
    fleets: new HandFilled<Fleet>(),
    autoscalers: new HandFilled<FleetAutoscaler>(),
    nodes: new HandFilled<Node>(),
    gates,
    clock: new FakeClock(Date.parse("2030-01-01T00:01:00Z")),
  };
  const sampler = stateMetrics(registry, sources);
  /** The scraped lines of one metric, without its name and prefix. */
  const scrape = async (name: string): Promise<string[]> =>
    (await registry.metrics())
      .split("\n")
      .filter((line) => line.startsWith(`agones_${name}{`) || line.startsWith(`agones_${name} `))
      .map((line) => line.slice(`agones_${name}`.length).trim());
  return { ...sources, registry, sampler, scrape };
}

const inFleet = (name: string, state: GameServerState, fleet = "arena", more: Partial<GameServer["status"]> = {}) =>
  buildGameServer(name, state, {
    metadata: { name, namespace: "default", labels: { "agones.dev/fleet": fleet } },
    status: { state, ...more },
  });

test("game servers are counted by state, fleet and namespace; without a fleet under none", async () => {
  const { gameServers, scrape } = opened();
  gameServers.put(inFleet("a", "Ready"));
  gameServers.put(inFleet("b", "Ready"));
  gameServers.put(inFleet("c", "Allocated", "castle"));
  gameServers.put(buildGameServer("d", "Scheduled"));
  expect((await scrape("gameservers_count")).toSorted()).toEqual([
    '{type="Allocated",fleet_name="castle",namespace="default"} 1',
    '{type="Ready",fleet_name="arena",namespace="default"} 2',
    '{type="Scheduled",fleet_name="none",namespace="default"} 1',
  ]);
});

test("a state that nobody is in stays as 0; a fleet without any server is 0 once and then forgotten", async () => {
  const { gameServers, scrape } = opened();
  gameServers.put(inFleet("a", "Ready"));
  await scrape("gameservers_count");
  gameServers.put(inFleet("a", "Allocated"));
  const zero = '{type="Ready",fleet_name="arena",namespace="default"} 0';
  for (let scraped = 0; scraped < 3; scraped++) expect(await scrape("gameservers_count")).toContain(zero);
  gameServers.remove(inFleet("a", "Allocated"));
  expect((await scrape("gameservers_count")).toSorted()).toEqual([
    '{type="Allocated",fleet_name="arena",namespace="default"} 0',
    zero,
  ]);
  expect(await scrape("gameservers_count")).toEqual([]);
});

test("transitions are counted where they lead to, and only they", async () => {
  const { gameServers, scrape } = opened();
  gameServers.put(inFleet("a", "Creating"));
  gameServers.put(inFleet("a", "Creating"));
  gameServers.put(inFleet("a", "Ready"));
  expect(await scrape("gameservers_total")).toEqual(['{type="Ready",fleet_name="arena",namespace="default"} 1']);
});

test("the time in a state is counted where it ends: from the server's own beginning, or from the transition that was seen", async () => {
  const { gameServers, scrape, clock } = opened();
  const sums = () => scrape("gameserver_state_duration_sum");
  // The fixture's server was made at 2030-01-01T00:00:00Z, a minute before the clock's time.
  gameServers.put(inFleet("a", "PortAllocation"));
  gameServers.put(inFleet("a", "Creating"));
  expect(await sums()).toEqual(['{type="PortAllocation",fleet_name="arena",namespace="default"} 60']);
  await clock.advance(3000);
  gameServers.put(inFleet("a", "Starting"));
  expect(await sums()).toContain('{type="Creating",fleet_name="arena",namespace="default"} 3');
});

test("of a state whose beginning nobody saw no time is told", async () => {
  const { gameServers, scrape } = opened();
  gameServers.put(inFleet("a", "Scheduled"));
  gameServers.put(inFleet("a", "Ready"));
  expect(await scrape("gameserver_state_duration_sum")).toEqual([]);
});

test("players are told with their gate alone", async () => {
  const playing = inFleet("a", "Allocated", "arena", { players: { count: 3n, capacity: 10n } });
  const on = opened(featureGates({ PlayerTracking: true }));
  on.gameServers.put(playing);
  expect(await on.scrape("gameserver_player_connected_total")).toEqual([
    '{fleet_name="arena",name="a",namespace="default"} 3',
  ]);
  expect(await on.scrape("gameserver_player_capacity_total")).toEqual([
    '{fleet_name="arena",name="a",namespace="default"} 7',
  ]);
  const off = opened();
  off.gameServers.put(playing);
  expect(await off.registry.metrics()).not.toContain("gameserver_player");
});

test("a fleet tells its servers, its rollout, its counters and lists, and nothing once it is gone", async () => {
  const { fleets, gameServerSets, scrape } = opened();
  const fleet = buildFleet(5, {
    status: {
      replicas: 4,
      readyReplicas: 2,
      allocatedReplicas: 1,
      reservedReplicas: 1,
      counters: { rooms: { allocatedCount: 1n, allocatedCapacity: 10n, count: 3n, capacity: 9223372036854775807n } },
      lists: { players: { allocatedCount: 4n, allocatedCapacity: 5n, count: 6n, capacity: 7n } },
    },
  });
  const owner = { apiVersion: "agones.dev/v1", kind: "Fleet", name: "arena", uid: "uid-arena", controller: true };
  fleets.put(fleet);
  const old = { spec: { template: { spec: { containers: [{ name: "game", image: "game:0" }] } } } };
  const status = { replicas: 3 };
  gameServerSets.put(
    buildSet("arena-new", 3, status, {
      metadata: { name: "arena-new", namespace: "default", uid: "n", ownerReferences: [owner] },
    }),
  );
  gameServerSets.put(
    buildSet(
      "arena-old",
      9,
      { replicas: 9 },
      {
        metadata: { name: "arena-old", namespace: "default", uid: "o", ownerReferences: [owner] },
        spec: { template: old },
      },
    ),
  );
  const values = async (name: string) =>
    Object.fromEntries(
      (await scrape(name)).map((line) => [/type="(\w+)"/.exec(line)?.[1], Number(line.split(" ").at(-1))]),
    );
  expect(await values("fleets_replicas_count")).toEqual({ total: 4, ready: 2, allocated: 1, reserved: 1, desired: 5 });
  expect(await values("fleet_rollout_percent")).toEqual({ current_replicas: 3, desired_replicas: 5 });
  expect(await values("fleet_counters")).toEqual({
    allocated_count: 1,
    allocated_capacity: 10,
    total_count: 3,
    total_capacity: 2 ** 63,
  });
  expect(await scrape("fleet_lists")).toContain(
    '{name="arena",namespace="default",type="total_count",list="players"} 6',
  );
  fleets.remove(fleet);
  for (const name of ["fleets_replicas_count", "fleet_rollout_percent", "fleet_counters", "fleet_lists"])
    expect(await scrape(name)).toEqual([]);
});

test("an autoscaler tells its status, and its limits and size while it has a buffer", async () => {
  const { autoscalers, scrape } = opened();
  const scaler = (bufferSize: number | string): FleetAutoscaler => ({
    apiVersion: "autoscaling.agones.dev/v1",
    kind: "FleetAutoscaler",
    metadata: { name: "scaler", namespace: "default" },
    spec: { fleetName: "arena", policy: { type: "Buffer", buffer: { bufferSize, maxReplicas: 10, minReplicas: 2 } } },
    status: { currentReplicas: 4, desiredReplicas: 6, ableToScale: true, scalingLimited: false },
  });
  const labels = 'name="scaler",fleet_name="arena",namespace="default"';
  autoscalers.put(scaler(3));
  const names = ["current_replicas_count", "desired_replicas_count", "able_to_scale", "limited"];
  const read = await Promise.all(names.map((name) => scrape(`fleet_autoscalers_${name}`)));
  expect(read).toEqual([4, 6, 1, 0].map((value) => [`{${labels}} ${value}`]));
  expect((await scrape("fleet_autoscalers_buffer_limits")).toSorted()).toEqual([
    `{${labels},type="max"} 10`,
    `{${labels},type="min"} 2`,
  ]);
  expect(await scrape("fleet_autoscalers_buffer_size")).toEqual([`{${labels},type="count"} 3`]);
  autoscalers.put(scaler("20%"));
  expect(await scrape("fleet_autoscalers_buffer_size")).toEqual([`{${labels},type="percentage"} 20`]);
});

test("nodes are counted by whether they have game servers; those of the system are left out", async () => {
  const { nodes, gameServers, scrape, sampler, clock } = opened();
  const node = (name: string, taint?: string): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec: taint ? { taints: [{ key: taint, value: "true", effect: "NoExecute" }] } : {},
  });
  nodes.put(node("full"));
  nodes.put(node("idle", "game.example/zone"));
  nodes.put(node("system", "agones.dev/agones-system"));
  for (const [name, nodeName] of [
    ["a", "full"],
    ["b", "full"],
    ["c", "system"],
    ["d", ""],
  ] as const)
    gameServers.put(inFleet(name, "Ready", "arena", { nodeName }));
  expect(await scrape("nodes_count")).toEqual(['{empty="true"} 1', '{empty="false"} 1']);

  const stop = new AbortController();
  const running = sampler.run(stop.signal);
  await clock.advance(15_000);
  expect(await scrape("gameservers_node_count_sum")).toEqual(["4"]);
  expect(await scrape("gameservers_node_count_bucket")).toEqual(
    expect.arrayContaining(['{le="0.00001"} 2', '{le="1.00001"} 2', '{le="2.00001"} 4', '{le="+Inf"} 4']),
  );
  stop.abort();
  await running;
});
