import { describe, expect, onTestFinished, test } from "vitest";
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, NODES, SECRETS } from "#api/core/resources.ts";
import type { KubeObject, OwnerReference } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { isNotFound } from "#api/meta/status.ts";
import { createClient } from "#kube/api-client.ts";
import { type FaultPlan, withFaults } from "#kube/fault-injection.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { startTestServer } from "../apiserver/testing/test-server.ts";
import { createGarbageCollector } from "./garbage-collector.ts";

const WIDGETS: ResourceType<KubeObject> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
  decode: (json) => json as unknown as KubeObject,
};

async function startCluster(plan: FaultPlan = () => undefined) {
  const server = await startTestServer();
  const { clock } = server;
  const client = createClient(inProcessTransport(server.handler, { username: "gc", groups: ["system:masters"] }));
  const collector = createGarbageCollector({ client: withFaults(client, plan), clock, log });
  const stop = new AbortController();
  const running = collector.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const pass = async (ms = 1_000) => {
    for (let each = 0; each < 10; each++) await clock.advance(ms / 10);
  };
  await pass();
  const add = (name: string, owners: readonly OwnerReference[] = [], more: Partial<KubeObject["metadata"]> = {}) =>
    client.create(CONFIG_MAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default", ownerReferences: owners, ...more },
    });
  const find = (name: string, namespace = "default") =>
    client.get(CONFIG_MAPS, namespace, name).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
  const remove = (name: string, propagationPolicy?: "Background" | "Foreground" | "Orphan") =>
    client.delete(CONFIG_MAPS, "default", name, { propagationPolicy });
  const names = async () => (await client.list(CONFIG_MAPS)).items.map(({ metadata }) => metadata.name).sort();
  return { client, clock, pass, add, find, remove, names };
}

const ownedBy = ({ apiVersion, kind, metadata }: KubeObject, blockOwnerDeletion = true): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
  blockOwnerDeletion,
});

describe("the garbage collector", () => {
  test("deletes what a deleted owner leaves behind, generation by generation, and nothing else", async () => {
    const { add, remove, pass, names } = await startCluster();
    const fleet = await add("fleet");
    const set = await add("set", [ownedBy(fleet)]);
    await add("server", [ownedBy(set)]);
    await add("other");
    await pass();
    expect(await names()).toEqual(["fleet", "other", "server", "set"]);
    await remove("fleet");
    await pass();
    expect(await names()).toEqual(["other"]);
  });

  test("collects what was left behind before it could see anything", async () => {
    let blind = true;
    const { add, remove, pass, names } = await startCluster(({ verb }) =>
      verb === "raw" && blind ? { type: "refuse" } : undefined,
    );
    const owner = await add("owner");
    await add("left", [ownedBy(owner)]);
    await remove("owner");
    await pass();
    expect(await names()).toEqual(["left"]);
    blind = false;
    await pass(40_000);
    expect(await names()).toEqual([]);
  });

  test("an owner made anew under the same name is another owner", async () => {
    const { add, remove, pass, names } = await startCluster();
    const first = await add("owner");
    await remove("owner");
    await add("owner");
    await add("dependent", [ownedBy(first)]);
    await pass();
    expect(await names()).toEqual(["owner"]);
  });

  test("one owner that is left keeps an object, which forgets the others", async () => {
    const { add, remove, pass, find } = await startCluster();
    const [a, b] = [await add("a"), await add("b")];
    await add("dependent", [ownedBy(a), ownedBy(b)]);
    await pass();
    await remove("a");
    await pass();
    expect((await find("dependent"))?.metadata.ownerReferences).toEqual([ownedBy(b)]);
  });

  test("Orphan keeps the dependents, without their owner", async () => {
    const { add, remove, pass, names, find } = await startCluster();
    const owner = await add("owner");
    await add("dependent", [ownedBy(owner)]);
    await pass();
    await remove("owner", "Orphan");
    await pass();
    expect(await names()).toEqual(["dependent"]);
    expect((await find("dependent"))?.metadata.ownerReferences ?? []).toEqual([]);
  });

  test("Foreground keeps the owner until the last dependent is gone that blocks it", async () => {
    const { add, remove, pass, names, find, client } = await startCluster();
    const owner = await add("owner");
    await add("blocking", [ownedBy(owner)], { finalizers: ["example.com/busy"] });
    await add("loose", [ownedBy(owner, false)], { finalizers: ["example.com/busy"] });
    await pass();
    await remove("owner", "Foreground");
    await pass();
    expect(await names()).toEqual(["blocking", "loose", "owner"]);
    expect((await find("blocking"))?.metadata.deletionTimestamp).toBeDefined();
    expect((await find("loose"))?.metadata.deletionTimestamp).toBeDefined();
    await client.patch(CONFIG_MAPS, "default", "blocking", {
      type: "merge",
      patch: { metadata: { finalizers: null } },
    });
    await pass();
    expect(await names()).toEqual(["loose"]);
  });

  test("never deletes because its cache has not seen an owner", async () => {
    const blind = Promise.withResolvers<void>();
    const { client, add, pass, names } = await startCluster(({ verb, resource }) =>
      verb === "list" && resource === "secrets" ? { type: "delay", until: blind.promise } : undefined,
    );
    const owner = await client.create(SECRETS, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "owner", namespace: "default" },
    });
    await add("dependent", [ownedBy({ ...owner, apiVersion: "v1", kind: "Secret" })]);
    await pass(120_000);
    expect(await names()).toEqual(["dependent"]);
    await client.delete(SECRETS, "default", "owner");
    await pass(60_000);
    expect(await names()).toEqual([]);
    blind.resolve();
  });

  test("deletes nothing on a guess: not for an owner of a kind that is not served, nor for one it cannot resolve", async () => {
    const { client, add, pass, names } = await startCluster();
    await add("strange", [{ apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: "gone" }]);
    await client.create(NODES, {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "nowhere", uid: "gone" }],
      },
    });
    await pass(120_000);
    expect(await names()).toEqual(["strange"]);
    expect((await client.list(NODES)).items).toHaveLength(1);
  });

  test("an owner of another namespace counts as absent", async () => {
    const { add, pass, names } = await startCluster();
    const owner = await add("owner");
    await add("far", [ownedBy(owner)], { namespace: "kube-public" });
    await pass();
    expect(await names()).toEqual(["owner"]);
  });

  test("follows kinds that are defined later", async () => {
    const { client, add, pass, names } = await startCluster();
    const schema = { openAPIV3Schema: { type: "object" } };
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    } as never);
    await pass();
    const widget = await client.create(WIDGETS, {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w", namespace: "default" },
    });
    await add("dependent", [ownedBy(widget)]);
    await pass();
    expect(await names()).toEqual(["dependent"]);
    await client.delete(WIDGETS, "default", "w");
    await pass();
    expect(await names()).toEqual([]);
  });
});
