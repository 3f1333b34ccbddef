import type { AllocationOverflow } from "#api/agones/common.ts";
import { deletionOrder, type NodeCounts } from "#api/agones/deletion-order.ts";
import type { GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeingDeleted } from "#api/agones/predicates.ts";

const carries = (
  have: Readonly<Record<string, string>> | undefined,
  want: Readonly<Record<string, string>> | undefined,
): boolean => Object.entries(want ?? {}).every(([name, value]) => have?.[name] === value);

/** True when the server already has all labels and annotations of the overflow. */
const isMarked = ({ metadata }: GameServer, { labels, annotations }: AllocationOverflow): boolean =>
  carries(metadata.labels, labels) && carries(metadata.annotations, annotations);

/**
 * Allocated servers beyond the set's replicas get the set's overflow marks, so that the game can learn it is surplus. Returns the
 * servers to write, marked, in deletion order; marks are never taken off again.
 */
export function decideOverflow(
  set: GameServerSet,
  servers: readonly GameServer[],
  nodes: ReadonlyMap<string, NodeCounts>,
): readonly GameServer[] {
  const overflow = set.spec.allocationOverflow;
  if (
    !overflow ||
    (Object.keys(overflow.labels ?? {}).length === 0 && Object.keys(overflow.annotations ?? {}).length === 0)
  )
    return [];
  const allocated = servers.filter((server) => server.status?.state === "Allocated" && !isBeingDeleted(server));
  const unmarked = allocated.filter((server) => !isMarked(server, overflow));
  const marked = allocated.length - unmarked.length;
  const wanted = Math.max(0, allocated.length - set.spec.replicas - marked);
  return deletionOrder(set.spec.scheduling, set.spec.priorities ?? [], unmarked, nodes)
    .slice(0, wanted)
    .map((server) => ({
      ...server,
      metadata: {
        ...server.metadata,
        labels: { ...server.metadata.labels, ...overflow.labels },
        annotations: { ...server.metadata.annotations, ...overflow.annotations },
      },
    }));
}
