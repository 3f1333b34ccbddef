import { describe, expect, test } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { GameServerSelector } from "#api/allocation/gameserverallocation.ts";
import { statusError } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { type Fault, withFaults } from "#kube/fault-injection.ts";
import { type AllocationWorld, openAllocationWorld, requestOf, serverOf } from "#tests/world/allocation.ts";
import type { AllocationResult } from "./engine.ts";

const nameOf = (result: AllocationResult) =>
  result.state === "Allocated" ? result.gameServer.metadata.name : result.state;
const names = (count: number) => Array.from({ length: count }, (_, each) => `s-${String(each).padStart(3, "0")}`);

/** The first updates meet these faults, one each. */
const failing =
  (...faults: readonly Fault[]) =>
  (client: Client): Client => {
    const left = [...faults];
    return withFaults(client, ({ verb }) => (verb === "update" ? left.shift() : undefined));
  };

/** A cache that shows nothing new. */
const blind = (client: Client): Client => ({
  ...client,
  watch: async (type, options) => {
    const batches = await client.watch(type, options);
    return (async function* () {
      for await (const batch of batches) yield batch.slice(0, 0);
    })();
  },
});

/** What somebody else does to a server. */
async function change(world: AllocationWorld, name: string, status: object): Promise<void> {
  const server = await world.get(name);
  await world.api.client.update(GAMESERVERS, { ...server, status: { ...server.status, ...status } });
}

describe("two engines on one API", () => {
  test("never give one server to two callers, and all servers are given", async () => {
    const world = await openAllocationWorld();
    await world.make(...names(60).map((name) => serverOf(name)));
    const engines = [await world.engine(), await world.engine()];
    const results = await Promise.all(
      Array.from({ length: 80 }, (_, each) => engines[each % 2]?.allocate("default", requestOf())),
    );
    const given = results.flatMap((result) => (result?.state === "Allocated" ? [result.gameServer.metadata.name] : []));
    expect(given.toSorted()).toEqual(names(60));
    for (const result of results) expect(["Allocated", "UnAllocated", "Contention"]).toContain(result?.state);
  });

  test("an engine that lost the race takes the next candidate", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"), serverOf("b"));
    const engine = await world.engine(undefined, blind);
    await change(world, "a", { state: "Allocated" });
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("b");
  });

  test("says Contention when it lost the race and none is left, UnAllocated when there was none", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"));
    const engine = await world.engine(undefined, blind);
    await change(world, "a", { state: "Allocated" });
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("Contention");
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("UnAllocated");
    expect(nameOf(await engine.allocate("elsewhere", requestOf()))).toBe("UnAllocated");
  });

  test("a server that is known not to run is passed over, once that is known, whatever its state", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"), serverOf("b"));
    const { promise, resolve } = Promise.withResolvers<void>();
    const living = { heard: () => promise, isLiving: ({ metadata }: GameServer) => metadata.name === "b" };
    const engine = await world.engine(undefined, undefined, living);
    const given = engine.allocate("default", requestOf()).then(nameOf);
    expect(await Promise.race([given, world.settle().then(() => "waits")])).toBe("waits");
    resolve();
    expect(await given).toBe("b");
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("UnAllocated");
    await change(world, "a", { state: "Allocated" });
    await world.settle();
    const again = requestOf({ selectors: [{ gameServerState: "Allocated" }] });
    expect(nameOf(await engine.allocate("default", again))).toBe("b");
  });

  test("a server that is gone is passed over", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"), serverOf("b"));
    const engine = await world.engine(undefined, blind);
    const { metadata } = await world.get("a");
    await world.api.client.update(GAMESERVERS, {
      ...(await world.get("a")),
      metadata: { ...metadata, finalizers: [] },
    });
    await world.api.client.delete(GAMESERVERS, "default", "a");
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("b");
  });
});

describe("one Allocated server with room", () => {
  const selector = (gameServerState: string): GameServerSelector => ({
    matchLabels: { "agones.dev/fleet": "arena" },
    gameServerState,
    counters: { rooms: { minAvailable: 1n } },
  });
  const dense = requestOf({
    selectors: [selector("Allocated"), selector("Ready")],
    counters: { rooms: { action: "Increment", amount: 1n } },
  });
  const rooms = (capacity: bigint) => ({ counters: { rooms: { count: 0n, capacity } } });

  test("takes every one of many parallel requests, and a Ready one stays untouched", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("busy", { state: "Allocated", ...rooms(1_000_000n) }), serverOf("idle", rooms(10n)));
    const engine = await world.engine();
    const results = await Promise.all(Array.from({ length: 50 }, () => engine.allocate("default", dense)));
    expect(new Set(results.map(nameOf))).toEqual(new Set(["busy"]));
    expect((await world.get("busy")).status?.counters?.rooms?.count).toBe(50n);
    expect((await world.get("idle")).status?.state).toBe("Ready");
    const counts = results.map((each) => each.state === "Allocated" && each.gameServer.status?.counters?.rooms?.count);
    expect(new Set(counts).size).toBe(50);
  });

  test("also when its game and another engine keep changing it", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("busy", { state: "Allocated", ...rooms(1_000_000n) }), serverOf("idle", rooms(10n)));
    const engines = [await world.engine(), await world.engine()];
    let answered = 0;
    const requests = Array.from({ length: 40 }, (_, each) =>
      engines[each % 2]?.allocate("default", dense).finally(() => answered++),
    );
    while (answered < requests.length) {
      await change(world, "busy", { players: { count: BigInt(answered) } }).catch(() => {});
      await world.settle();
    }
    const results = await Promise.all(requests);
    expect(new Set(results.map((result) => result && nameOf(result)))).toEqual(new Set(["busy"]));
    expect((await world.get("busy")).status?.counters?.rooms?.count).toBe(40n);
  });

  test("that is full passes the next request on to a Ready one", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("busy", { state: "Allocated", ...rooms(3n) }), serverOf("idle", rooms(10n)));
    const engine = await world.engine();
    const results = await Promise.all(Array.from({ length: 5 }, () => engine.allocate("default", dense)));
    expect(results.map(nameOf)).toEqual(["busy", "busy", "busy", "idle", "idle"]);
  });
});

