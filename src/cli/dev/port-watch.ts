/** Whether a game that a person started by hand still runs. Nothing of it is ours to watch but its ports: a game that ends lets go of them. */
import type { GameServerPort } from "#api/agones/gameserver.ts";
import type { Clock } from "#runtime/clock.ts";
import { isFree } from "./free-port.ts";

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

/** Whether nobody on this machine has one of the ports. */
export async function allFree(ports: readonly GameServerPort[]): Promise<boolean> {
  for (const { hostPort = 0, protocol } of ports) if (!(await isFree(hostPort, protocol ?? "UDP"))) return false;
  return true;
}
