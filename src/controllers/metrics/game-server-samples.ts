import { FLEET_LABEL, GROUP } from "#api/agones/constants.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import type { Node } from "#api/core/node.ts";
import type { Sample } from "./sample.ts";

/** What a GameServer without a Fleet is counted under. */
const NO_FLEET = "none";

/** The Fleet that a GameServer is counted under. */
export const fleetOf = ({ metadata: { labels } }: GameServer): string => labels?.[FLEET_LABEL] || NO_FLEET;

type CountSample = Sample<"type" | "fleet_name" | "namespace">;

/**
 * Counts GameServers by state, Fleet and namespace. A state that nobody is in any more stays as 0 while its Fleet has servers; when
 * the last server of a Fleet is gone, each of its states is 0 once more and then forgotten.
 */
export class GameServerCounts {
  #known: ReadonlyMap<string, CountSample["labels"]> = new Map();

  read(servers: readonly GameServer[]): readonly CountSample[] {
    const counts = new Map<string, { readonly labels: CountSample["labels"]; value: number }>();
    const peopled = new Set<string>();
    for (const server of servers) {
      const { namespace = "" } = server.metadata;
      const labels = { type: server.status?.state ?? "", fleet_name: fleetOf(server), namespace };
      peopled.add(fleetKey(labels));
      const counted = counts.get(seriesKey(labels)) ?? { labels, value: 0 };
      counted.value++;
      counts.set(seriesKey(labels), counted);
    }
    const emptied = [...this.#known.values()].filter((labels) => !counts.has(seriesKey(labels)));
    const remembered = [
      ...[...counts.values()].map(({ labels }) => labels),
      ...emptied.filter((labels) => peopled.has(fleetKey(labels))),
    ];
    this.#known = new Map(remembered.map((labels) => [seriesKey(labels), labels]));
    return [...counts.values(), ...emptied.map((labels) => ({ labels, value: 0 }))];
  }
}

const fleetKey = ({ namespace, fleet_name }: CountSample["labels"]): string => `${namespace}/${fleet_name}`;
const seriesKey = (labels: CountSample["labels"]): string => `${fleetKey(labels)}/${labels.type}`;

/** Players that are connected to each GameServer, or that it could still take. */
export function playerSamples(
  servers: readonly GameServer[],
  which: "connected" | "free",
): readonly Sample<"fleet_name" | "name" | "namespace">[] {
  return servers.flatMap((server) => {
    const { players } = server.status ?? {};
    if (!players) return [];
    const { name = "", namespace = "" } = server.metadata;
    const { count = 0n, capacity = 0n } = players;
    return {
      labels: { fleet_name: fleetOf(server), name, namespace },
      value: Number(which === "connected" ? count : capacity - count),
    };
  });
}

/** How many GameServers each node has that games may run on: one that no taint keeps for Agones' own Pods. */
export function serversPerNode(nodes: readonly Node[], servers: readonly GameServer[]): ReadonlyMap<string, number> {
  const games = nodes.filter(({ spec }) => !spec?.taints?.some(({ key }) => key.startsWith(`${GROUP}/`)));
  const counts = new Map(games.map(({ metadata }) => [metadata.name ?? "", 0]));
  for (const { status } of servers) {
    const count = counts.get(status?.nodeName ?? "");
    if (count !== undefined) counts.set(status?.nodeName ?? "", count + 1);
  }
  return counts;
}

/** Nodes with and without GameServers. */
export function nodeSamples(perNode: ReadonlyMap<string, number>): readonly Sample<"empty">[] {
  const empty = [...perNode.values()].filter((count) => count === 0).length;
  return [
    { labels: { empty: "true" }, value: empty },
    { labels: { empty: "false" }, value: perNode.size - empty },
  ];
}
