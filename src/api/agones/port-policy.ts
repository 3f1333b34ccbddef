/** Port policies: which ports need a number found for them, and how one that speaks both protocols becomes two. */
import type { GameServerStatusPort } from "./common.ts";
import type { GameServer, GameServerPort } from "./gameserver.ts";

/** Dynamic and Passthrough ports get their host port from Stadion. */
export const needsHostPort = ({ portPolicy }: GameServerPort): boolean =>
  portPolicy === "Dynamic" || portPolicy === "Passthrough";

/** The number mapped on the node; none for policy None, whose port is reached at the Pod's own address. */
export const mappedPort = ({ portPolicy, hostPort }: GameServerPort): number | undefined =>
  portPolicy === "None" ? undefined : hostPort || undefined;

/** The ports players see, one an entry of the spec: the host port, or the container port for policy None. */
export function statusPorts(ports: readonly GameServerPort[]): readonly GameServerStatusPort[] {
  return ports.map((port) => ({
    ...(port.name !== undefined && { name: port.name }),
    port: (port.portPolicy === "None" ? port.containerPort : port.hostPort) ?? 0,
  }));
}

/**
 * Splits Static TCPUDP ports, as is done just before the Pod is made: each becomes `<name>-tcp` in its place, and
 * `<name>-udp` with the same numbers is appended. The same array when there is none.
 */
export function expandStaticPorts(ports: readonly GameServerPort[]): readonly GameServerPort[] {
  const both = ports.filter(isStaticTcpUdp);
  if (both.length === 0) return ports;
  const half = (port: GameServerPort, protocol: "TCP" | "UDP"): GameServerPort => ({
    ...port,
    name: `${port.name ?? ""}-${protocol.toLowerCase()}`,
    protocol,
  });
  const udp = both.map(({ range: _, ...port }) => half(port, "UDP"));
  return [...ports.map((port) => (isStaticTcpUdp(port) ? half(port, "TCP") : port)), ...udp];
}

/** The server with its Static TCPUDP ports split; the same one when there is none. */
export function withStaticPortsExpanded(gameServer: GameServer): GameServer {
  const ports = gameServer.spec.ports ?? [];
  const expanded = expandStaticPorts(ports);
  return expanded === ports ? gameServer : { ...gameServer, spec: { ...gameServer.spec, ports: [...expanded] } };
}

const isStaticTcpUdp = ({ portPolicy, protocol }: GameServerPort): boolean =>
  portPolicy === "Static" && protocol === "TCPUDP";
