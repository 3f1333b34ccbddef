import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { NodeCounts } from "./node-counts.ts";

const server = (uid: string, nodeName: string, state: GameServerState, resourceVersion?: string): GameServer => ({
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  metadata: { name: uid, uid, resourceVersion },
  spec: { template: { spec: { containers: [] } } },
  status: { nodeName, state },
});

describe("NodeCounts", () => {
  test("an event that comes twice counts once", () => {
    const view = new NodeCounts();
    view.add(server("a", "n1", "Ready"));
    view.add(server("a", "n1", "Ready"));
    view.update(server("a", "n1", "Allocated"));
    view.update(server("a", "n1", "Allocated"));
    expect(view.counts.get("n1")).toMatchObject({ ready: 0, allocated: 1 });
  });

  test("a server that changes its node is moved from one to the other", () => {
    const view = new NodeCounts();
    view.add(server("a", "n1", "Ready"));
    view.update(server("a", "n2", "Ready"));
    expect(view.counts.get("n1")).toMatchObject({ ready: 0, allocated: 0 });
    expect(view.counts.get("n2")).toMatchObject({ ready: 1, allocated: 0 });
  });

  test("a deletion takes off what was last known, whatever the final object says", () => {
    const view = new NodeCounts();
    view.add(server("a", "n1", "Ready"));
    view.delete(server("a", "n1", "Shutdown"));
    view.delete(server("a", "n1", "Shutdown"));
    expect(view.counts.get("n1")).toMatchObject({ ready: 0, allocated: 0 });
  });

  test("a node that left is unknown, and stays so when its servers go", () => {
    const view = new NodeCounts();
    view.add(server("a", "n1", "Ready"));
    view.nodeDeleted("n1");
    view.delete(server("a", "n1", "Ready"));
    expect(view.counts.has("n1")).toBe(false);
  });

  test("a node that comes back counts the servers that stayed on it, once another one shows that it is back", () => {
    const view = new NodeCounts();
    view.add(server("a", "n1", "Ready"));
    view.add(server("b", "n1", "Ready"));
    view.nodeDeleted("n1");
    view.update(server("a", "n1", "Unhealthy"));
    expect(view.counts.has("n1")).toBe(false);
    view.add(server("c", "n1", "Ready"));
    expect(view.counts.get("n1")).toMatchObject({ ready: 2, allocated: 0 });
  });

  test("an earlier version changes nothing", () => {
    const view = new NodeCounts();
    view.add(server("a", "n1", "Allocated", "10"));
    view.update(server("a", "n1", "Ready", "9"));
    expect(view.counts.get("n1")).toMatchObject({ ready: 0, allocated: 1 });
  });

  test("what is anticipated counts at once and can be taken back, but never brings back a server that is gone", () => {
    const view = new NodeCounts();
    view.add(server("a", "n1", "Ready", "9"));
    view.anticipate(server("a", "n1", "Allocated", "9"));
    expect(view.counts.get("n1")).toMatchObject({ ready: 0, allocated: 1 });
    view.anticipate(server("a", "n1", "Ready", "9"));
    expect(view.counts.get("n1")).toMatchObject({ ready: 1, allocated: 0 });
    view.delete(server("a", "n1", "Ready", "9"));
    view.anticipate(server("a", "n1", "Allocated", "10"));
    expect(view.counts.get("n1")).toMatchObject({ ready: 0, allocated: 0 });
  });

  test("after any events the counts are those of the servers that are left", () => {
    const event = fc.record({
      uid: fc.constantFrom("a", "b", "c", "d"),
      node: fc.constantFrom("", "n1", "n2"),
      state: fc.constantFrom<GameServerState>("Ready", "Allocated", "Shutdown"),
      gone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const view = new NodeCounts();
        const world = new Map<string, GameServer>();
        for (const { uid, node, state, gone } of events) {
          const gameServer = server(uid, node, state);
          if (gone) {
            world.delete(uid);
            view.delete(gameServer);
          } else {
            world.set(uid, gameServer);
            view.update(gameServer);
          }
        }
        for (const node of ["n1", "n2"]) {
          const on = [...world.values()].filter(({ status }) => status?.nodeName === node);
          const count = (state: string) => on.filter(({ status }) => status?.state === state).length;
          expect(view.counts.get(node) ?? { ready: 0, allocated: 0 }).toMatchObject({
            ready: count("Ready"),
            allocated: count("Allocated"),
          });
        }
      }),
    );
  });
});
