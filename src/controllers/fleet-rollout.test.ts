/** What a fleet promises while its template, its number and its matches change, under the real controllers. */
import { describe, expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeingDeleted } from "#api/agones/predicates.ts";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { statusError } from "#api/meta/status.ts";
import { conditionOfFleet, inState, settled, update, versionOf, withFleet } from "#tests/world/arena.ts";
import { fleetOf, templateOf } from "#tests/world/changes.ts";
import type { World } from "#tests/world/world.ts";

const allocate = async (world: World, count: number): Promise<void> => {
  for (let each = 0; each < count; each++) expect((await world.allocate("arena")).state).toBe("Allocated");
};
const steps = (maxSurge: string | number, maxUnavailable: string | number): Partial<Fleet["spec"]> => ({
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
});
const shown = async (world: World): Promise<readonly string[]> =>
  (await world.servers()).map((server) => `${versionOf(server)} ${server.status?.state}`).sort();
const living = (servers: readonly GameServer[]): number => servers.filter((server) => !isBeingDeleted(server)).length;
const end = async (world: World, server: GameServer | undefined): Promise<void> => {
  if (server) await world.nodes.setState(server, "Shutdown");
  await settled(world);
};

describe("a rolling update", () => {
  test("with a match keeps it; more matches and fewer servers leave none Ready; growing again makes up for it", async () => {
    const world = await withFleet(fleetOf("arena", 5));
    await allocate(world, 1);
    await update(world, "2");
    await settled(world);
    expect(await shown(world)).toEqual(["1 Allocated", "2 Ready", "2 Ready", "2 Ready", "2 Ready"]);
    await allocate(world, 2);
    await world.scale("arena", 2);
    await settled(world);
    expect(await shown(world)).toEqual(["1 Allocated", "2 Allocated", "2 Allocated"]);
    await world.scale("arena", 5);
    await settled(world);
    expect(await shown(world)).toEqual(["1 Allocated", "2 Allocated", "2 Allocated", "2 Ready", "2 Ready"]);
  });

  test("that is scaled to zero in the middle keeps the match; its end brings the fleet to zero", async () => {
    const world = await withFleet(fleetOf("arena", 5));
    await allocate(world, 1);
    await update(world, "2");
    await world.pass(200);
    await world.scale("arena", 0);
    await settled(world);
    expect(await shown(world)).toEqual(["1 Allocated"]);
    await end(world, (await world.servers())[0]);
    expect((await world.all(FLEETS))[0]?.status?.replicas).toBe(0);
    expect(await world.sets()).toHaveLength(1);
  });

  test("to one server while one is in a match has none Ready until the match ends", async () => {
    const world = await withFleet(fleetOf("arena", 3));
    await allocate(world, 1);
    await world.scale("arena", 1);
    await settled(world);
    expect(await shown(world)).toEqual(["1 Allocated"]);
    await end(world, (await world.servers())[0]);
    expect(await shown(world)).toEqual(["1 Ready"]);
  });

  test.each(["10%", "25%"])(
    "in steps of %s stays within its bounds and ends, though matches begin and end all the while",
    async (share) => {
      const world = await withFleet(fleetOf("arena", 8, "1", steps(share, share)));
      const surge = share === "10%" ? 1 : 2;
      const unavailable = share === "10%" ? 1 : 2;
      await update(world, "2");
      let most = 0;
      for (let turn = 0; turn < 30; turn++) {
        await world.allocate("arena");
        await world.pass(100);
        const servers = await world.servers();
        most = Math.max(most, living(servers));
        const done = inState(servers, "Allocated")[0];
        if (done && turn % 2 === 0) await world.nodes.setState(done, "Shutdown");
      }
      await settled(world);
      expect(most).toBeLessThanOrEqual(8 + surge + 2 * unavailable);
      const sets = await world.sets();
      expect(sets.filter(({ spec }) => spec.replicas > 0)).toHaveLength(1);
    },
  );

  test("that is taken back in the middle keeps the servers it had left", async () => {
    const world = await withFleet(fleetOf("arena", 8));
    const before = new Set((await world.servers()).map(({ metadata }) => metadata.uid));
    world.nodes.gamesBecomeReady = false;
    await update(world, "2");
    await world.pass(500);
    world.nodes.gamesBecomeReady = true;
    await update(world, "1");
    await settled(world);
    const kept = (await world.servers()).filter(({ metadata }) => before.has(metadata.uid));
    expect(kept).toHaveLength(6);
    expect(await world.sets()).toHaveLength(1);
  });

  test("with a new number in the same write goes by the new number's steps, and never above it and the surge", async () => {
    const world = await withFleet(fleetOf("arena", 4, "1", steps(1, 1)));
    await world.changeFleet("arena", (fleet) => ({
      ...fleet,
      spec: { ...fleet.spec, replicas: 8, template: templateOf("2") },
    }));
    let most = 0;
    for (let turn = 0; turn < 40; turn++) {
      await world.pass(50, 50);
      most = Math.max(most, living(await world.servers()));
    }
    await settled(world);
    expect(most).toBeLessThanOrEqual(9);
    expect(new Set((await world.servers()).map(versionOf))).toEqual(new Set(["2"]));
  });

  test("over a third version leaves no Ready server of the one in the middle", async () => {
    const world = await withFleet(fleetOf("arena", 6));
    await allocate(world, 1);
    await update(world, "2");
    await world.pass(300);
    await world.allocate("arena");
    await update(world, "3");
    await settled(world);
    const ready = inState(await world.servers(), "Ready");
    expect(new Set(ready.map(versionOf))).toEqual(new Set(["3"]));
  });

  test("ends with seven of ten servers in matches of both versions and no autoscaler", async () => {
    const world = await withFleet(fleetOf("arena", 10));
    await allocate(world, 3);
    await update(world, "2");
    await settled(world);
    await allocate(world, 4);
    await settled(world);
    const old = (await world.sets()).filter(({ status }) => (status?.readyReplicas ?? 0) === 0);
    expect(old.map(({ spec }) => spec.replicas)).toEqual([0]);
    expect((await shown(world)).filter((each) => each === "1 Ready")).toEqual([]);
  });

  test("to a good version heals a cluster that a bad one has filled", async () => {
    // Ten ports and one node: an eleventh server finds no room.
    const world = await withFleet(undefined, { ports: { min: 7000, max: 7009 } });
    world.nodes.gamesBecomeReady = false;
    await world.api.client.create(FLEETS, fleetOf("arena", 10));
    await world.pass(2000);
    expect(living(await world.servers())).toBe(10);
    await update(world, "2");
    await world.pass(5000);
    const placed = (await world.nodes.pods()).filter(
      ({ spec }) => spec.nodeName && spec.containers[0]?.image === "game:2",
    );
    expect(placed).toHaveLength(10);
    world.nodes.gamesBecomeReady = true;
    await settled(world);
    expect((await shown(world)).filter((each) => each === "2 Ready")).toHaveLength(10);
  });

  test("goes on past an old server whose end takes for ever", async () => {
    const world = await withFleet(fleetOf("arena", 4));
    const [slow] = await world.servers();
    if (slow)
      await world.api.client.update(GAMESERVERS, {
        ...slow,
        metadata: { ...slow.metadata, finalizers: [...(slow.metadata.finalizers ?? []), "studio.example/hold"] },
      });
    await update(world, "2");
    await world.pass(5000);
    const servers = await world.servers();
    expect(inState(servers, "Ready").map(versionOf)).toEqual(["2", "2", "2", "2"]);
    expect(servers.filter(isBeingDeleted).map(({ metadata }) => metadata.uid)).toEqual([slow?.metadata.uid]);
  });
});

