import fc from "fast-check";
import { expect, test } from "vitest";
import type { Priority } from "#api/agones/common.ts";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { comparePriorities } from "#api/agones/priorities.ts";
import type { GameServerSelector } from "#api/allocation/gameserverallocation.ts";
import { selectorMatcher } from "#api/allocation/match.ts";
import { serverOf } from "#tests/world/allocation.ts";
import { seededRandom } from "#tests/world/random.ts";
import { NodeCounts } from "#views/node-counts.ts";
import { CandidateIndex } from "./candidate-index.ts";
import { select, type Wish } from "./select.ts";

const gates = featureGates();
const node = fc.constantFrom<string>("n1", "n2", "n3", "n4");
const servers: fc.Arbitrary<readonly GameServer[]> = fc
  .array(
    fc.record({
      fleet: fc.constantFrom("arena", "duel", ""),
      state: fc.constantFrom("Ready" as const, "Allocated" as const, "Reserved" as const),
      node,
      used: fc.option(fc.bigInt({ min: 0n, max: 3n }), { nil: undefined }),
      players: fc.option(fc.bigInt({ min: 0n, max: 3n }), { nil: undefined }),
      order: fc.nat({ max: 1000 }),
    }),
    { maxLength: 25 },
  )
  .map((all) =>
    all.map(({ fleet, state, node, used, players, order }, each) =>
      serverOf(
        `s-${order}-${each}`,
        {
          state,
          nodeName: node,
          ...(used !== undefined && { counters: { rooms: { count: used, capacity: 3n } } }),
          ...(players !== undefined && { players: { count: players, capacity: 3n } }),
        },
        { "agones.dev/fleet": fleet },
      ),
    ),
  );
const selector: fc.Arbitrary<GameServerSelector> = fc.record({
  gameServerState: fc.constantFrom("Ready", "Allocated"),
  matchLabels: fc.constantFrom<Readonly<Record<string, string>>>(
    {},
    { "agones.dev/fleet": "arena" },
    { "agones.dev/fleet": "duel" },
  ),
  counters: fc.constantFrom<NonNullable<GameServerSelector["counters"]>>({}, { rooms: { minAvailable: 1n } }),
});
const priorities: fc.Arbitrary<readonly Priority[]> = fc.constantFrom(
  [],
  [{ type: "Counter" as const, key: "rooms", order: "Ascending" as const }],
  [{ type: "Counter" as const, key: "rooms", order: "Descending" as const }],
);
const counts = fc
  .uniqueArray(fc.tuple(node, fc.nat({ max: 2 }), fc.nat({ max: 2 })), { selector: ([name]) => name })
  .map((all) => new Map(all.map(([name, ready, allocated]) => [name, { ready, allocated }])));

const room = ({ status }: GameServer): bigint | undefined =>
  status?.players ? (status.players.capacity ?? 0n) - (status.players.count ?? 0n) : undefined;
/** Less first; what is undefined last. */
const ascending = (a: bigint | number | undefined, b: bigint | number | undefined): number =>
  a === b ? 0 : a === undefined ? 1 : b === undefined || a < b ? -1 : 1;

test("a request gets what sorting all servers would give it", () => {
  fc.assert(
    fc.property(
      servers,
      fc.array(selector, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("Packed" as const, "Distributed" as const),
      priorities,
      fc.boolean(),
      counts,
      fc.nat(),
      (all, selectors, scheduling, priorities, byPlayers, nodes, seed) => {
        const index = new CandidateIndex();
        for (const server of all) index.add(server);
        const wish: Wish = {
          namespace: "default",
          selectors: selectors.map((each) => ({ selector: each, matches: selectorMatcher(each, gates) })),
          scheduling,
          priorities,
          byPlayers,
        };
        const nodeOf = ({ status }: GameServer) => nodes.get(status?.nodeName ?? "");
        const compare = (a: GameServer, b: GameServer): number => {
          const byNode =
            ascending(nodeOf(a) && 0, nodeOf(b) && 0) ||
            (nodeOf(b)?.allocated ?? 0) - (nodeOf(a)?.allocated ?? 0) ||
            (nodeOf(b)?.ready ?? 0) - (nodeOf(a)?.ready ?? 0) ||
            (byPlayers ? ascending(room(a), room(b)) : 0);
          const rest =
            comparePriorities(priorities, a, b) || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1);
          return scheduling === "Packed" ? byNode || rest : rest;
        };
        const found = select(wish, { index, nodes, pending: [], random: seededRandom(seed) });
        const matching =
          wish.selectors.map(({ matches }) => all.filter(matches)).find(({ length }) => length > 0) ?? [];
        if (scheduling === "Distributed" && priorities.length === 0)
          expect(matching.length === 0 ? [undefined] : matching).toContain(found);
        else expect(found).toBe(matching.toSorted(compare)[0]);
      },
    ),
    { numRuns: 1000 },
  );
});

