import { describe, expect, test } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { PODS } from "#api/core/resources.ts";
import type { Client } from "#kube/client.ts";
import type { FakeClock } from "#runtime/clock.ts";
import { inState, settled, update, withFleet } from "#tests/world/arena.ts";
import { fleetOf, templateOf } from "#tests/world/changes.ts";
import type { WorldOptions } from "#tests/world/world.ts";

/** Counts the controllers' calls by verb and resource, and the writes that were refused. */
function counting(calls: string[]): NonNullable<WorldOptions["disturb"]> {
  const counted = async <T>(name: string, request: Promise<T>): Promise<T> => {
    calls.push(name);
    return request.catch((error: unknown) => {
      calls.push(`refused ${name}`);
      throw error;
    });
  };
  return (client: Client): Client => ({
    ...client,
    get: (type, namespace, name) => {
      calls.push(`get ${type.plural}`);
      return client.get(type, namespace, name);
    },
    create: (type, object) => counted(`create ${type.plural}`, client.create(type, object)),
    update: (type, object) => counted(`update ${type.plural}`, client.update(type, object)),
    delete: (type, namespace, name, more) =>
      counted(`delete ${type.plural}`, client.delete(type, namespace, name, more)),
  });
}

/** Every watch shows what happened this much later. */
const lagging =
  (ms: number) =>
  (client: Client, clock: FakeClock): Client => ({
    ...client,
    watch: async (type, options) => {
      const batches = await client.watch(type, options);
      return (async function* () {
        for await (const batch of batches) {
          await clock.sleep(ms, options.signal).catch(() => {});
          yield batch;
        }
      })();
    },
  });

describe("the requests a server costs", () => {
  test.each([0, 5, 50])("are the fewest its states allow, with caches that lag by %i ms", async (ms) => {
    const calls: string[] = [];
    const world = await withFleet(undefined, {
      disturb: (client, clock) => counting(calls)(lagging(ms)(client, clock), clock),
    });
    await world.api.client.create(GAMESERVERS, {
      apiVersion: "agones.dev/v1",
      kind: "GameServer",
      metadata: { name: "duel", namespace: "default" },
      ...templateOf("1"),
    });
    await world.pass(2000);
    expect((await world.servers()).map(({ status }) => status?.state)).toEqual(["Ready"]);
    // To Creating with its ports, to Starting with its Pod, to Scheduled with its address, to Ready.
    const toReady = [
      "update gameservers",
      "create pods",
      "update gameservers",
      "update gameservers",
      "update gameservers",
    ];
    expect(calls).toEqual(toReady);

    calls.length = 0;
    await world.api.client.delete(GAMESERVERS, "default", "duel");
    await world.pass(2000);
    expect(await world.servers()).toEqual([]);
    expect(calls).toEqual(["delete pods", "get pods", "update gameservers"]);
  });

  test("of a fleet that scales up and down hold no lost race with ourselves, and its creations are told as one batch", async () => {
    const calls: string[] = [];
    const batches: unknown[] = [];
    const world = await withFleet(fleetOf("arena", 10), {
      creationMetrics: { batch: (...told) => void batches.push(told) },
      disturb: (client, clock) => counting(calls)(lagging(20)(client, clock), clock),
    });
    expect(calls.filter((call) => call === "create gameservers")).toHaveLength(10);
    expect(batches).toEqual([[10, false, 0]]);
    expect(calls.filter((call) => call.startsWith("refused"))).toEqual([]);
    await world.scale("arena", 3);
    await settled(world);
    expect(calls.filter((call) => call.startsWith("refused"))).toEqual([]);
    expect(calls.filter((call) => call === "delete gameservers")).toHaveLength(7);
  });
});

describe("a fleet with matches in progress", () => {
  test("scaled to zero after an update loses all Ready servers and keeps the match", async () => {
    const world = await withFleet(fleetOf("arena", 3));
    await world.allocate("arena");
    await update(world, "2");
    await settled(world);
    await world.scale("arena", 0);
    await settled(world);
    expect((await world.servers()).map(({ status }) => status?.state)).toEqual(["Allocated"]);
  });

  test("scaled below its matches and up again grows to its number, without ending one", async () => {
    const world = await withFleet(fleetOf("arena", 10));
    await world.allocate("arena");
    await update(world, "2");
    await settled(world);
    for (let each = 0; each < 3; each++) await world.allocate("arena");
    await world.scale("arena", 2);
    await settled(world);
    expect(inState(await world.servers(), "Allocated")).toHaveLength(4);
    await world.scale("arena", 10);
    await settled(world);
    const servers = await world.servers();
    expect([inState(servers, "Allocated").length, inState(servers, "Ready").length]).toEqual([4, 6]);
  });

  test("finishes its update though matches go on in both versions", async () => {
    const world = await withFleet(fleetOf("arena", 10));
    for (let each = 0; each < 3; each++) await world.allocate("arena");
    await update(world, "2");
    await world.pass(500);
    for (let each = 0; each < 4; each++) await world.allocate("arena");
    await settled(world);
    expect((await world.sets()).map(({ spec }) => spec.replicas).sort()).toEqual([0, expect.any(Number)]);
    expect(inState(await world.servers(), "Allocated")).toHaveLength(7);
  });

  test("keeps what is reserved when it is scaled to zero, and counts it", async () => {
    const world = await withFleet(fleetOf("arena", 2));
    const [server] = await world.servers();
    if (server) await world.nodes.setState(server, "Reserved");
    await world.scale("arena", 0);
    await settled(world);
    const [fleet] = await world.all(FLEETS);
    expect(fleet?.status).toMatchObject({ replicas: 1, reservedReplicas: 1, readyReplicas: 0 });
  });
});