describe("either strategy", () => {
  test.each(["RollingUpdate", "Recreate"] as const)(
    "%s brings every server to the new template but those in a match",
    async (type) => {
      const world = await withFleet(fleetOf("arena", 4, "1", { strategy: { type } }));
      await allocate(world, 1);
      await update(world, "2");
      await settled(world);
      expect(await shown(world)).toEqual(["1 Allocated", "2 Ready", "2 Ready", "2 Ready"]);
    },
  );

  test("a change of the scheduling touches no server and makes no new set; new servers have it", async () => {
    const world = await withFleet(fleetOf("arena", 2));
    const before = (await world.servers()).map(({ metadata }) => metadata.uid);
    await world.changeFleet("arena", (fleet) => ({
      ...fleet,
      spec: { ...fleet.spec, scheduling: "Distributed", replicas: 3 },
    }));
    await settled(world);
    const servers = await world.servers();
    expect(servers.map(({ spec }) => spec.scheduling).sort()).toEqual(["Distributed", "Packed", "Packed"]);
    expect(servers.map(({ metadata }) => metadata.uid)).toEqual(expect.arrayContaining(before));
    expect(await world.sets()).toHaveLength(1);
  });

  test.each([
    [true, 2],
    [false, 1],
  ])(
    "servers in a match beyond the number of an old set are marked; RollingUpdateFix %s: %i of 2",
    async (fix, marked) => {
      const allocationOverflow = { labels: { colour: "green" }, annotations: { action: "recycle" } };
      const world = await withFleet(fleetOf("arena", 3, "1", { allocationOverflow }), {
        gates: featureGates({ RollingUpdateFix: fix }),
      });
      await allocate(world, 2);
      await update(world, "2");
      await settled(world);
      await world.pass(1000);
      const found = (await world.servers()).filter(({ metadata }) => metadata.labels?.colour === "green");
      expect(found).toHaveLength(marked);
      expect(found.map(({ metadata }) => metadata.annotations?.action)).toEqual(found.map(() => "recycle"));
    },
  );

  test("overflow marks that are given later reach the servers too", async () => {
    const world = await withFleet(fleetOf("arena", 2));
    await allocate(world, 2);
    const allocationOverflow = { labels: { colour: "green" } };
    await world.changeFleet("arena", (fleet) => ({
      ...fleet,
      spec: { ...fleet.spec, replicas: 0, allocationOverflow },
    }));
    await settled(world);
    await world.pass(1000);
    expect((await world.servers()).map(({ metadata }) => metadata.labels?.colour)).toEqual(["green", "green"]);
  });
});

