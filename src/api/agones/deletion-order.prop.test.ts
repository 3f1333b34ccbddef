import fc from "fast-check";
import { expect, test } from "vitest";
import { deletionOrder, type NodeCounts } from "./deletion-order.ts";
import { stored } from "./gameserver.fixture.ts";
import type { GameServer, GameServerState } from "./gameserver.ts";

const counts = new Map<string, NodeCounts>([
  ["busy", { ready: 3, allocated: 4 }],
  ["calm", { ready: 1, allocated: 1 }],
  ["cool", { ready: 2, allocated: 0 }],
]);

test("the order does not depend on the order the servers were listed in", () => {
  const some = fc.record({
    node: fc.constantFrom("", "gone", "lost", "busy", "calm", "cool"),
    state: fc.constantFrom<GameServerState>("Ready", "Scheduled", "Starting", "Unhealthy"),
    used: fc.option(fc.bigInt(0n, 3n), { nil: undefined }),
    age: fc.constantFrom("2030-01-01T00:00:00Z", "2030-01-02T00:00:00Z"),
  });
  fc.assert(
    fc.property(
      fc.array(some, { maxLength: 12 }),
      fc.constantFrom("Packed" as const, "Distributed" as const),
      fc.constantFrom(undefined, "Ascending" as const, "Descending" as const),
      fc.infiniteStream(fc.nat()),
      (drawn, strategy, order, random) => {
        const servers = drawn.map(({ node, state, used, age }, at) =>
          stored(
            { state, nodeName: node, counters: used === undefined ? null : { rooms: { count: used, capacity: 9n } } },
            { name: `s${at}`, creationTimestamp: age },
          ),
        );
        const shuffled = servers.map((each) => [random.next().value as number, each] as const);
        const other = shuffled.toSorted(([a], [b]) => a - b).map(([, each]) => each);
        const priorities = [{ type: "Counter", key: "rooms", order }] as const;
        const sort = (list: GameServer[]) =>
          deletionOrder(strategy, priorities, list, counts).map(({ metadata }) => metadata.name);
        expect(sort(other)).toEqual(sort(servers));
      },
    ),
  );
});
