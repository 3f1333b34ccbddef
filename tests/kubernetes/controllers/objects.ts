/** What the tests of the controllers make and look at. */
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import type { JsonObject } from "#api/meta/json.ts";
import type { Client } from "#kube/client.ts";
import { changeObject, templateOf } from "#tests/world/changes.ts";
import type { RigCluster } from "../rig/cluster.ts";

/** A GameServer on its own. */
export const serverNamed = (
  name: string,
  spec: Partial<GameServer["spec"]> = {},
  metadata: GameServer["metadata"] = {},
): GameServer => ({
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  metadata: { ...metadata, name, namespace: "default" },
  spec: { ...templateOf("1").spec, ...spec },
});

export const changeFleet = (client: Client, name: string, spec: Partial<Fleet["spec"]>): Promise<void> =>
  changeObject(client, FLEETS, name, (fleet) => ({ ...fleet, spec: { ...fleet.spec, ...spec } }));

export async function serversOf(client: Client, fleet: string): Promise<readonly GameServer[]> {
  const labelSelector = `agones.dev/fleet=${fleet}`;
  return (await client.list(GAMESERVERS, { namespace: "default", labelSelector })).items;
}

export async function setsOf(client: Client, fleet: string) {
  const labelSelector = `agones.dev/fleet=${fleet}`;
  return (await client.list(GAMESERVERSETS, { namespace: "default", labelSelector })).items;
}

export const inState = (servers: readonly GameServer[], state: GameServerState): readonly GameServer[] =>
  servers.filter(({ metadata, status }) => status?.state === state && !metadata.deletionTimestamp);

/** How many servers are in each state; those that are going count as Going. */
export function census(servers: readonly GameServer[]): Readonly<Record<string, number>> {
  const states: Record<string, number> = {};
  for (const { metadata, status } of servers) {
    const state = metadata.deletionTimestamp ? "Going" : (status?.state ?? "");
    states[state] = (states[state] ?? 0) + 1;
  }
  return states;
}

/** Asks for a server of the fleet; its name, or undefined when there is none. */
export const allocate = (cluster: RigCluster, fleet: string): Promise<string | undefined> =>
  allocateBy(cluster, { "agones.dev/fleet": fleet });

/** As `allocate`, by any labels. */
export async function allocateBy(
  { server }: RigCluster,
  matchLabels: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const answer = await server.call("POST", "/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations", {
    apiVersion: "allocation.agones.dev/v1",
    kind: "GameServerAllocation",
    spec: { selectors: [{ matchLabels }] },
  });
  const { status } = answer.body as { readonly status?: JsonObject };
  return status?.state === "Allocated" ? String(status.gameServerName) : undefined;
}

/** The host ports of servers, each as often as it is held. */
export const portsOf = (servers: readonly GameServer[]): readonly number[] =>
  servers.flatMap(({ status }) => (status?.ports ?? []).map(({ port }) => port));
