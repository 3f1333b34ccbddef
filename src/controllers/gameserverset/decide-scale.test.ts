import { describe, expect, test } from "vitest";
import { buildGameServer, buildSet } from "../fixtures.ts";
import { decideScale, type ScaleSnapshot } from "./decide-scale.ts";

const NOW = Date.UTC(2030, 0, 1, 12);
const unlimited = { maxCreations: 64, maxDeletions: 64, maxPending: 5000 };
const decide = (replicas: number, servers: ScaleSnapshot["servers"], more: Partial<ScaleSnapshot> = {}) => {
  const { remove, ...rest } = decideScale({
    set: buildSet("set", replicas),
    servers,
    nodes: new Map(),
    limits: unlimited,
    now: NOW,
    creationBudget: Number.POSITIVE_INFINITY,
    ...more,
  });
  return { ...rest, remove: remove.map(({ metadata }) => metadata.name) };
};
const erroredAt = (secondsAgo: number) => ({
  metadata: { annotations: { "agones.dev/errored-at": new Date(NOW - secondsAgo * 1000).toISOString() } },
});
const deleting = { metadata: { deletionTimestamp: "2030-01-01T11:59:59Z" } };

describe("a set is brought to its number", () => {
  test.each([
    { name: "an empty set is filled", replicas: 3, servers: [], want: { create: 3, remove: [] } },
    {
      name: "a full set is left alone",
      replicas: 1,
      servers: [buildGameServer("a", "Ready")],
      want: { create: 0, remove: [] },
    },
    {
      name: "Unhealthy servers go and are replaced in the same pass",
      replicas: 3,
      servers: [buildGameServer("a", "Ready"), buildGameServer("b", "Unhealthy"), buildGameServer("c", "Unhealthy")],
      want: { create: 2, remove: ["b", "c"] },
    },
    {
      name: "servers being deleted do not count",
      replicas: 2,
      servers: [
        buildGameServer("a", "Ready"),
        buildGameServer("b", "Shutdown"),
        buildGameServer("c", "Ready", deleting),
      ],
      want: { create: 1, remove: [] },
    },
    {
      name: "Allocated and Reserved servers count and stay, however many",
      replicas: 0,
      servers: [buildGameServer("a", "Allocated"), buildGameServer("b", "Reserved"), buildGameServer("c", "Ready")],
      want: { create: 0, remove: ["c"] },
    },
    {
      name: "a young Error holds its place, an old or unreadable one goes",
      replicas: 3,
      servers: [
        buildGameServer("a", "Error", erroredAt(29)),
        buildGameServer("b", "Error", erroredAt(30)),
        buildGameServer("c", "Error"),
      ],
      want: { create: 2, remove: ["b", "c"], recheckAfterMs: 1000 },
    },
    {
      name: "servers not Ready yet go before Ready ones",
      replicas: 1,
      servers: [buildGameServer("a", "Ready"), buildGameServer("b", "Starting")],
      want: { create: 0, remove: ["b"] },
    },
    {
      name: "a creation that was not answered counts, but is never chosen for removal",
      replicas: 1,
      servers: [buildGameServer("a", "Ready"), buildGameServer("b", undefined, { metadata: { uid: undefined } })],
      want: { create: 0, remove: ["a"] },
    },
  ])("$name", ({ replicas, servers, want }) => {
    expect(decide(replicas, servers)).toMatchObject(want);
  });

  test("batch limits cut the work short and say so", () => {
    const limits = { maxCreations: 2, maxDeletions: 1, maxPending: 5000 };
    expect(decide(5, [], { limits })).toEqual({ create: 2, remove: [], again: true });
    const ready = ["a", "b", "c"].map((name) => buildGameServer(name, "Ready"));
    expect(decide(1, ready, { limits })).toEqual({ create: 0, remove: ["a"], again: true });
  });

  test("no more servers are on their way than allowed; their own progress brings the set back", () => {
    const servers = [buildGameServer("a", "Starting"), buildGameServer("b", "Creating")];
    expect(decide(9, servers, { limits: { ...unlimited, maxPending: 3 } })).toEqual({
      create: 1,
      remove: [],
      again: false,
    });
    expect(decide(9, servers, { limits: { ...unlimited, maxPending: 1 } })).toEqual({
      create: 0,
      remove: [],
      again: false,
    });
  });

  test("a set being deleted makes nothing and still removes", () => {
    const set = buildSet("set", 3, undefined, deleting);
    expect(decide(3, [buildGameServer("a", "Unhealthy")], { set })).toMatchObject({ create: 0, remove: ["a"] });
  });

  test("a failing template is created only as its budget allows", () => {
    expect(decide(5, [], { creationBudget: 0 })).toEqual({ create: 0, remove: [], again: false });
    expect(decide(5, [], { creationBudget: 1 }).create).toBe(1);
  });
});