describe("a write that fails", () => {
  test("is an error to the caller, and the server is offered again once it is known to be as it was", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"));
    const engine = await world.engine(failing({ type: "refuse" }));
    await expect(engine.allocate("default", requestOf())).rejects.toMatchObject({
      code: "AllocationFailed",
      message: "could not update the selected GameServer",
    });
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("UnAllocated");
    await world.clock.advance(1000);
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("a");
  });

  test("whose answer was lost leaves the server taken: nobody else gets it", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"));
    const engine = await world.engine(failing({ type: "lose-answer" }), blind);
    await expect(engine.allocate("default", requestOf())).rejects.toMatchObject({ code: "AllocationFailed" });
    await world.clock.advance(10_000);
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("UnAllocated");
  });

  test("with a timeout of the API is an error, with its cause", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"));
    const timeout = statusError("Timeout", "too slow");
    const engine = await world.engine(failing({ type: "refuse", error: timeout }));
    await expect(engine.allocate("default", requestOf())).rejects.toMatchObject({ cause: timeout });
  });

  test("as a lost race is no error: the server is looked at and, if it still suits, tried again", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"));
    const engine = await world.engine(failing({ type: "conflict" }, { type: "conflict" }));
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("a");
  });
});

describe("a request", () => {
  test("that is a dry run is answered and takes nothing", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"));
    const engine = await world.engine();
    const before = await world.get("a");
    const result = await engine.allocate("default", requestOf(), { dryRun: true });
    expect(result).toMatchObject({ state: "Allocated", gameServer: { status: { state: "Allocated" } } });
    expect(await world.get("a")).toEqual(before);
    expect(world.recorder.events).toEqual([]);
  });

  test("whose caller has gone takes nothing", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"));
    const engine = await world.engine();
    const gone = AbortSignal.abort(new Error("gone"));
    await expect(engine.allocate("default", requestOf(), { signal: gone })).rejects.toThrow("gone");
    expect((await world.get("a")).status?.state).toBe("Ready");
  });

  test("gets the server as it was written, and events say what failed of its actions", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a", { counters: { rooms: { count: 1n, capacity: 5n } } }));
    const engine = await world.engine();
    const result = await engine.allocate(
      "default",
      requestOf({
        metadata: { labels: { mode: "duel" } },
        counters: { rooms: { action: "Increment", amount: 2n }, none: { capacity: 1n } },
        lists: { none: { addValues: ["x"] } },
      }),
    );
    expect(result).toEqual({ state: "Allocated", gameServer: await world.get("a") });
    expect((await world.get("a")).status?.counters).toEqual({ rooms: { count: 3n, capacity: 5n } });
    expect(world.recorder.events.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      "Normal Allocated",
      "Warning CounterActionError",
      "Warning ListActionError",
    ]);
  });

  test("finds a server by the state it has now: one just allocated, one given back", async () => {
    const world = await openAllocationWorld();
    await world.make(serverOf("a"));
    const engine = await world.engine();
    const again = requestOf({ selectors: [{ gameServerState: "Allocated" }] });
    expect(nameOf(await engine.allocate("default", again))).toBe("UnAllocated");
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("a");
    expect(nameOf(await engine.allocate("default", again))).toBe("a");
    await change(world, "a", { state: "Ready" });
    await world.settle();
    expect(nameOf(await engine.allocate("default", again))).toBe("UnAllocated");
    expect(nameOf(await engine.allocate("default", requestOf()))).toBe("a");
  });
});

describe("packing", () => {
  test("fills the node that has most matches, then the one with most servers: the fewest nodes", async () => {
    const world = await openAllocationWorld();
    const on = (node: string, count: number, from: number) =>
      names(60)
        .slice(from, from + count)
        .map((name) => serverOf(name, { nodeName: node }));
    // Names run across the nodes' order, so that a tie decided by name alone would spread.
    await world.make(...on("n3", 4, 0), ...on("n1", 4, 20), ...on("n2", 2, 40));
    const engine = await world.engine();
    const results = await Promise.all(Array.from({ length: 8 }, () => engine.allocate("default", requestOf())));
    const used = results.map((result) => result.state === "Allocated" && result.gameServer.status?.nodeName);
    expect(used).toEqual(["n3", "n3", "n3", "n3", "n1", "n1", "n1", "n1"]);
  });
});

describe("distribution", () => {
  test("gives every matching server the same chance", async () => {
    const world = await openAllocationWorld();
    await world.make(
      ...names(20).map((name, each) =>
        serverOf(name, { nodeName: each < 15 ? "n1" : "n2" }, { even: `${each % 2 === 0}` }),
      ),
    );
    const engine = await world.engine();
    const request = requestOf({ scheduling: "Distributed", selectors: [{ matchLabels: { even: "true" } }] });
    const drawn = new Map<string | undefined, number>();
    for (let each = 0; each < 4000; each++) {
      const name = nameOf(await engine.allocate("default", request, { dryRun: true }));
      drawn.set(name, (drawn.get(name) ?? 0) + 1);
    }
    expect(drawn.size).toBe(10);
    // 400 expected; five standard deviations are 95.
    for (const count of drawn.values()) expect(Math.abs(count - 400)).toBeLessThan(95);
  });
});
