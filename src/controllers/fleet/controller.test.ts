import { expect, test } from "vitest";
import { gameServerSetFromFleet } from "#api/agones/children.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import { FLEETS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { changeObject, fleetOf } from "#tests/world/changes.ts";
import { gates } from "#tests/world/embedded-api.ts";
import { type LateCache, withLateCache } from "#tests/world/late-cache.ts";
import { createFleetController } from "./controller.ts";

const sets = async ({ api }: LateCache): Promise<readonly GameServerSet[]> =>
  (await api.client.list(GAMESERVERSETS)).items;
const change = ({ api }: LateCache, to: (fleet: Fleet) => Fleet): Promise<void> =>
  changeObject(api.client, FLEETS, "arena", to);

test("a fleet that is being deleted makes nothing any more", async () => {
  const cache = await withLateCache(createFleetController);
  await cache.api.client.create(FLEETS, fleetOf("arena", 3));
  await change(cache, (fleet) => ({ ...fleet, metadata: { ...fleet.metadata, finalizers: ["studio/keep"] } }));
  await cache.clock.advance(1000);
  const [made] = await sets(cache);
  await cache.api.client.delete(FLEETS, "default", "arena");
  await cache.api.client.delete(GAMESERVERSETS, "default", made?.metadata.name ?? "");
  await cache.clock.advance(30_000);
  expect(await sets(cache)).toEqual([]);
});

test("priorities that change reach the set that is there", async () => {
  const cache = await withLateCache(createFleetController);
  await cache.api.client.create(FLEETS, fleetOf("arena", 3));
  await cache.clock.advance(1000);
  const priorities = [{ type: "Counter", key: "rooms", order: "Descending" }] as const;
  await change(cache, (fleet) => ({ ...fleet, spec: { ...fleet.spec, priorities } }));
  await cache.clock.advance(1000);
  expect((await sets(cache)).map(({ spec }) => spec.priorities)).toEqual([priorities]);
});

test("a set that a fleet owns under the name of another is left alone", async () => {
  const cache = await withLateCache(createFleetController);
  const fleet = await cache.api.client.create(FLEETS, fleetOf("arena", 3));
  const { metadata, ...set } = gameServerSetFromFleet(fleet, { name: "lent", replicas: 2, gates });
  const labels = { ...metadata.labels, "agones.dev/fleet": "another" };
  await cache.api.client.create(GAMESERVERSETS, { ...set, metadata: { ...metadata, labels } });
  await cache.clock.advance(1000);
  const numbers = (await sets(cache)).map(({ metadata, spec }) => [
    metadata.labels?.["agones.dev/fleet"],
    spec.replicas,
  ]);
  expect(numbers.toSorted()).toEqual([
    ["another", 2],
    ["arena", 3],
  ]);
});