test("packed matches use the fewest nodes that can hold them", () => {
  const nodes = fc.array(fc.record({ ready: fc.nat({ max: 5 }), allocated: fc.nat({ max: 2 }) }), { maxLength: 6 });
  fc.assert(
    fc.property(nodes, fc.nat({ max: 20 }), fc.nat(), (nodes, requests, seed) => {
      const random = seededRandom(seed);
      const index = new CandidateIndex();
      const counts = new NodeCounts();
      const put = (server: GameServer) => {
        index.add(server);
        counts.update(server);
      };
      for (const [at, { ready, allocated }] of nodes.entries())
        for (let each = 0; each < ready + allocated; each++) {
          const server = serverOf(`s-${random()}`, { nodeName: `n${at}`, state: each < ready ? "Ready" : "Allocated" });
          put({ ...server, metadata: { ...server.metadata, uid: server.metadata.name } });
        }
      const selector: GameServerSelector = { gameServerState: "Ready" };
      const matches = selectorMatcher(selector, gates);
      const wish: Wish = {
        namespace: "default",
        selectors: [{ selector, matches }],
        scheduling: "Packed",
        priorities: [],
        byPlayers: false,
      };
      for (let each = 0; each < requests; each++) {
        const found = select(wish, { index, nodes: counts.counts, pending: [], random });
        if (!found || found === "wait") break;
        index.remove(found);
        put({ ...found, status: { ...found.status, state: "Allocated" } });
      }
      const inUse = nodes.filter(({ allocated }) => allocated > 0);
      let left = Math.min(
        requests,
        nodes.reduce((sum, { ready }) => sum + ready, 0),
      );
      left -= inUse.reduce((sum, { ready }) => sum + ready, 0);
      let fewest = inUse.length;
      const largest = nodes.filter(({ allocated }) => allocated === 0).map(({ ready }) => ready);
      for (const ready of largest.sort((a, b) => b - a)) {
        if (left <= 0) break;
        left -= ready;
        fewest++;
      }
      expect([...counts.counts.values()].filter(({ allocated }) => allocated > 0)).toHaveLength(fewest);
    }),
    { numRuns: 300 },
  );
});

test("a request waits for a server that another one is changing only when no server suits before it", () => {
  const room = { rooms: { count: 0n, capacity: 3n } };
  const wish = (...states: string[]): Wish => ({
    namespace: "default",
    selectors: states.map((gameServerState) => ({
      selector: { gameServerState },
      matches: selectorMatcher({ gameServerState, counters: { rooms: { minAvailable: 1n } } }, gates),
    })),
    scheduling: "Packed",
    priorities: [],
    byPlayers: false,
  });
  const index = new CandidateIndex();
  const idle = serverOf("idle", { counters: room });
  index.add(idle);
  const changing = serverOf("changing", { state: "Allocated", counters: room });
  const full = serverOf("full", { state: "Allocated", counters: { rooms: { count: 3n, capacity: 3n } } });
  const around = { index, nodes: new Map(), random: Math.random };
  expect(select(wish("Allocated", "Ready"), { ...around, pending: [changing] })).toBe("wait");
  expect(select(wish("Ready", "Allocated"), { ...around, pending: [changing] })).toBe(idle);
  expect(select(wish("Allocated", "Ready"), { ...around, pending: [full] })).toBe(idle);
});
