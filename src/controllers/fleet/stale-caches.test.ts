/** A fleet whose controller sees late what others made: what it does not know yet must not be harmed, nor counted as absent. */
import { expect, onTestFinished, test } from "vitest";
import { gameServerFromSet, gameServerSetFromFleet } from "#api/agones/children.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import type { Client } from "#kube/client.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { runGroups } from "#runtime/runnable.ts";
import { changeObject, fleetOf, templateOf } from "#tests/world/changes.ts";
import { type EmbeddedTestApi, gates, openTestApi } from "#tests/world/embedded-api.ts";
import { createControllerInformers } from "../informers.ts";
import { createFleetController } from "./controller.ts";

/** Watches of these resources show nothing until they are told to. */
function withheld(client: Client, plurals: readonly string[]) {
  const hidden = new Map(plurals.map((plural) => [plural, Promise.withResolvers<void>()]));
  const held: Client = {
    ...client,
    watch: async (type, options) => {
      const batches = await client.watch(type, options);
      return (async function* () {
        for await (const batch of batches) {
          await hidden.get(type.plural)?.promise;
          yield batch;
        }
      })();
    },
  };
  return { client: held, show: (plural: string): void => hidden.get(plural)?.resolve() };
}

/** A fleet controller alone, that sees the objects of these resources late. */
async function fleetController(...plurals: readonly string[]) {
  const clock = new FakeClock();
  const api = await openTestApi({ clock, random: () => 0.5 });
  const { client, show } = withheld(api.client, plurals);
  const informers = createControllerInformers(client, { clock, log });
  const controller = createFleetController({
    client,
    informers,
    gates,
    recorder: new FakeEventRecorder(),
    clock,
    log,
    workers: 1,
  });
  const stop = new AbortController();
  const running = runGroups([Object.values(informers), [controller]], stop.signal, log);
  onTestFinished(async () => {
    plurals.forEach(show);
    stop.abort();
    await clock.advance(10);
    await running;
    await api.close();
  });
  await clock.advance(10);
  const sets = async (): Promise<Readonly<Record<string, number>>> => {
    const { items } = await api.client.list(GAMESERVERSETS);
    return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec.replicas]));
  };
  return { api, clock, show, sets };
}

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
  const status = { ...set.status, replicas, readyReplicas: replicas, shutdownReplicas: 0 };
  await api.client.updateStatus(GAMESERVERSETS, { ...set, status });
};

test("a set that says it is empty stays while it owns a server that the cache does not show", async () => {
  const { api, clock, sets } = await fleetController(GAMESERVERS.plural);
  const fleet = await createFleet(api, 0);
  await update(api);
  const old = await createSet(api, fleet, "arena-old", 0);
  const server = await api.client.create(GAMESERVERS, gameServerFromSet(old, "arena-old-1"));
  await tells(api, "arena-old", 0);
  await clock.advance(30_000);
  expect(await sets()).toHaveProperty("arena-old", 0);

  const { metadata } = await api.client.get(GAMESERVERS, "default", server.metadata.name ?? "");
  await api.client.update(GAMESERVERS, { ...server, metadata: { ...metadata, finalizers: [] } });
  await api.client.delete(GAMESERVERS, "default", server.metadata.name ?? "");
  await changeObject(api.client, GAMESERVERSETS, "arena-old", (set) => ({
    ...set,
    metadata: { ...set.metadata, labels: { ...set.metadata.labels, again: "yes" } },
  }));
  await clock.advance(30_000);
  expect(await sets()).not.toHaveProperty("arena-old");
});

test("a new version gets no more servers than the surge beside an old set that the cache does not show", async () => {
  const { api, clock, show, sets } = await fleetController(FLEETS.plural, GAMESERVERSETS.plural);
  // Another leader made the set just before it lost the lease.
  await createSet(api, await createFleet(api, 8), "arena-old", 8);
  await update(api);
  show(FLEETS.plural);
  await clock.advance(30_000);
  expect(await sets()).toEqual({ "arena-old": 8 });

  await tells(api, "arena-old", 8);
  show(GAMESERVERSETS.plural);
  await clock.advance(30_000);
  const { "arena-old": old, ...others } = await sets();
  expect([old, Object.values(others)]).toEqual([6, [2]]);
});
