import { describe, expect, test } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeingDeleted } from "#api/agones/predicates.ts";
import { buildGameServer } from "../fixtures.ts";
import { InFlight } from "./in-flight.ts";

const names = (servers: readonly { metadata: { name?: string } }[]) => servers.map(({ metadata }) => metadata.name);
const server = buildGameServer("a", "Ready");
const version = (resourceVersion: string) => buildGameServer("a", "Ready", { metadata: { resourceVersion } });

describe("a creation in flight", () => {
  test("counts until the cache shows the server, and not after it came and went", () => {
    const inFlight = new InFlight();
    inFlight.creating(server, 0);
    expect(names(inFlight.overlay([], 0))).toEqual(["a"]);
    expect(names(inFlight.overlay([server], 0))).toEqual(["a"]);
    inFlight.created(server, 0);
    expect(names(inFlight.overlay([server], 0))).toEqual(["a"]);
    expect(names(inFlight.overlay([], 0))).toEqual([]);
  });

  test("counts beside an earlier server of its name, which the cache shows still, and shows to go", () => {
    const deletionTimestamp = "2030-01-01T00:00:00Z";
    const earlier = buildGameServer("a", "Ready", { metadata: { uid: "1", resourceVersion: "5", deletionTimestamp } });
    const made = buildGameServer("a", "Creating", { metadata: { uid: "2", resourceVersion: "8" } });
    const inFlight = new InFlight();
    const uids = (...cached: GameServer[]) => inFlight.overlay(cached, 0).map(({ metadata }) => metadata.uid);
    inFlight.creating(made, 0);
    expect(uids(earlier)).toEqual(["2"]);
    inFlight.created(made, 0);
    expect(uids(earlier)).toEqual(["2"]);
    inFlight.gone(earlier);
    expect(uids()).toEqual(["2"]);
    expect(uids(made)).toEqual(["2"]);
    expect(uids()).toEqual([]);
  });

  test("whose server is gone before the answer arrives is not remembered again by the answer", () => {
    const inFlight = new InFlight();
    inFlight.creating(server, 0);
    inFlight.gone(server);
    inFlight.created(server, 0);
    expect(inFlight.overlay([], 0)).toEqual([]);
  });

  test("that certainly failed does not count", () => {
    const inFlight = new InFlight();
    inFlight.creating(server, 0);
    inFlight.notCreated("a");
    expect(inFlight.overlay([], 0)).toEqual([]);
  });

  test("is doubtful until it is answered, and again when its server is not seen for ten seconds", () => {
    const inFlight = new InFlight();
    expect(inFlight.recheckAfter(0)).toBeUndefined();
    inFlight.creating(server, 0);
    expect(inFlight.doubtfulCreations(0)).toEqual(["a"]);
    inFlight.created(server, 100);
    expect(inFlight.doubtfulCreations(10_099)).toEqual([]);
    expect(inFlight.recheckAfter(4_100)).toBe(6_000);
    expect(inFlight.doubtfulCreations(10_100)).toEqual(["a"]);
    inFlight.created(server, 10_100);
    expect(inFlight.doubtfulCreations(10_101)).toEqual([]);
  });
});

describe("a removal in flight", () => {
  const isLeaving = (inFlight: InFlight, cached = server) => inFlight.overlay([cached], 0).every(isBeingDeleted);

  test("shows as being deleted, in a copy", () => {
    const inFlight = new InFlight();
    inFlight.removing(server);
    expect(inFlight.overlay([server], Date.UTC(2030, 0, 1))[0]?.metadata.deletionTimestamp).toBe(
      "2030-01-01T00:00:00Z",
    );
    expect(server.metadata.deletionTimestamp).toBeUndefined();
  });

  test("counts until the cache shows a later version, which speaks for itself", () => {
    const inFlight = new InFlight();
    inFlight.removing(version("9"));
    expect(isLeaving(inFlight, version("9"))).toBe(true);
    expect(isLeaving(inFlight, version("10"))).toBe(false);
    expect(isLeaving(inFlight, version("9"))).toBe(false);
  });

  test("is doubtful until it is answered", () => {
    const inFlight = new InFlight();
    inFlight.removing(server);
    expect(names(inFlight.doubtfulRemovals())).toEqual(["a"]);
    inFlight.removed(server);
    expect(inFlight.doubtfulRemovals()).toEqual([]);
    expect(isLeaving(inFlight)).toBe(true);
  });

  test("that was refused does not count", () => {
    const inFlight = new InFlight();
    inFlight.removing(server);
    inFlight.notRemoved(server);
    expect(isLeaving(inFlight)).toBe(false);
  });

  test("hides a server whose creation the cache has not shown either", () => {
    const inFlight = new InFlight();
    inFlight.creating(server, 0);
    inFlight.removing(server);
    expect(inFlight.overlay([], 0).map(isBeingDeleted)).toEqual([true]);
  });

  test("does not touch a later server of the same name", () => {
    const inFlight = new InFlight();
    inFlight.removing(server);
    expect(isLeaving(inFlight, buildGameServer("a", "Ready", { metadata: { uid: "other" } }))).toBe(false);
  });
});
