/** The GameServer of a game that a person starts by hand: no Pod, no node, an address of its own. */
import { developmentReady } from "#api/agones/address.ts";
import { DEV_ADDRESS_ANNOTATION, FLEET_LABEL } from "#api/agones/constants.ts";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer, GameServerPort, GameServerProtocol } from "#api/agones/gameserver.ts";
import { portVariable } from "#api/core/port-variable.ts";

/** The process of `stadion dev`, on this machine. When it is gone, the node agent removes the server. */
export const DEV_PROCESS_ANNOTATION = "stadion.dev/dev-process";

export interface DevelopmentServerOptions {
  /** Absent: made from the program's. */
  readonly name?: string;
  readonly program: string;
  readonly namespace: string;
  /** An IP address. */
  readonly address: string;
  readonly ports: readonly GameServerPort[];
  /** Whose labels, counters and lists it gets, and for whose servers allocations find it. */
  readonly fleet?: Fleet;
  readonly pid: number;
}

/**
 * Scheduled at its address: Ready once the game says so. One that were made without a state would be Ready at once, and players would be
 * sent to a game that is still starting.
 */
export function developmentServer(options: DevelopmentServerOptions): GameServer {
  const { name, program, namespace, address, ports, fleet, pid } = options;
  const template = fleet?.spec.template;
  const placed = developmentReady({
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: {
      ...(name === undefined ? { generateName: `${program}-dev-` } : { name }),
      namespace,
      labels: { ...template?.metadata?.labels, ...(fleet && { [FLEET_LABEL]: fleet.metadata.name ?? "" }) },
      annotations: {
        ...template?.metadata?.annotations,
        [DEV_ADDRESS_ANNOTATION]: address,
        [DEV_PROCESS_ANNOTATION]: String(pid),
      },
    },
    spec: {
      // Of no use without a Pod, and required.
      template: { spec: { containers: [{ name: "game-server", image: `stadion.local/${program}` }] } },
      ...template?.spec,
      ports,
    },
  });
  return { ...placed, status: { ...placed.status, state: "Scheduled" } };
}

/** The ports of a fleet's template, or one, without their numbers. */
export function portsOf(
  fleet: Fleet | undefined,
  protocol: GameServerProtocol,
): readonly Pick<GameServerPort, "name" | "protocol" | "container">[] {
  const ports = fleet?.spec.template.spec.ports ?? [];
  if (ports.length === 0) return [{ name: "default", protocol }];
  return ports.map(({ name, protocol, container }) => ({
    name,
    protocol,
    ...(container !== undefined && { container }),
  }));
}

/** Whether a port is that of the game, and not of another container of the fleet's Pods. */
export function isOfGame(fleet: Fleet | undefined, { container }: Pick<GameServerPort, "container">): boolean {
  const { spec } = fleet?.spec.template ?? {};
  const containers = spec?.template?.spec?.containers ?? [];
  const game = containers.length === 1 ? containers[0]?.name : spec?.container;
  return container === undefined || container === game;
}

/** What a game finds its ports by: what it would find in a Pod of the fleet, with these ports. */
export function portVariables(
  ports: readonly GameServerPort[],
  fleet: Fleet | undefined,
): Readonly<Record<string, string>> {
  const own = ports.filter((port) => isOfGame(fleet, port));
  return Object.fromEntries([
    ...own.slice(0, 1).map(({ hostPort }) => ["PORT", String(hostPort)]),
    ...own.flatMap(({ name, hostPort }) => (name ? [[portVariable(name), String(hostPort)]] : [])),
  ]);
}

/** The process of `stadion dev` that a GameServer belongs to; undefined for any other GameServer. */
export function devProcessOf({ metadata }: GameServer): number | undefined {
  const pid = metadata.annotations?.[DEV_PROCESS_ANNOTATION];
  return pid !== undefined && /^[1-9]\d*$/.test(pid) ? Number(pid) : undefined;
}
