/** What the tests of fleets do and look at, on the cluster of the moment. */
import { expect } from "vitest";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS } from "#api/agones/resources.ts";
import { eventually } from "#tests/harness/eventually.ts";
import { fleetOf } from "#tests/world/changes.ts";
import type { RigCluster } from "../rig/cluster.ts";
import { allocate, census, changeFleet, serversOf, setsOf } from "./objects.ts";

export function fleetActions(cluster: () => RigCluster) {
  const servers = (fleet: string): Promise<readonly GameServer[]> => serversOf(cluster().client, fleet);
  const hasServers = (fleet: string, expected: Readonly<Record<string, number>>): Promise<void> =>
    eventually(async () => expect(census(await servers(fleet))).toEqual(expected), { within: 60_000 });
  return {
    servers,
    hasServers,
    /** A fleet whose servers are all Ready. */
    withFleet: async (name: string, replicas: number, more: Partial<Fleet["spec"]> = {}): Promise<void> => {
      await cluster().client.create(FLEETS, fleetOf(name, replicas, "1", more));
      await hasServers(name, { ...(replicas > 0 && { Ready: replicas }) });
    },
    change: (name: string, spec: Partial<Fleet["spec"]>): Promise<void> => changeFleet(cluster().client, name, spec),
    /** The name of a server that is in a match now. */
    take: (fleet: string): Promise<string> =>
      eventually(async () => (await allocate(cluster(), fleet)) ?? Promise.reject(new Error("no server to be had"))),
    /** The fleet's set of an image. */
    setOf: async (image: string, fleet: string): Promise<GameServerSet | undefined> =>
      (await setsOf(cluster().client, fleet)).find(
        ({ spec }) => spec.template.spec.template.spec.containers[0]?.image === image,
      ),
  };
}
