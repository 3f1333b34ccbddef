import { describe, expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import { buildFleet, buildGameServer, buildSet } from "./fixtures.ts";
import { decideStatus as decideFleetStatus } from "./fleet/decide-status.ts";
import { decideStatus as decideSetStatus } from "./gameserverset/decide-status.ts";

const MOST = 2n ** 63n - 1n;
const spec = {
  ...buildFleet(0).spec.template.spec,
  counters: { rooms: { count: 1n, capacity: 2n } },
  lists: { players: { capacity: 3n } },
};
const zero = { count: 0n, capacity: 0n, allocatedCount: 0n, allocatedCapacity: 0n };
const all = featureGates({ PlayerTracking: true });
const none = featureGates({ CountsAndLists: false });
const set = buildSet("set", 3, undefined, { spec: { template: { spec } } });
const fleet = buildFleet(3, { spec: { template: { spec } } });

describe("the status of a set", () => {
  test("counts every server once, by whether it goes, and by its state", () => {
    const servers = [
      buildGameServer("a", "Ready"),
      buildGameServer("b", "Reserved"),
      buildGameServer("c", "Allocated"),
      buildGameServer("d", "Unhealthy"),
      buildGameServer("e", "Error"),
      buildGameServer("f", "Shutdown"),
      buildGameServer("g", "Allocated", { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }),
    ];
    expect(decideSetStatus(set, servers, none)).toEqual({
      replicas: 5,
      readyReplicas: 1,
      reservedReplicas: 1,
      allocatedReplicas: 1,
      shutdownReplicas: 2,
    });
  });

  test("has every counter and list of its template at zero, and those that only a server has", () => {
    expect(decideSetStatus(set, [], all)).toMatchObject({ counters: { rooms: zero }, lists: { players: zero } });
    const odd = buildGameServer("a", "Ready", {
      status: { state: "Ready", counters: { waves: { count: 4n, capacity: 5n } } },
    });
    expect(decideSetStatus(set, [odd], all).counters).toEqual({
      rooms: zero,
      waves: { ...zero, count: 4n, capacity: 5n },
    });
  });

  test("sums stop at the largest number there is; a list counts its values, also twice the same", () => {
    const status = {
      counters: { rooms: { count: MOST, capacity: MOST } },
      lists: { players: { capacity: 3n, values: ["x", "x"] } },
    };
    const servers = (["Allocated", "Starting"] as const).map((state) =>
      buildGameServer(state, state, { status: { ...status, state } }),
    );
    expect(decideSetStatus(set, servers, all)).toMatchObject({
      counters: { rooms: { count: MOST, capacity: MOST, allocatedCount: MOST, allocatedCapacity: MOST } },
      lists: { players: { count: 4n, capacity: 6n, allocatedCount: 2n, allocatedCapacity: 3n } },
    });
  });

  test("players of servers that are Ready or in use are added up, as far as a number goes", () => {
    const playing = (name: string, state: "Ready" | "Allocated" | "Starting", count: bigint) =>
      buildGameServer(name, state, { status: { state, players: { count, capacity: 10n } } });
    const servers = [playing("a", "Ready", 0n), playing("b", "Allocated", 7n), playing("c", "Starting", 99n)];
    expect(decideSetStatus(set, servers, all).players).toEqual({ count: 7n, capacity: 20n });
    const full = [playing("a", "Allocated", MOST), playing("b", "Allocated", MOST)];
    expect(decideSetStatus(set, full, all).players?.count).toBe(MOST);
    expect(decideSetStatus(set, servers, featureGates()).players).toBeUndefined();
  });
});

describe("the status of a fleet", () => {
  test("has the counters and lists of its template before any set has told of them, and not without the gate", () => {
    expect(decideFleetStatus(fleet, [], all)).toMatchObject({ counters: { rooms: zero }, lists: { players: zero } });
    expect(decideFleetStatus(fleet, [], none)).toEqual({
      replicas: 0,
      readyReplicas: 0,
      reservedReplicas: 0,
      allocatedReplicas: 0,
    });
  });

  test("adds up its sets, old and new", () => {
    const told = {
      replicas: 2,
      readyReplicas: 1,
      allocatedReplicas: 1,
      reservedReplicas: 0,
      counters: { rooms: { ...zero, count: MOST } },
      players: { count: 3n, capacity: 4n },
    };
    expect(
      decideFleetStatus(fleet, [buildSet("a", 2, told), buildSet("b", 2, told), buildSet("c", 2)], all),
    ).toMatchObject({
      replicas: 4,
      readyReplicas: 2,
      allocatedReplicas: 2,
      counters: { rooms: { count: MOST } },
      players: { count: 6n, capacity: 8n },
    });
  });
});