describe("a fleet's sets", () => {
  const withCpu = (cpu: string): Fleet["spec"]["template"] => {
    const template = templateOf("1");
    const containers = [{ name: "game", image: "game:1", resources: { limits: { cpu } } }];
    return { spec: { ...template.spec, template: { spec: { containers } } } };
  };

  test("stay one when a quantity is written in another way", async () => {
    const world = await withFleet(fleetOf("arena", 2, "1", { template: withCpu("1000m") }));
    const [before] = await world.sets();
    for (const cpu of ["1000m", "1"]) {
      await world.changeFleet("arena", (fleet) => ({ ...fleet, spec: { ...fleet.spec, template: withCpu(cpu) } }));
      await settled(world);
    }
    expect((await world.sets()).map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
  });

  test("are one, of zero, after number and template changed together", async () => {
    const world = await withFleet(fleetOf("arena", 3));
    await world.changeFleet("arena", (fleet) => ({
      ...fleet,
      spec: { ...fleet.spec, replicas: 0, template: templateOf("2") },
    }));
    await settled(world);
    expect((await world.sets()).map(({ spec }) => spec.replicas)).toEqual([0]);
  });

  test("try a build that dies at start fewer than 20 times in an hour", async () => {
    const made: string[] = [];
    const world = await withFleet(undefined, { disturb: counting(made) });
    world.nodes.gamesEnd = "Failed";
    await world.api.client.create(FLEETS, fleetOf("arena", 1));
    await world.pass(3_600_000, 5000);
    const count = made.filter((call) => call === "create gameservers").length;
    expect(count).toBeGreaterThan(3);
    expect(count).toBeLessThan(20);
  });
});

describe("a server and its Pod", () => {
  test("a Pod deleted before any node has it makes the server Unhealthy, and the fleet replaces it", async () => {
    const world = await withFleet(undefined);
    await world.nodes.remove("node-1");
    await world.api.client.create(FLEETS, fleetOf("arena", 1));
    await world.pass(500);
    const [pod] = await world.nodes.pods();
    expect((await world.servers()).map(({ status }) => status?.state)).toEqual(["Starting"]);
    await world.api.client.delete(PODS, "default", pod?.metadata.name ?? "");
    await world.nodes.add("node-1");
    await settled(world);
    expect((await world.servers())[0]?.metadata.name).not.toBe(pod?.metadata.name);
  });

  test("a Pod that ended while no controller ran is found by the next one", async () => {
    const world = await withFleet(fleetOf("arena", 2));
    await world.stopControllers();
    const [gone, failed] = await world.nodes.pods();
    await world.api.client.delete(PODS, "default", gone?.metadata.name ?? "");
    if (failed) await world.nodes.setStatus(failed, { phase: "Failed" });
    await world.pass(1000);
    world.startControllers();
    await settled(world);
    const names = (await world.servers()).map(({ metadata }) => metadata.name);
    expect(names).not.toContain(gone?.metadata.name);
    expect(names).not.toContain(failed?.metadata.name);
  });

  test("a game that ends well takes its server with it", async () => {
    const world = await withFleet(fleetOf("arena", 1));
    const result = await world.allocate("arena");
    const [pod] = await world.nodes.pods();
    if (pod) await world.nodes.setStatus(pod, { phase: "Succeeded" });
    await settled(world);
    expect(result.state).toBe("Allocated");
    expect((await world.servers())[0]?.metadata.name).not.toBe(pod?.metadata.name);
  });

  test("a server goes though its Pod came and went without the cache ever showing it", async () => {
    const world = await withFleet(undefined, {
      disturb: (client) => ({
        ...client,
        list: async (type, options) => {
          const list = await client.list(type, options);
          return type.plural === PODS.plural ? { ...list, items: [] } : list;
        },
        watch: async (type, options) => {
          const batches = await client.watch(type, options);
          return (async function* () {
            for await (const batch of batches) if (type.plural !== PODS.plural) yield batch;
          })();
        },
      }),
    });
    const { spec } = templateOf("1");
    const metadata = { name: "duel", namespace: "default" };
    await world.api.client.create(GAMESERVERS, { apiVersion: "agones.dev/v1", kind: "GameServer", metadata, spec });
    await world.pass(1000);
    expect(await world.nodes.pods()).toHaveLength(1);
    await world.api.client.delete(GAMESERVERS, "default", "duel");
    await world.pass(5000);
    expect(await world.servers()).toEqual([]);
  });

  test("a development server becomes Ready without a Pod, and Allocated for good", async () => {
    const world = await withFleet(undefined);
    const template = templateOf("1");
    await world.api.client.create(GAMESERVERS, {
      apiVersion: "agones.dev/v1",
      kind: "GameServer",
      metadata: {
        name: "laptop",
        namespace: "default",
        labels: { "agones.dev/fleet": "arena" },
        annotations: { "agones.dev/dev-address": "192.0.2.9" },
      },
      spec: { ...template.spec, ports: [{ name: "play", portPolicy: "Static", hostPort: 7777, containerPort: 7777 }] },
    });
    await world.pass(500);
    const ready = (await world.servers())[0]?.status;
    expect([ready?.state, ready?.address, ready?.ports]).toEqual([
      "Ready",
      "192.0.2.9",
      [{ name: "play", port: 7777 }],
    ]);
    expect((await world.allocate("arena")).state).toBe("Allocated");
    await world.pass(5000);
    expect((await world.servers())[0]?.status?.state).toBe("Allocated");
    expect(await world.nodes.pods()).toEqual([]);
  });
});
