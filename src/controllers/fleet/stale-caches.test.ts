/** A fleet whose controller sees late what others made: what it does not know yet must not be harmed, nor counted as absent. */
import { expect, test } from "vitest";
import { gameServerFromSet, gameServerSetFromFleet } from "#api/agones/children.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { changeObject, fleetOf, templateOf } from "#tests/world/changes.ts";
import { type EmbeddedTestApi, gates } from "#tests/world/embedded-api.ts";
import { blindTo, withLateCache } from "#tests/world/late-cache.ts";
import { createFleetController } from "./controller.ts";

const setsOf = async ({ client }: EmbeddedTestApi): Promise<Readonly<Record<string, number>>> => {
  const { items } = await client.list(GAMESERVERSETS);
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec.replicas]));
};
const createFleet = (api: EmbeddedTestApi, replicas: number): Promise<Fleet> =>
  api.client.create(FLEETS, fleetOf("arena", replicas));
const createSet = (api: EmbeddedTestApi, fleet: Fleet, name: string, replicas: number): Promise<GameServerSet> =>
  api.client.create(GAMESERVERSETS, gameServerSetFromFleet(fleet, { name, replicas, gates }));
const update = (api: EmbeddedTestApi): Promise<void> =>
  changeObject(api.client, FLEETS, "arena", (fleet) => ({
    ...fleet,
    spec: { ...fleet.spec, template: templateOf("2") },
  }));
const tells = async (api: EmbeddedTestApi, name: string, replicas: number): Promise<void> => {
  const set = await api.client.get(GAMESERVERSETS, "default", name);
  const available = {
    type: "Available",
    status: "True" as const,
    reason: "AllReady",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    observedGeneration: set.metadata.generation,
  };
  const status = {
    ...set.status,
    replicas,
    readyReplicas: replicas,
    shutdownReplicas: 0,
    conditions: [available],
  };
  await api.client.updateStatus(GAMESERVERSETS, { ...set, status });
};

test("a set that says it is empty stays while it owns a server that the cache does not show", async () => {
  const { api, clock, hide } = await withLateCache(createFleetController);
  hide(GAMESERVERS.plural);
  const fleet = await createFleet(api, 0);
  await update(api);
  const old = await createSet(api, fleet, "arena-old", 0);
  const server = await api.client.create(GAMESERVERS, gameServerFromSet(old, "arena-old-1"));
  await tells(api, "arena-old", 0);
  await clock.advance(30_000);
  expect(await setsOf(api)).toHaveProperty("arena-old", 0);

  const { metadata } = await api.client.get(GAMESERVERS, "default", server.metadata.name ?? "");
  await api.client.update(GAMESERVERS, { ...server, metadata: { ...metadata, finalizers: [] } });
  await api.client.delete(GAMESERVERS, "default", server.metadata.name ?? "");
  // Without a word of it: the cache never shows the server.
  await clock.advance(30_000);
  expect(await setsOf(api)).not.toHaveProperty("arena-old");
});

test("a new version gets no more servers than the surge beside an old set that the cache does not show", async () => {
  const { api, clock, hide, show } = await withLateCache(createFleetController);
  for (const { plural } of [FLEETS, GAMESERVERSETS]) hide(plural);
  // Another leader made the set just before it lost the lease.
  await createSet(api, await createFleet(api, 8), "arena-old", 8);
  await update(api);
  show(FLEETS.plural);
  await clock.advance(30_000);
  expect(await setsOf(api)).toEqual({ "arena-old": 8 });

  await tells(api, "arena-old", 8);
  show(GAMESERVERSETS.plural);
  await clock.advance(30_000);
  const { "arena-old": old, ...others } = await setsOf(api);
  expect([old, Object.values(others)]).toEqual([6, [2]]);
});

test("a number written to a set before the cache showed it is not forgotten when the cache shows what the set was before", async () => {
  const { api, clock, hide, show } = await withLateCache(createFleetController);
  hide(GAMESERVERSETS.plural);
  await createFleet(api, 0);
  await clock.advance(1000);
  await changeObject(api.client, FLEETS, "arena", (fleet) => ({ ...fleet, spec: { ...fleet.spec, replicas: 2 } }));
  await clock.advance(1000);
  const [old = ""] = Object.keys(await setsOf(api));
  expect(await setsOf(api)).toEqual({ [old]: 2 });

  // The set as it was made, and no more.
  show(GAMESERVERSETS.plural);
  hide(GAMESERVERSETS.plural);
  await clock.advance(1000);
  await update(api);
  await clock.advance(100);
  // One as surge beside the two; and the two, which serve nobody yet, make room.
  const { [old]: left, ...others } = await setsOf(api);
  expect([left, Object.values(others)]).toEqual([0, [1]]);
});

test("what the cache shows while a set is asked for counts, not what it showed before", async () => {
  let asked = Promise.resolve();
  const { api, clock, hide, show } = await withLateCache(createFleetController, (client) => ({
    ...client,
    get: (...args) => asked.then(() => client.get(...args)),
  }));
  await createFleet(api, 0);
  await clock.advance(1000);
  const [old = ""] = Object.keys(await setsOf(api));
  await tells(api, old, 0);
  await clock.advance(1000);
  hide(GAMESERVERSETS.plural);
  await changeObject(api.client, FLEETS, "arena", (fleet) => ({ ...fleet, spec: { ...fleet.spec, replicas: 2 } }));
  await clock.advance(1000);
  const asksForTwo = await api.client.get(GAMESERVERSETS, "default", old);
  await api.client.create(GAMESERVERS, gameServerFromSet(asksForTwo, `${old}-1`));
  await update(api);
  await clock.advance(1000);
  const [made = ""] = Object.keys(await setsOf(api)).filter((name) => name !== old);
  // The old set has not said yet what it has now: the new one waits.
  expect(await setsOf(api)).toEqual({ [old]: 2, [made]: 0 });

  const { promise, resolve } = Promise.withResolvers<void>();
  asked = promise;
  await changeObject(api.client, FLEETS, "arena", (fleet) => ({
    ...fleet,
    metadata: { ...fleet.metadata, labels: { again: "yes" } },
  }));
  await clock.advance(1000);
  show(GAMESERVERSETS.plural);
  await clock.advance(1000);
  resolve();
  await clock.advance(1000);
  // Nor was it asked for some in between.
  expect((await api.client.get(GAMESERVERSETS, "default", made)).metadata.generation).toBe(1);
});

test("a set that goes before the cache ever showed it is made again", async () => {
  const { api, clock } = await withLateCache(createFleetController, blindTo(GAMESERVERSETS.plural));
  await createFleet(api, 2);
  await clock.advance(1000);
  const [made = ""] = Object.keys(await setsOf(api));
  await api.client.delete(GAMESERVERSETS, "default", made);
  expect(await setsOf(api)).toEqual({});
  await clock.advance(5000);
  expect(Object.values(await setsOf(api))).toEqual([2]);
});
