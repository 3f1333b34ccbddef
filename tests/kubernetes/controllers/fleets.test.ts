/** Fleets that are scaled and updated while matches go on, under a controller that is a process of its own, on both API servers. */
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { eventually } from "#tests/harness/eventually.ts";
import { changeObject, fleetOf, templateOf } from "#tests/world/changes.ts";
import { leaderOf, openRigCluster, type RigCluster } from "../rig/cluster.ts";
import { fleetActions } from "./fleet-actions.ts";
import { inState, setsOf } from "./objects.ts";

const PATH = "/apis/agones.dev/v1/namespaces/default/fleets";

describe.each(["Kubernetes", "embedded"] as const)("on the %s API server", { concurrent: true }, (kind) => {
  let cluster: RigCluster;
  beforeAll(async () => {
    cluster = await openRigCluster(kind);
    await leaderOf([cluster.startController("controller")]);
  });
  afterAll(() => cluster?.close());

  const { servers, hasServers, withFleet, change, take, setOf } = fleetActions(() => cluster);
  const patch = (name: string, body: object, subresource = "") =>
    cluster.server.call("PATCH", `${PATH}/${name}${subresource}`, JSON.parse(JSON.stringify(body)), {
      contentType: "application/merge-patch+json",
    });
  /** Names of servers in a match that somebody asks to go, from now to the end of the test. */
  const matchesAskedToGo = async (
    fleet: string,
    onTestFinished: TestContext["onTestFinished"],
  ): Promise<readonly string[]> => {
    const asked: string[] = [];
    const { metadata } = await cluster.client.list(GAMESERVERS, { namespace: "default" });
    const end = new AbortController();
    const batches = await cluster.client.watch(GAMESERVERS, {
      namespace: "default",
      labelSelector: `agones.dev/fleet=${fleet}`,
      resourceVersion: metadata.resourceVersion ?? "",
      signal: end.signal,
    });
    const watching = (async () => {
      for await (const batch of batches)
        for (const { object } of batch) {
          const { metadata, status } = object as GameServer;
          if (status?.state === "Allocated" && metadata.deletionTimestamp) asked.push(metadata.name ?? "");
        }
    })().catch(() => {});
    onTestFinished(() => {
      end.abort();
      return watching;
    });
    return asked;
  };
  /** Writes what a game counts. */
  const counts = (name: string, status: GameServer["status"]): Promise<void> =>
    changeObject(cluster.client, GAMESERVERS, name, (server) => ({
      ...server,
      status: { ...server.status, ...status },
    }));

  test("a quantity that is written in another way makes no new set; a strategy that is none is refused", async () => {
    const withCpu = (version: string, cpu: string): Fleet["spec"]["template"] => {
      const { spec } = templateOf(version);
      const containers = [{ name: "game", image: `game:${version}`, resources: { limits: { cpu } } }];
      return { spec: { ...spec, template: { spec: { containers } } } };
    };
    await withFleet("quantity", 1, { template: withCpu("1", "1000m") });
    for (const cpu of ["1000m", "1"]) await change("quantity", { template: withCpu("1", cpu) });
    await change("quantity", { replicas: 2 });
    await hasServers("quantity", { Ready: 2 });
    expect(await setsOf(cluster.client, "quantity")).toHaveLength(1);
    await change("quantity", { template: withCpu("2", "1000m") });
    await eventually(async () => {
      const sets = await setsOf(cluster.client, "quantity");
      expect(sets.length).toBeLessThanOrEqual(2);
      expect(await setOf("game:1", "quantity")).toBeUndefined();
    });
    expect(await patch("quantity", { spec: { strategy: { type: "" } } })).toMatchObject({
      status: 422,
      body: { details: { causes: [{ reason: "FieldValueNotSupported" }] } },
    });
  });

  test("a fleet is scaled by patch and by its scale, to none too; its name may have 63 letters and not 64", async () => {
    const name = "f".repeat(63);
    await withFleet(name, 0);
    expect((await patch(name, { spec: { replicas: 2 } })).status).toBe(200);
    await hasServers(name, { Ready: 2 });
    expect((await patch(name, { spec: { replicas: 1 } }, "/scale")).status).toBe(200);
    await hasServers(name, { Ready: 1 });
    expect((await patch(name, { spec: { replicas: 0 } }, "/scale")).status).toBe(200);
    await hasServers(name, {});
    await expect(cluster.client.create(FLEETS, fleetOf("f".repeat(64), 0))).rejects.toThrow(/metadata\.name/);
  });

  test("an update keeps the match; more matches and fewer servers leave none Ready; growing again makes up for it", async () => {
    await withFleet("matches", 5);
    await take("matches");
    await change("matches", { template: templateOf("2") });
    await hasServers("matches", { Allocated: 1, Ready: 4 });
    await eventually(async () => {
      expect((await setOf("game:1", "matches"))?.status).toMatchObject({ replicas: 1, allocatedReplicas: 1 });
      expect((await setOf("game:2", "matches"))?.status).toMatchObject({ replicas: 4, readyReplicas: 4 });
    });
    for (let each = 0; each < 2; each++) await take("matches");
    await change("matches", { replicas: 2 });
    await hasServers("matches", { Allocated: 3 });
    await change("matches", { replicas: 5 });
    await hasServers("matches", { Allocated: 3, Ready: 2 });
  });

  test("to zero in the middle of an update keeps the match, whose end leaves nothing; to one beside a match has none Ready until it ends", async () => {
    await withFleet("zero", 4);
    const match = await take("zero");
    await change("zero", { template: templateOf("2") });
    await change("zero", { replicas: 0 });
    await hasServers("zero", { Allocated: 1 });
    await change("zero", { replicas: 1 });
    await hasServers("zero", { Allocated: 1 });
    await cluster.client.delete(GAMESERVERS, "default", match);
    await hasServers("zero", { Ready: 1 });
    await change("zero", { replicas: 0 });
    await eventually(async () => {
      expect(await servers("zero")).toEqual([]);
      expect((await cluster.client.get(FLEETS, "default", "zero")).status).toMatchObject({ replicas: 0 });
    });
  });

  test("a new template and no servers in one write is one set that wants none", async () => {
    await withFleet("emptied", 3);
    await change("emptied", { replicas: 0, template: templateOf("2") });
    await eventually(async () => {
      const sets = await setsOf(cluster.client, "emptied");
      expect(sets.map(({ spec }) => spec.replicas)).toEqual([0]);
      expect(sets[0]?.spec.template.spec.template.spec.containers[0]?.image).toBe("game:2");
      expect(await servers("emptied")).toEqual([]);
    });
  });

  test.each(["RollingUpdate", "Recreate"] as const)(
    "%s brings new annotations to every server but those in matches",
    async (type) => {
      const name = type.toLowerCase();
      await withFleet(name, 4, { strategy: { type } });
      const match = await take(name);
      await change(name, { template: { ...templateOf("1"), metadata: { annotations: { season: "two" } } } });
      await hasServers(name, { Allocated: 1, Ready: 3 });
      await eventually(async () => {
        const seasons = (await servers(name)).map(({ metadata }) => [
          metadata.name === match,
          metadata.annotations?.season,
        ]);
        expect(seasons.filter(([isMatch]) => isMatch)).toEqual([[true, undefined]]);
        expect(seasons.filter(([isMatch]) => !isMatch)).toEqual(Array(3).fill([false, "two"]));
      });
    },
  );

  test("what is reserved outlives a scale to zero and is counted; matches are never asked to go, whatever happens to the fleet", async ({
    onTestFinished,
  }) => {
    await withFleet("kept", 4);
    const [first] = inState(await servers("kept"), "Ready");
    await cluster.setState(first?.metadata.name ?? "", "Reserved");
    await hasServers("kept", { Ready: 3, Reserved: 1 });
    const matches = [await take("kept"), await take("kept")];
    const asked = await matchesAskedToGo("kept", onTestFinished);
    await change("kept", { replicas: 0 });
    await hasServers("kept", { Reserved: 1, Allocated: 2 });
    await change("kept", { template: templateOf("2"), strategy: { type: "Recreate" } });
    await change("kept", { replicas: 5 });
    await hasServers("kept", { Reserved: 1, Allocated: 2, Ready: 2 });
    await eventually(async () =>
      expect((await cluster.client.get(FLEETS, "default", "kept")).status).toMatchObject({
        reservedReplicas: 1,
        allocatedReplicas: 2,
      }),
    );
    const left = inState(await servers("kept"), "Allocated").map(({ metadata }) => metadata.name);
    expect(left.toSorted()).toEqual(matches.toSorted());
    expect(asked).toEqual([]);
  });

  test("another scheduling is for new servers alone", async () => {
    await withFleet("scheduled", 2);
    const before = (await servers("scheduled")).map(({ metadata }) => metadata.uid);
    await change("scheduled", { scheduling: "Distributed" });
    await change("scheduled", { replicas: 3 });
    await hasServers("scheduled", { Ready: 3 });
    expect(await setsOf(cluster.client, "scheduled")).toHaveLength(1);
    const after = await servers("scheduled");
    for (const { metadata, spec } of after)
      expect(spec.scheduling).toBe(before.includes(metadata.uid) ? "Packed" : "Distributed");
    expect(after.filter(({ metadata }) => before.includes(metadata.uid))).toHaveLength(2);
  });

  test("sums of counters and lists follow the servers, with the part that is in matches", async () => {
    const template = templateOf("1");
    const room = {
      counters: { rooms: { count: 0n, capacity: 10n } },
      lists: { players: { capacity: 5n, values: [] } },
    };
    await withFleet("summed", 2, { template: { spec: { ...template.spec, ...room } } });
    const match = await take("summed");
    const lists = { players: { capacity: 5n, values: ["a", "b"] } };
    await counts(match, { counters: { rooms: { count: 4n, capacity: 10n } }, lists });
    await eventually(async () =>
      expect((await cluster.client.get(FLEETS, "default", "summed")).status).toMatchObject({
        counters: { rooms: { allocatedCount: 4n, allocatedCapacity: 10n, count: 4n, capacity: 20n } },
        lists: { players: { allocatedCount: 2n, allocatedCapacity: 5n, count: 2n, capacity: 10n } },
      }),
    );
  });

  test("matches beyond the fleet's number, and those of an old version, are marked as overflow", async () => {
    const allocationOverflow = { labels: { overflow: "yes" }, annotations: { why: "too many" } };
    const marked = async (fleet: string): Promise<number> =>
      (await servers(fleet)).filter(
        ({ metadata }) => metadata.labels?.overflow === "yes" && metadata.annotations?.why === "too many",
      ).length;
    for (const [name, surpass] of [
      ["overflow-zero", { replicas: 0 }],
      ["overflow-update", { template: templateOf("2") }],
    ] as const) {
      await withFleet(name, 3, { allocationOverflow });
      for (let each = 0; each < 2; each++) await take(name);
      expect(await marked(name)).toBe(0);
      await change(name, surpass);
      await eventually(async () => expect(await marked(name)).toBe(2));
    }
  });
});
