import type { Priority, SchedulingStrategy } from "#api/agones/common.ts";
import { FLEET_LABEL } from "#api/agones/constants.ts";
import type { NodeCounts } from "#api/agones/deletion-order.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { comparePriorities } from "#api/agones/priorities.ts";
import type { GameServerSelector } from "#api/allocation/gameserverallocation.ts";
import { anyOf, type Compare } from "#api/meta/object-order.ts";
import { type Bucket, nameOf } from "./bucket.ts";
import type { CandidateIndex } from "./candidate-index.ts";

export type Matcher = (server: GameServer) => boolean;

export interface Wish {
  readonly namespace: string;
  /** In order; the first that matches any server wins. */
  readonly selectors: readonly { readonly selector: GameServerSelector; readonly matches: Matcher }[];
  readonly scheduling: SchedulingStrategy;
  readonly priorities: readonly Priority[];
  /** The gate PlayerAllocationFilter: packing prefers servers with less room for players. */
  readonly byPlayers: boolean;
}

export interface Surroundings {
  readonly index: CandidateIndex;
  readonly nodes: ReadonlyMap<string, NodeCounts>;
  /** Servers of the namespace that other requests are just making Allocated, as they will be. */
  readonly pending: readonly GameServer[];
  /** Numbers in [0, 1). */
  readonly random: () => number;
}

/** Tries at random before a shuffle is worth its cost. */
const RANDOM_TRIES = 16;

/**
 * The server a request gets, or undefined. `"wait"`: none yet, but one that another request is just changing will suit,
 * and it comes before what later selectors would find.
 *
 * Packed: nodes with more Allocated, then more Ready servers first, so that matches gather on few nodes; among nodes alike less
 * room for players (where that counts), then the priorities decide, then the name. Distributed: the priorities over all servers, then the name; without priorities at random.
 */
export function select(wish: Wish, { index, nodes, pending, random }: Surroundings): GameServer | "wait" | undefined {
  for (const { selector, matches } of wish.selectors) {
    const state = selector.gameServerState === "Allocated" ? "Allocated" : "Ready";
    const buckets = index.buckets(wish.namespace, state, selector.matchLabels?.[FLEET_LABEL]);
    const found =
      wish.scheduling === "Packed"
        ? packed(buckets, matches, wish, nodes)
        : wish.priorities.length > 0
          ? best(buckets.flatMap(({ all }) => all).filter(matches), byPriority(wish))
          : atRandom(buckets, matches, random);
    if (found) return found;
    if (state === "Allocated" && pending.some(matches)) return "wait";
  }
  return undefined;
}

/** Fuller nodes first; a node nobody counts comes last. */
function fullness(count: NodeCounts | undefined): readonly [allocated: number, ready: number] {
  return count ? [count.allocated, count.ready] : [-1, -1];
}

function packed(
  buckets: readonly Bucket[],
  matches: Matcher,
  wish: Wish,
  counts: ReadonlyMap<string, NodeCounts>,
): GameServer | undefined {
  const prefer = wish.byPlayers ? anyOf(byRoomForPlayers, byPriority(wish)) : byPriority(wish);
  const nodes = [...new Set(buckets.flatMap((bucket) => [...bucket.nodes]))]
    .map((name) => ({ name, full: fullness(counts.get(name)) }))
    .sort((a, b) => b.full[0] - a.full[0] || b.full[1] - a.full[1]);
  for (let start = 0; start < nodes.length; ) {
    const full = nodes[start]?.full ?? [0, 0];
    let end = start;
    while (nodes[end]?.full[0] === full[0] && nodes[end]?.full[1] === full[1]) end++;
    const alike = nodes.slice(start, end);
    const perNode = alike.flatMap(({ name }) => buckets.map((bucket) => bucket.on(name)));
    // Where only the name decides the first match of each sorted list is its best: no need to see the rest.
    const candidates =
      wish.priorities.length === 0 && !wish.byPlayers
        ? perNode.flatMap((servers) => servers.find(matches) ?? [])
        : perNode.flat().filter(matches);
    const found = best(candidates, prefer);
    if (found) return found;
    start = end;
  }
  return undefined;
}

const byPriority =
  ({ priorities }: Wish): Compare<GameServer> =>
  (a, b) =>
    comparePriorities(priorities, a, b);

/** Less room first; a server without players has none to fill, so it is last. */
const byRoomForPlayers: Compare<GameServer> = (a, b) => {
  const [first, second] = [roomForPlayers(a), roomForPlayers(b)];
  if (first === second) return 0;
  if (first === undefined) return 1;
  return second === undefined || first < second ? -1 : 1;
};

function roomForPlayers({ status }: GameServer): bigint | undefined {
  const players = status?.players;
  return players ? (players.capacity ?? 0n) - (players.count ?? 0n) : undefined;
}

function best(candidates: readonly GameServer[], prefer: Compare<GameServer>): GameServer | undefined {
  let first: GameServer | undefined;
  for (const server of candidates) {
    const order = first ? prefer(server, first) || (nameOf(server) < nameOf(first) ? -1 : 1) : -1;
    if (order < 0) first = server;
  }
  return first;
}

/** Every matching server is as likely as any other. */
function atRandom(buckets: readonly Bucket[], matches: Matcher, random: () => number): GameServer | undefined {
  const total = buckets.reduce((sum, { size }) => sum + size, 0);
  if (total === 0) return undefined;
  for (let tries = 0; tries < RANDOM_TRIES; tries++) {
    let position = Math.floor(random() * total);
    for (const { all, size } of buckets) {
      const server = all[position];
      if (position < size && server) {
        if (matches(server)) return server;
        break;
      }
      position -= size;
    }
  }
  const matching = buckets.flatMap(({ all }) => all.filter(matches));
  return matching[Math.floor(random() * matching.length)];
}
