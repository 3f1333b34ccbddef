/** A set whose controller sees late what others did, or whose requests are lost: it takes nobody's match, and makes no server too many. */
import { expect, test } from "vitest";
import type { GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { statusError } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { withFaults } from "#kube/fault-injection.ts";
import { TransportError } from "#kube/transport.ts";
import { changeObject, templateOf } from "#tests/world/changes.ts";
import { type LateCache, withLateCache } from "#tests/world/late-cache.ts";
import { createGameServerSetController } from "./controller.ts";

const createSet = ({ api }: LateCache, replicas: number): Promise<GameServerSet> =>
  api.client.create(GAMESERVERSETS, {
    apiVersion: "agones.dev/v1",
    kind: "GameServerSet",
    metadata: { name: "arena", namespace: "default" },
    spec: { replicas, template: templateOf("1") },
  });
async function withSet(replicas: number, disturb?: (client: Client) => Client): Promise<LateCache> {
  const cache = await withLateCache(createGameServerSetController, disturb);
  await createSet(cache, replicas);
  await cache.clock.advance(1000);
  return cache;
}
const servers = async ({ api }: LateCache): Promise<readonly GameServer[]> =>
  (await api.client.list(GAMESERVERS)).items;
const states = async (cache: LateCache): Promise<readonly unknown[]> =>
  (await servers(cache)).map(({ status }) => status?.state).sort();
const become = ({ api }: LateCache, { metadata }: GameServer, state: GameServerState): Promise<void> =>
  changeObject(api.client, GAMESERVERS, metadata.name ?? "", (server) => ({
    ...server,
    status: { ...server.status, state },
  }));

test("a match that began after the cache's last word is not taken away with the servers that are too many", async () => {
  const cache = await withSet(3);
  for (const server of await servers(cache)) await become(cache, server, "Ready");
  await cache.clock.advance(1000);
  cache.hide(GAMESERVERS.plural);
  const [match] = await servers(cache);
  if (match) await become(cache, match, "Allocated");
  await changeObject(cache.api.client, GAMESERVERSETS, "arena", (set) => ({
    ...set,
    spec: { ...set.spec, replicas: 0 },
  }));
  await cache.clock.advance(30_000);
  expect(await states(cache)).toEqual(["Allocated", "Shutdown", "Shutdown"]);
});

test("a creation that was given up and arrives later makes no second server", async () => {
  const arrival = Promise.withResolvers<void>();
  let late: Promise<unknown> | undefined;
  const cache = await withSet(1, (client) => ({
    ...client,
    create: async (type, object) => {
      if (late) return client.create(type, object);
      late = arrival.promise.then(() => client.create(type, object)).catch(() => {});
      throw new TransportError("the connection broke");
    },
  }));
  await cache.clock.advance(5000);
  expect(await servers(cache)).toHaveLength(1);
  arrival.resolve();
  await late;
  await cache.clock.advance(1000);
  expect(await servers(cache)).toHaveLength(1);
});

test("a set of which some servers cannot be made says how many it has", async () => {
  let made = 0;
  const error = statusError("InternalError", "etcdserver: request timed out");
  const cache = await withSet(5, (client) =>
    withFaults(client, ({ verb, resource }) =>
      verb === "create" && resource === "gameservers" && ++made > 2 ? { type: "refuse", error } : undefined,
    ),
  );
  await cache.clock.advance(30_000);
  expect(await servers(cache)).toHaveLength(2);
  const { status } = await cache.api.client.get(GAMESERVERSETS, "default", "arena");
  expect(status?.replicas).toBe(2);
});

test("a large set is made batch by batch, though the cache shows none of its servers", async () => {
  const cache = await withLateCache(createGameServerSetController);
  cache.hide(GAMESERVERS.plural);
  await createSet(cache, 70);
  await cache.clock.advance(1000);
  expect(await servers(cache)).toHaveLength(70);
});

test("a set of the name of one that is gone begins anew, without the pauses of the other", async () => {
  const error = statusError("Forbidden", "exceeded quota: games");
  let refuses = true;
  const cache = await withSet(2, (client) =>
    withFaults(client, ({ verb }) => (verb === "create" && refuses ? { type: "refuse", error } : undefined)),
  );
  await cache.clock.advance(30_000);
  refuses = false;
  await cache.api.client.delete(GAMESERVERSETS, "default", "arena");
  await createSet(cache, 2);
  await cache.clock.advance(200);
  expect(await servers(cache)).toHaveLength(2);
});
