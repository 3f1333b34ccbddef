/** Where a game that is started by hand is reached: ports and address. */
import { isIpAddress } from "#api/agones/address.ts";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer, GameServerPort, GameServerProtocol } from "#api/agones/gameserver.ts";
import { expandStaticPorts } from "#api/agones/port-policy.ts";
import { NODES } from "#api/core/resources.ts";
import type { Client } from "#kube/client.ts";
import { CliError } from "../errors.ts";
import { isOfGame, portsOf } from "./development-server.ts";
import { freePort, isFree } from "./free-port.ts";

export interface PortWishes {
  /** Of the game's first port; 0 or absent for a free one. */
  readonly port?: number;
  /** Of the only port, without a fleet that has some. */
  readonly protocol: GameServerProtocol;
  readonly fleet: Fleet | undefined;
  /** Those whose ports are taken. */
  readonly servers: readonly GameServer[];
  /** Whether the game is not running yet. */
  readonly mustBeFree: boolean;
}

/**
 * The ports of the game, each with a number of this machine; one of both protocols is two, as those of a fleet's servers are. Throws
 * `CliError` when the one that is wished for is another's.
 */
export async function numberedPorts(wishes: PortWishes): Promise<readonly GameServerPort[]> {
  const { port, protocol, fleet } = wishes;
  const numbered: GameServerPort[] = [];
  const ports = portsOf(fleet, protocol);
  const first = ports.find((each) => isOfGame(fleet, each));
  for (const each of ports) {
    const own = each.protocol ?? "UDP";
    const wanted = each === first && port ? port : undefined;
    if (wanted !== undefined) await checkIsNobodys(wanted, own, wishes);
    const number = wanted ?? (await freePort(own));
    numbered.push({ ...each, portPolicy: "Static", hostPort: number, containerPort: number });
  }
  return expandStaticPorts(numbered);
}

const OTHERS = "choose another with --port, or leave it out for a free one";

async function checkIsNobodys(port: number, protocol: GameServerProtocol, wishes: PortWishes): Promise<void> {
  const holder = wishes.servers.find(({ spec }) => spec.ports?.some(({ hostPort }) => hostPort === port));
  if (holder) throw new CliError("Refused", `port ${port} belongs to game server ${holder.metadata.name}: ${OTHERS}`);
  if (wishes.mustBeFree && !(await isFree(port, protocol)))
    throw new CliError("Refused", `port ${port} is in use by another process: ${OTHERS}`);
}

/** Where players reach the machine, as a number. */
export async function nodeAddress(client: Client): Promise<string> {
  const { items } = await client.list(NODES);
  const all = items.flatMap(({ status }) => status?.addresses ?? []).filter(({ address }) => isIpAddress(address));
  const best = all.find(({ type }) => type === "ExternalIP") ?? all.find(({ type }) => type === "InternalIP");
  return best?.address ?? "127.0.0.1";
}
