/**
 * Whether a game that a person started by hand still runs. Nothing of it is ours to watch but its ports and its connection to the SDK
 * server: a game that ends lets go of them.
 */
import type { GameServerPort } from "#api/agones/gameserver.ts";
import type { Clock } from "#runtime/clock.ts";
import { isFree } from "./free-port.ts";
import type { Connections } from "./sdk-connection.ts";

const LOOK_MS = 1_000;
/** So often in a row they must be free: a game may bind anew. */
const LOOKS = 2;

export interface PortWatch {
  /** Whether nobody has any of the game's ports. */
  readonly areFree: () => Promise<boolean>;
  /** Resolves once the game takes players: before that it binds its ports, and nobody may take them even for a moment. */
  readonly up: Promise<void>;
  /** Hears what the first look found. */
  readonly tell: (free: boolean) => void;
  readonly clock: Clock;
}

/**
 * Resolves once a game that had one of its ports has none any more. Never for a game that was not seen to have one, such as one in
 * another network; a game that stands at a breakpoint keeps them. Rejects with the signal's reason.
 */
export async function portsLeft({ areFree, up, tell, clock }: PortWatch, signal: AbortSignal): Promise<void> {
  await up;
  let free = await areFree();
  tell(free);
  let [seen, times] = [!free, 0];
  while (times < LOOKS) {
    await clock.sleep(LOOK_MS, signal);
    free = await areFree();
    seen ||= !free;
    times = free && seen ? times + 1 : 0;
  }
}

const CONNECTION_LOOK_MS = 250;
/** A client that has lost its SDK server is back by then. */
const AWAY_MS = 10_000;

export interface ConnectionWatch extends Pick<PortWatch, "areFree" | "up" | "clock"> {
  /** Who is connected to its SDK server by gRPC, or was a moment ago. */
  readonly connections: () => Promise<Connections>;
}

/**
 * Resolves once a game that was connected has taken players, and neither is connected any more nor has a port: for one that ended before
 * anybody saw it there, or that is in another network. Never for a game that was not connected, such as one that speaks REST. Rejects
 * with the signal's reason.
 */
export async function connectionLeft(
  { connections, areFree, up, clock }: ConnectionWatch,
  signal: AbortSignal,
): Promise<void> {
  let isUp = false;
  void up.then(() => {
    isUp = true;
  });
  let { clients: former } = await connections();
  for (let seenAt: number | undefined; ; await clock.sleep(CONNECTION_LOOK_MS, signal)) {
    const { isOpen, clients } = await connections();
    const now = clock.monotonic();
    if (isOpen) seenAt = now;
    else if (seenAt === undefined && !clients.isSubsetOf(former)) seenAt = now;
    if (seenAt === undefined || now - seenAt < AWAY_MS) continue;
    if (isUp && (await areFree())) return;
    if (!isUp) [seenAt, former] = [undefined, clients];
  }
}

/** Whether nobody on this machine has one of the ports. */
export async function allFree(ports: readonly GameServerPort[]): Promise<boolean> {
  for (const { hostPort = 0, protocol } of ports) if (!(await isFree(hostPort, protocol ?? "UDP"))) return false;
  return true;
}
