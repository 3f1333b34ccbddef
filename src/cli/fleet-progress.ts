import { FLEET_LABEL } from "#api/agones/constants.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import type { Event } from "#api/core/event.ts";
import { EVENTS } from "#api/core/resources.ts";
import type { Client } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";
import { CliError } from "./errors.ts";
import type { Terminal } from "./output.ts";

const POLL_MS = 50;
/** After this long, and then each time, warnings about the servers are looked for. */
const WARNINGS_MS = 2_000;
/** After this long the progress says where to look. */
const SLOW_MS = 15_000;

export interface WaitOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly fleet: string;
  /** Which servers are of the version that is waited for; all by default. Of others only those count that somebody plays on. */
  readonly isCurrent?: (server: GameServer) => boolean;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds; then `CliError` `TimedOut`. */
  readonly timeoutMs: number;
}

/**
 * Waits until all servers of a fleet are Ready, telling how far it is whenever that changes, and what warns of trouble. Returns them by
 * name.
 */
export async function waitForFleet(options: WaitOptions): Promise<readonly GameServer[]> {
  const { client, namespace, fleet, terminal, clock, signal, timeoutMs } = options;
  const started = clock.monotonic();
  const warned = new Set<string>();
  let told = "";
  let nextLook = WARNINGS_MS;
  let helped = false;
  for (;;) {
    const wanted = (await client.get(FLEETS, namespace, fleet)).spec.replicas ?? 0;
    const { items } = await client.list(GAMESERVERS, { namespace, labelSelector: `${FLEET_LABEL}=${fleet}`, signal });
    const living = items.filter(({ metadata }) => !metadata.deletionTimestamp);
    const ready = living.filter((server) => isReady(server, options.isCurrent));
    const line = progressLine(fleet, living, ready, wanted);
    if (line !== told) terminal.err(line);
    told = line;
    if (ready.length >= wanted)
      return ready.toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));

    const waited = clock.monotonic() - started;
    if (waited >= Math.min(nextLook, timeoutMs)) {
      nextLook = waited + WARNINGS_MS;
      for (const warning of await warnings(client, namespace, fleet)) {
        // "made in 2 s" and "made in 4 s" are one warning.
        const kind = warning.replace(/\d+/g, "0");
        if (!warned.has(kind)) terminal.err(`  Warning: ${warning}`);
        warned.add(kind);
      }
    }
    if (waited >= timeoutMs)
      throw new CliError(
        "TimedOut",
        `fleet ${fleet} has ${ready.length} of ${wanted} servers Ready after ${Math.round(waited / 1000)} s`,
      );
    if (waited > SLOW_MS && !helped) {
      helped = true;
      terminal.err(`  This takes long. Look at: npx stadion get events -n ${namespace}   and: npx stadion logs NAME`);
    }
    await clock.sleep(POLL_MS, signal);
  }
}

const BUSY = new Set<string | undefined>(["Allocated", "Reserved"]);

function isReady(server: GameServer, isCurrent: WaitOptions["isCurrent"]): boolean {
  const state = server.status?.state;
  return BUSY.has(state) || (state === "Ready" && isCurrent?.(server) !== false);
}

function progressLine(
  fleet: string,
  living: readonly GameServer[],
  ready: readonly GameServer[],
  wanted: number,
): string {
  const others = new Map<string, number>();
  for (const server of living) {
    if (ready.includes(server)) continue;
    const { state = "new" } = server.status ?? {};
    const shown = state === "Ready" ? "of the version before" : state;
    others.set(shown, (others.get(shown) ?? 0) + 1);
  }
  const rest = [...others].map(([state, count]) => `${count} ${state}`).join(", ");
  return `Fleet ${fleet}: ${ready.length} of ${wanted} game servers Ready${rest ? ` (${rest})` : ""}`;
}

/** What warnings say of a fleet, its sets, servers and pods: each text once. */
async function warnings(client: Client, namespace: string, fleet: string): Promise<ReadonlySet<string>> {
  const { items } = await client.list<Event>(EVENTS, { namespace, fieldSelector: "type=Warning" });
  const about = items.filter(({ involvedObject: { name = "" } }) => name === fleet || name.startsWith(`${fleet}-`));
  return new Set(about.flatMap(({ message }) => (message ? [message] : [])));
}
