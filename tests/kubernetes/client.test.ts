/** Our client's machinery on a real API server: lists, watches, writes, events, leases. */
import { randomUUID } from "node:crypto";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { EVENTS, LEASES, NAMESPACES } from "#api/core/resources.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { isConflict, isInvalid, isNotFound } from "#api/meta/status.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { createEventRecorder } from "#kube/event-recorder.ts";
import { kubeconfigAccess } from "#kube/kubeconfig.ts";
import { createLeaderElector } from "#kube/leader-election.ts";
import { listAll } from "#kube/list-all.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { httpsTransport } from "#kube/transport-https.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { gameServer } from "./agreement/objects.ts";

async function connect(): Promise<{ client: Client; namespace: string }> {
  const transport = httpsTransport(await kubeconfigAccess(inject("kubernetesKubeconfig"), { clock }));
  onTestFinished(() => transport.close());
  const client = createClient(transport);
  const namespace = `client-${randomUUID().slice(0, 8)}`;
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  return { client, namespace };
}

const server = (namespace: string, name: string): GameServer =>
  GAMESERVERS.decode(gameServer({ counters: { rounds: { capacity: 9007199254740993n } } }, { name, namespace }));

/** Runs it until the test ends. */
function running(runnable: Runnable): () => Promise<void> {
  const stop = new AbortController();
  const ended = runnable.run(stop.signal);
  const end = async () => {
    stop.abort();
    await ended;
  };
  onTestFinished(end);
  return end;
}

test("creates, reads, replaces, patches and deletes, with int64 exact all the way", async () => {
  const { client, namespace } = await connect();
  const made = await client.create(GAMESERVERS, server(namespace, "a"));
  expect(made.spec.counters?.rounds?.capacity).toBe(9007199254740993n);
  const read = await client.get(GAMESERVERS, namespace, "a");
  expect(read).toEqual(made);
  const labelled = { ...read, metadata: { ...read.metadata, labels: { team: "red" } } };
  const updated = await client.update(GAMESERVERS, labelled);
  await expect(client.update(GAMESERVERS, labelled)).rejects.toSatisfy(isConflict);
  const guard = {
    op: "test" as const,
    path: "/metadata/resourceVersion",
    value: String(read.metadata.resourceVersion),
  };
  await expect(client.patch(GAMESERVERS, namespace, "a", { type: "json", operations: [guard] })).rejects.toSatisfy(
    isInvalid,
  );
  const patched = await client.patch(GAMESERVERS, namespace, "a", {
    type: "merge",
    patch: { status: { state: "Ready" }, metadata: { finalizers: null } },
  });
  expect(patched.status?.state).toBe("Ready");
  await expect(client.delete(GAMESERVERS, namespace, "a", { preconditions: { uid: "another" } })).rejects.toSatisfy(
    isConflict,
  );
  await client.delete(GAMESERVERS, namespace, "a", {
    propagationPolicy: "Background",
    preconditions: { uid: updated.metadata.uid },
  });
  await expect(client.get(GAMESERVERS, namespace, "a")).rejects.toSatisfy(isNotFound);
});

test("writes status beside the rest", async () => {
  const { client, namespace } = await connect();
  const template = { spec: gameServer().spec } as unknown as Fleet["spec"]["template"];
  const fleet = await client.create(FLEETS, {
    apiVersion: "agones.dev/v1",
    kind: "Fleet",
    metadata: { name: "f", namespace },
    spec: { replicas: 2, template },
  } as Fleet);
  const status = { replicas: 2, readyReplicas: 1, reservedReplicas: 0, allocatedReplicas: 0 } as Fleet["status"];
  const written = await client.updateStatus(FLEETS, { ...fleet, status });
  expect(written.status).toMatchObject({ readyReplicas: 1 });
  expect(written.metadata.generation).toBe(1);
});

test("reads long lists in pages that show one version", async () => {
  const { client, namespace } = await connect();
  const names = Array.from({ length: 7 }, (_, position) => `s-${position}`);
  for (const name of names) await client.create(GAMESERVERS, server(namespace, name));
  const first = await client.list(GAMESERVERS, { namespace, limit: 3 });
  expect(first.metadata.continue).toBeTruthy();
  const all = await listAll(client, GAMESERVERS, { namespace, limit: 3 });
  expect(all.items.map(({ metadata }) => metadata.name)).toEqual(names);
  const some = await listAll(client, GAMESERVERS, { namespace, fieldSelector: "metadata.name=s-4" });
  expect(some.items).toHaveLength(1);
});

test("an informer follows what happens, from what is there", async () => {
  const { client, namespace } = await connect();
  await client.create(GAMESERVERS, server(namespace, "before"));
  const seen: string[] = [];
  const informer = createInformer(client, GAMESERVERS, { namespace, freeze: true, clock, log });
  informer.addHandler({
    add: ({ metadata }) => seen.push(`add ${metadata.name}`),
    update: ({ metadata }) => seen.push(`update ${metadata.name}`),
    delete: ({ metadata }) => seen.push(`delete ${metadata.name}`),
  });
  running(informer);
  await informer.ready();
  expect(seen).toEqual(["add before"]);
  await client.create(GAMESERVERS, server(namespace, "after"));
  const patch: JsonObject = { metadata: { finalizers: null } };
  await client.patch(GAMESERVERS, namespace, "after", { type: "merge", patch });
  await client.delete(GAMESERVERS, namespace, "after");
  await vi.waitFor(() => expect(seen).toEqual(["add before", "add after", "update after", "delete after"]));
  expect(informer.lister.list().map(({ metadata }) => metadata.name)).toEqual(["before"]);
});

test("events are written, and the same again is counted", async () => {
  const { client, namespace } = await connect();
  const about = await client.create(GAMESERVERS, server(namespace, "a"));
  const recorder = createEventRecorder(client, { component: "test", clock, log });
  running(recorder);
  for (let times = 0; times < 3; times++) recorder.event(about, "Warning", "Looked", "somebody looked");
  await vi.waitFor(async () => {
    const { items } = await client.list(EVENTS, { namespace });
    expect(items).toMatchObject([{ reason: "Looked", count: 3, involvedObject: { kind: "GameServer", name: "a" } }]);
  });
});

test("one of two candidates leads, and the other when it has gone", async () => {
  const { client, namespace } = await connect();
  const candidate = (identity: string) =>
    createLeaderElector(client, {
      namespace,
      name: "lock",
      identity,
      retryMs: 100,
      renewDeadlineMs: 5_000,
      clock,
      log,
    });
  const [one, two] = [candidate("one"), candidate("two")];
  const leave = running(one);
  await one.ready?.();
  running(two);
  expect((await client.get(LEASES, namespace, "lock")).spec?.holderIdentity).toBe("one");
  await leave();
  await two.ready?.();
  expect((await client.get(LEASES, namespace, "lock")).spec).toMatchObject({ holderIdentity: "two" });
});
