/** What two do at once to one server. */
import { expect, test } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { statusError } from "#api/meta/status.ts";
import { withFaults } from "#kube/fault-injection.ts";
import { GameServerRig } from "#tests/gameserver/rig.ts";

test("a server's Pod may change while a write of the server is under way: no write is made twice", async () => {
  const updates: string[] = [];
  const rig = await GameServerRig.open({
    disturb: (client, clock) =>
      withFaults(client, ({ verb, resource }) => {
        if (verb !== "update") return undefined;
        updates.push(resource);
        return { type: "delay", until: clock.sleep(50) };
      }),
  });
  await rig.create();
  // The write of Starting is under way.
  await rig.clock.advance(10);
  expect(updates).toHaveLength(1);
  await rig.bind();
  await rig.run();
  await rig.clock.advance(200);
  await rig.setState("RequestReady");
  await rig.clock.advance(200);
  expect([await rig.state(), updates.length]).toEqual(["Ready", 3]);
});

test("the end of a server takes nothing that has come to have its name, or its Pod's, just before", async () => {
  let replaced = 0;
  const rig = await GameServerRig.open({
    disturb: (client) => ({
      ...client,
      delete: async (type, namespace, name, options) => {
        if (replaced++ < 2) {
          const object = await client.get(type, namespace, name);
          const { uid: _, resourceVersion: __, deletionTimestamp: ___, ...metadata } = object.metadata;
          await client.update(type, { ...object, metadata: { ...object.metadata, finalizers: [] } });
          await client.delete(type, namespace, name, { gracePeriodSeconds: 0 });
          await client.create(type, {
            ...object,
            status: undefined,
            metadata: { ...metadata, labels: { next: "yes" }, ownerReferences: [] },
          });
        }
        return client.delete(type, namespace, name, options);
      },
    }),
  });
  await rig.ready();
  await rig.ready({}, { name: "other" });
  await rig.deleteServer();
  await rig.setState("Shutdown", "other");
  await rig.clock.advance(5000);
  for (const object of [await rig.findPod(), await rig.find("other")]) {
    expect(object?.metadata.labels).toEqual({ next: "yes" });
    expect(object?.metadata).not.toHaveProperty("deletionTimestamp");
  }
});

test("a game that asks for Ready again, while the cache still shows that it asked before, becomes Ready again", async () => {
  let gap: PromiseWithResolvers<void> | undefined;
  let readied = 0;
  const rig = await GameServerRig.open({
    disturb: (client) => ({
      ...client,
      update: (type, object) => {
        if ((object as unknown as GameServer).status?.state === "Ready" && ++readied === 1)
          gap = Promise.withResolvers();
        return client.update(type, object);
      },
      watch: async (type, options) => {
        const batches = await client.watch(type, options);
        return (async function* () {
          for await (const batch of batches) {
            const lost = type.plural === GAMESERVERS.plural ? gap : undefined;
            await lost?.promise;
            // The events in between are gone: only a list tells what is there now.
            if (lost) throw statusError("Expired", "too old resource version");
            yield batch;
          }
        })();
      },
    }),
  });
  await rig.ready();
  expect([await rig.state(), readied]).toEqual(["Ready", 1]);
  await rig.setState("RequestReady");
  gap?.resolve();
  gap = undefined;
  await rig.clock.advance(60_000);
  expect([await rig.state(), readied]).toEqual(["Ready", 2]);
});
