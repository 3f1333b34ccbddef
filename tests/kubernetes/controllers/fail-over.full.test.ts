/** Two controllers side by side: one leads, and the other goes on when it ends, in the middle of its work. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FLEETS } from "#api/agones/resources.ts";
import { eventually } from "#tests/harness/eventually.ts";
import { fleetOf } from "#tests/world/changes.ts";
import { type Controller, leaderOf, openRigCluster, type RigCluster } from "../rig/cluster.ts";
import { allocate, census, changeFleet, portsOf, serversOf } from "./objects.ts";

describe.each(["Kubernetes", "embedded"] as const)("on the %s API server", (kind) => {
  let cluster: RigCluster;
  let started = 0;
  const start = (): Controller => cluster.startController(`controller-${started++}`);
  beforeAll(async () => {
    cluster = await openRigCluster(kind);
  });
  afterAll(() => cluster?.close());

  test("a leader that is told to end hands over at once, one that is killed when its lease is over; no port is given twice, no match ends", async () => {
    let standby = start();
    let leader = await leaderOf([standby]);
    standby = start();
    await cluster.client.create(FLEETS, fleetOf("busy", 20));
    const kept = await eventually(async () => {
      const name = await allocate(cluster, "busy");
      expect(name).toBeDefined();
      return name;
    });

    for (const [replicas, end] of [
      [60, () => leader.process.stop()],
      [30, () => leader.process.kill()],
      [80, () => leader.process.kill()],
    ] as const) {
      await changeFleet(cluster.client, "busy", { replicas });
      await eventually(async () => {
        const { length } = await serversOf(cluster.client, "busy");
        expect(Math.abs(length - replicas)).toBeLessThan(30);
      });
      await end();
      expect(standby.port()).toBeUndefined();
      leader = await leaderOf([standby]);
      standby = start();
      await eventually(
        async () => {
          const { Allocated = 0, Ready = 0, ...others } = census(await serversOf(cluster.client, "busy"));
          expect({ ...others, all: Allocated + Ready }).toEqual({ all: replicas });
        },
        { within: 60_000 },
      );
      const servers = await serversOf(cluster.client, "busy");
      expect(new Set(portsOf(servers)).size).toBe(replicas);
      expect(servers.find(({ metadata }) => metadata.name === kept)?.status?.state).toBe("Allocated");
    }
  }, 240_000);
});
