/** What takes long of the lives of fleets, under a controller that is a process of its own, on both API servers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { PODS } from "#api/core/resources.ts";
import { isNotFound } from "#api/meta/status.ts";
import { eventually } from "#tests/harness/eventually.ts";
import { fleetOf, templateOf } from "#tests/world/changes.ts";
import { leaderOf, openRigCluster, type RigCluster } from "../rig/cluster.ts";
import { fleetActions } from "./fleet-actions.ts";
import { allocate, census, setsOf } from "./objects.ts";

describe.each(["Kubernetes", "embedded"] as const)("on the %s API server", { concurrent: true }, (kind) => {
  let cluster: RigCluster;
  beforeAll(async () => {
    cluster = await openRigCluster(kind);
    await leaderOf([cluster.startController("controller")]);
  });
  afterAll(() => cluster?.close());

  const { servers, hasServers, withFleet, change, setOf } = fleetActions(() => cluster);

  test.each(["10%", "25%"])(
    "an update with %s stays within its surge while servers are taken and end",
    async (step) => {
      const name = `steps-${step.slice(0, 2)}`;
      const target = 8;
      const strategy = { type: "RollingUpdate" as const, rollingUpdate: { maxSurge: step, maxUnavailable: step } };
      await withFleet(name, target, { strategy });
      await change(name, { template: templateOf("2") });
      let taken = 0;
      let most = 0;
      await eventually(
        async () => {
          const there = await servers(name);
          most = Math.max(most, there.filter(({ metadata }) => !metadata.deletionTimestamp).length);
          const match = taken < 6 ? await allocate(cluster, name) : undefined;
          if (match && taken++ % 2 === 0) await cluster.client.delete(GAMESERVERS, "default", match);
          else if (match) await cluster.setState(match, "Shutdown");
          expect(taken).toBe(6);
          expect(census(there)).toEqual({ Ready: target });
          expect(await setsOf(cluster.client, name)).toHaveLength(1);
        },
        { within: 90_000 },
      );
      expect((await setOf("game:2", name))?.spec.replicas).toBe(target);
      expect(most).toBeLessThanOrEqual(target + 3 * Math.ceil((target * Number.parseInt(step, 10)) / 100));
    },
  );

  test.each<readonly [string, (cluster: RigCluster, name: string) => Promise<unknown>]>([
    ["pods", ({ client }, name) => client.delete(PODS, "default", name)],
    ["shutdowns", (cluster, name) => cluster.setState(name, "Shutdown")],
    ["failures", (cluster, name) => cluster.setState(name, "Unhealthy")],
  ])("all ten servers go by their %s, and ten others come", async (how, end) => {
    const name = `lost-${how}`;
    await withFleet(name, 10);
    const before = await servers(name);
    await Promise.all(before.map(({ metadata }) => end(cluster, metadata.name ?? "")));
    for (const { metadata } of before)
      await eventually(() =>
        expect(cluster.client.get(GAMESERVERS, "default", metadata.name ?? "")).rejects.toSatisfy(isNotFound),
      );
    await hasServers(name, { Ready: 10 });
    await change(name, { replicas: 0 });
  });

  test("several fleets that go between 0 and 10 again and again all come to their numbers", async () => {
    const names = ["wave-0", "wave-1", "wave-2"];
    for (const name of names) await cluster.client.create(FLEETS, fleetOf(name, 0));
    for (const replicas of [10, 0, 10]) {
      await Promise.all(names.map((name) => change(name, { replicas })));
      for (const name of names) await hasServers(name, { ...(replicas > 0 && { Ready: replicas }) });
    }
  });
});
