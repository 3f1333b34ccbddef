/** In which order servers go when there are too many. What plans a scale-down and what executes it sort with this. */
import { anyOf, byAge, byName, type Compare, order } from "../meta/object-order.ts";
import type { Priority, SchedulingStrategy } from "./common.ts";
import type { GameServer } from "./gameserver.ts";
import { isBeforeReady } from "./predicates.ts";
import { comparePriorities } from "./priorities.ts";

/** Ready and Allocated servers of a node. */
export interface NodeCounts {
  readonly ready: number;
  readonly allocated: number;
}

/**
 * The servers in the order they should be deleted, as a new array. It says nothing of which may be deleted.
 *
 * Packed empties one node at a time: first servers on no known node, then by node, the one with the fewest Ready and
 * Allocated servers first and by name where they are equal; on one node (and among those on none) servers that are not
 * Ready yet come first, then priorities, then the name decide.
 * Distributed: servers that are not Ready yet first, then priorities, then the oldest, then the name.
 *
 * @param strategy absent is `Packed`
 * @param priorities empty where counters and lists are switched off
 * @param countsByNode by node name; a node that is missing is not known
 */
export function deletionOrder(
  strategy: SchedulingStrategy | undefined,
  priorities: readonly Priority[],
  servers: readonly GameServer[],
  countsByNode: ReadonlyMap<string, NodeCounts>,
): GameServer[] {
  const byPriorityThen = (last: Compare<GameServer>): Compare<GameServer> =>
    anyOf((a, b) => comparePriorities(priorities, a, b), last);
  if (strategy === "Distributed") return servers.toSorted(anyOf(notReadyFirst, byPriorityThen(anyOf(byAge, byName))));

  const nodes = new Map<string, Node>();
  const nodeOf = ({ status }: GameServer): Node => {
    const name = status?.nodeName ?? "";
    let node = nodes.get(name);
    if (!node) {
      const counts = name ? countsByNode.get(name) : undefined;
      node = counts ? { name, total: counts.ready + counts.allocated } : { name: "", total: -1 };
      nodes.set(name, node);
    }
    return node;
  };
  const byNode: Compare<GameServer> = (a, b) => {
    const [first, second] = [nodeOf(a), nodeOf(b)];
    return first.total - second.total || order(first.name, second.name);
  };
  return servers.toSorted(anyOf(byNode, anyOf(notReadyFirst, byPriorityThen(byName))));
}

/** A node as the order sees it; all unknown ones are the same, before every known one. */
interface Node {
  readonly name: string;
  readonly total: number;
}

const notReadyFirst: Compare<GameServer> = (a, b) => Number(isBeforeReady(b)) - Number(isBeforeReady(a));
