import { FLEET_LABEL } from "#api/agones/constants.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import type { Client } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";
import { CliError } from "./errors.ts";
import type { Terminal } from "./output.ts";

const POLL_MS = 50;
/** After this long the progress line says where to look. */
const SLOW_MS = 15_000;

export interface WaitOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly fleet: string;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds; then `CliError` `TimedOut`. */
  readonly timeoutMs: number;
}

/** Waits until all servers of a fleet are Ready, telling how far it is whenever that changes. Returns them by name. */
export async function waitForFleet(options: WaitOptions): Promise<readonly GameServer[]> {
  const { client, namespace, fleet, terminal, clock, signal, timeoutMs } = options;
  const started = clock.monotonic();
  let told = "";
  let helped = false;
  for (;;) {
    const wanted = (await client.get(FLEETS, namespace, fleet)).spec.replicas ?? 0;
    const { items } = await client.list(GAMESERVERS, { namespace, labelSelector: `${FLEET_LABEL}=${fleet}`, signal });
    const living = items.filter(({ metadata }) => !metadata.deletionTimestamp);
    const ready = living.filter(({ status }) => status?.state === "Ready" || status?.state === "Allocated");
    const line = progressLine(fleet, living, ready.length, wanted);
    if (line !== told) terminal.err(line);
    told = line;
    if (ready.length >= wanted)
      return ready.toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
    const waited = clock.monotonic() - started;
    if (waited > timeoutMs)
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

function progressLine(fleet: string, living: readonly GameServer[], ready: number, wanted: number): string {
  const others = new Map<string, number>();
  for (const { status } of living) {
    const state = status?.state ?? "new";
    if (state !== "Ready" && state !== "Allocated") others.set(state, (others.get(state) ?? 0) + 1);
  }
  const rest = [...others].map(([state, count]) => `${count} ${state}`).join(", ");
  return `Fleet ${fleet}: ${ready} of ${wanted} game servers Ready${rest ? ` (${rest})` : ""}`;
}