test("several fleets that go between 0 and 10 again and again all come to their numbers", async () => {
  const world = await withFleet(fleetOf("arena", 0));
  for (const name of ["north", "south"]) await world.api.client.create(FLEETS, fleetOf(name, 0));
  for (let round = 0; round < 2; round++)
    for (const replicas of [10, 0])
      for (const name of ["arena", "north", "south"]) {
        await world.scale(name, replicas);
        await world.pass(100);
      }
  for (const name of ["arena", "north", "south"]) await world.scale(name, 10);
  await world.passUntil(async () => {
    const ready = inState(await world.servers(), "Ready").length;
    return ready === 30 && living(await world.servers()) === 30 ? undefined : `${ready} of 30 servers are Ready`;
  }, 60_000);
});

test.each([
  ["whose Pods are deleted", "pods"],
  ["that shut down", "Shutdown"],
  ["that become Unhealthy", "Unhealthy"],
] as const)("ten servers %s are all replaced", async (_name, how) => {
  const world = await withFleet(fleetOf("arena", 10));
  const before = await world.servers();
  if (how === "pods") for (const pod of await world.nodes.pods()) await world.nodes.setStatus(pod, { phase: "Failed" });
  else for (const server of before) await world.nodes.setState(server, how);
  await settled(world);
  const uids = new Set((await world.servers()).map(({ metadata }) => metadata.uid));
  expect(before.filter(({ metadata }) => uids.has(metadata.uid))).toEqual([]);
  expect(uids.size).toBe(10);
});

test("servers that no node takes are gone at once when they are no longer wanted", async () => {
  const world = await withFleet(undefined);
  await world.nodes.remove("node-1");
  await world.api.client.create(FLEETS, fleetOf("arena", 5));
  await world.pass(1000);
  await world.scale("arena", 0);
  await world.pass(500);
  expect(await world.servers()).toEqual([]);
});

test("sums of counters and lists follow the servers, with the part that is in matches", async () => {
  const template = templateOf("1");
  const spec = {
    ...template.spec,
    counters: { rooms: { count: 1n, capacity: 10n } },
    lists: { players: { capacity: 5n, values: ["a"] } },
  };
  const world = await withFleet(fleetOf("arena", 2, "1", { template: { ...template, spec } }));
  await allocate(world, 1);
  await settled(world);
  await world.pass(500);
  expect((await world.all(FLEETS))[0]?.status).toMatchObject({
    counters: { rooms: { count: 2n, capacity: 20n, allocatedCount: 1n, allocatedCapacity: 10n } },
    lists: { players: { count: 2n, capacity: 10n, allocatedCount: 1n, allocatedCapacity: 5n } },
  });
});

test("a fleet at rest costs no write, whatever label somebody puts on it", async () => {
  let writes = 0;
  const counted = <T>(request: Promise<T>): Promise<T> => {
    writes++;
    return request;
  };
  const world = await withFleet(fleetOf("arena", 3), {
    disturb: (client) => ({
      ...client,
      create: (type, object) => counted(client.create(type, object)),
      update: (type, object) => counted(client.update(type, object)),
      updateStatus: (type, object) => counted(client.updateStatus(type, object)),
    }),
  });
  await world.pass(1000);
  writes = 0;
  await world.changeFleet("arena", ({ metadata, ...fleet }) => ({
    ...fleet,
    metadata: { ...metadata, labels: { season: "two" } },
  }));
  await world.pass(600_000, 5000);
  expect(writes).toBe(0);
});

test("a refused set is told in the fleet's condition and by one event, and made once it may be", async () => {
  let refuse = true;
  const world = await withFleet(undefined, {
    disturb: (client) => ({
      ...client,
      create: (type, object) =>
        refuse && type.plural === "gameserversets"
          ? Promise.reject(statusError("Forbidden", "exceeded quota: sets"))
          : client.create(type, object),
    }),
  });
  await world.api.client.create(FLEETS, fleetOf("arena", 1));
  await world.pass(20_000, 500);
  expect(await conditionOfFleet(world, "Progressing")).toMatchObject({
    status: "False",
    reason: "Stalled",
    message: "exceeded quota: sets",
  });
  expect(world.recorder.events.filter(({ reason }) => reason === "Stalled")).toHaveLength(1);
  refuse = false;
  await settled(world);
  expect(await conditionOfFleet(world, "Progressing")).toMatchObject({ status: "False", reason: "UpToDate" });
});
