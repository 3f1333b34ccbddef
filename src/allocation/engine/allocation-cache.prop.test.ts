import fc from "fast-check";
import { expect, test } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isNewerVersion } from "#api/meta/resource-version.ts";
import { serverOf } from "#tests/world/allocation.ts";
import { AllocationCache } from "./allocation-cache.ts";

const uid = fc.constantFrom("a", "b", "c");
const state = fc.constantFrom("Ready" as const, "Allocated" as const, "Shutdown" as const);
/** What a watch may show, late and out of order, and what commits do meanwhile. */
const event = fc.oneof(
  fc.record({ type: fc.constant("see" as const), uid, state, age: fc.nat({ max: 3 }) }),
  fc.record({ type: fc.constantFrom("delete" as const, "claim" as const, "lose" as const, "confirm" as const), uid }),
  fc.record({ type: fc.constantFrom("refresh" as const, "win" as const), uid, state }),
);

/** The servers a request could get, each with its version. */
const offered = ({ index }: AllocationCache): readonly GameServer[] =>
  (["Ready", "Allocated"] as const).flatMap((each) =>
    index.buckets("default", each, undefined).flatMap(({ all }) => all),
  );

test("what is offered is never claimed, never doubtful, there once, and in the newest version seen", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const cache = new AllocationCache();
      const newest = new Map<string, GameServer>();
      const claimed = new Map<string, GameServer>();
      const doubtful = new Set<string>();
      let version = 100;
      const serverAt = (uid: string, state: GameServer["status"] & {}, resourceVersion: number): GameServer => {
        const server = serverOf(uid, state);
        return { ...server, metadata: { ...server.metadata, uid, resourceVersion: `${resourceVersion}` } };
      };
      const seen = (server: GameServer): void => {
        const { uid = "" } = server.metadata;
        const known = newest.get(uid);
        if (known && !isNewerVersion(server, known)) return;
        newest.set(uid, server);
        doubtful.delete(uid);
      };

      for (const event of events) {
        const { uid } = event;
        const known = newest.get(uid);
        const taken = claimed.get(uid);
        if (event.type === "see") {
          version += 2;
          const server = serverAt(uid, { state: event.state }, version - 3 * event.age);
          // A watch never shows a server again that it showed to be gone.
          if (!known && event.age > 0) continue;
          cache.update(server);
          seen(server);
        } else if (event.type === "delete" && known) {
          cache.delete(known);
          for (const memory of [newest, claimed]) memory.delete(uid);
          doubtful.delete(uid);
        } else if (event.type === "claim" && offered(cache).some(({ metadata }) => metadata.uid === uid) && known) {
          cache.claim(known, { ...known, status: { ...known.status, state: "Allocated" } });
          claimed.set(uid, known);
        } else if ((event.type === "win" || event.type === "refresh") && taken) {
          version += 2;
          const there = serverAt(uid, { state: event.type === "win" ? "Allocated" : event.state }, version);
          cache.release(taken, there);
          claimed.delete(uid);
          seen(there);
        } else if (event.type === "lose" && taken) {
          cache.release(taken, undefined);
          claimed.delete(uid);
          if (known === taken) doubtful.add(uid);
        } else if (event.type === "confirm" && known) {
          cache.confirm(known);
          doubtful.delete(uid);
        }
        const expected = [...newest.values()].filter(
          ({ metadata, status }) =>
            !claimed.has(metadata.uid ?? "") && !doubtful.has(metadata.uid ?? "") && status?.state !== "Shutdown",
        );
        const names = (servers: readonly GameServer[]) =>
          servers.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).sort();
        expect(names(offered(cache))).toEqual(names(expected));
        expect(cache.pending("default")).toHaveLength(claimed.size);
      }
    }),
    { numRuns: 500 },
  );
});

test("who waits for a claimed server goes on when it is released, or gone", async () => {
  const cache = new AllocationCache();
  const server = { ...serverOf("a"), metadata: { ...serverOf("a").metadata, uid: "a", resourceVersion: "1" } };
  cache.add(server);
  await cache.nextRelease("default");
  for (const end of [() => cache.release(server, server), () => cache.delete(server)]) {
    cache.claim(server, server);
    let waiting = true;
    const released = cache.nextRelease("default").then(() => {
      waiting = false;
    });
    await Promise.resolve();
    expect(waiting).toBe(true);
    end();
    await released;
    expect(waiting).toBe(false);
  }
});
