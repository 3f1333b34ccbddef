/** What an allocation does to the server it chose: one update. */
import { LAST_ALLOCATED_ANNOTATION } from "../agones/constants.ts";
import {
  type ActionOutcome,
  appendListValues,
  deleteListValues,
  updateCount,
  updateCounterCapacity,
  updateListCapacity,
} from "../agones/counters-and-lists.ts";
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { GameServer } from "../agones/gameserver.ts";
import type { GameServerAllocationSpec } from "./gameserverallocation.ts";

/** Texts of the actions that were refused; the allocation itself stands. */
export interface ActionErrors {
  readonly counters: readonly string[];
  readonly lists: readonly string[];
}

type Action = (gameServer: GameServer) => ActionOutcome;

/**
 * Merges labels and annotations, stamps the time, makes the server Allocated and runs its counter and list actions:
 * per counter capacity, then count; per list capacity, then additions, then deletions.
 *
 * @param now milliseconds since 1970
 */
export function applyAllocation(
  gameServer: GameServer,
  spec: GameServerAllocationSpec,
  now: number,
  gates: FeatureGates,
): { readonly gameServer: GameServer; readonly errors: ActionErrors } {
  const { metadata, status } = gameServer;
  const labels = spec.metadata?.labels;
  const taken: GameServer = {
    ...gameServer,
    metadata: {
      ...metadata,
      ...(labels && { labels: { ...metadata.labels, ...labels } }),
      annotations: {
        ...metadata.annotations,
        ...spec.metadata?.annotations,
        [LAST_ALLOCATED_ANNOTATION]: new Date(now).toISOString(),
      },
    },
    status: { ...status, state: "Allocated" },
  };
  if (!gates.CountsAndLists) return { gameServer: taken, errors: { counters: [], lists: [] } };
  const counted = run(taken, counterActions(spec));
  const listed = run(counted.gameServer, listActions(spec));
  return { gameServer: listed.gameServer, errors: { counters: counted.errors, lists: listed.errors } };
}

function counterActions({ counters }: GameServerAllocationSpec): Action[] {
  return Object.entries(counters ?? {}).flatMap(([name, { action, amount, capacity }]) => [
    ...(capacity != null ? [(server: GameServer) => updateCounterCapacity(server, name, capacity)] : []),
    ...(action != null && amount != null ? [(server: GameServer) => updateCount(server, name, action, amount)] : []),
  ]);
}

function listActions({ lists }: GameServerAllocationSpec): Action[] {
  return Object.entries(lists ?? {}).flatMap(([name, { addValues, deleteValues, capacity }]) => [
    ...(capacity != null ? [(server: GameServer) => updateListCapacity(server, name, capacity)] : []),
    ...(addValues?.length ? [(server: GameServer) => appendListValues(server, name, addValues)] : []),
    ...(deleteValues?.length ? [(server: GameServer) => deleteListValues(server, name, deleteValues)] : []),
  ]);
}

function run(start: GameServer, actions: readonly Action[]) {
  const errors: string[] = [];
  let gameServer = start;
  for (const action of actions) {
    const outcome = action(gameServer);
    gameServer = outcome.gameServer;
    if (outcome.error !== undefined) errors.push(outcome.error);
  }
  return { gameServer, errors };
}
