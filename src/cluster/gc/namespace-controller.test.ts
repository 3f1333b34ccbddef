import { expect, onTestFinished, test } from "vitest";
import { CONFIG_MAPS, NAMESPACES, PODS, SECRETS } from "#api/core/resources.ts";
import { isNotFound } from "#api/meta/status.ts";
import { createClient } from "#kube/api-client.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { startTestServer } from "../apiserver/testing/test-server.ts";
import { createNamespaceController } from "./namespace-controller.ts";

async function startCluster() {
  const { handler, clock } = await startTestServer();
  const client = createClient(inProcessTransport(handler, { username: "ns", groups: ["system:masters"] }));
  const namespaces = createInformer(client, NAMESPACES, { clock, log });
  const controller = createNamespaceController({ client, informers: { namespaces }, clock, log });
  const stop = new AbortController();
  const running = [namespaces.run(stop.signal), controller.run(stop.signal)];
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  await namespaces.ready();
  const pass = async (ms = 3_000) => {
    for (let each = 0; each < 10; each++) await clock.advance(ms / 10);
  };
  for (const name of ["doomed", "other"])
    await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  for (const namespace of ["doomed", "other"]) {
    const metadata = { name: "x", namespace };
    await client.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
    await client.create(SECRETS, { apiVersion: "v1", kind: "Secret", metadata });
  }
  const exists = (name: string) =>
    client.get(NAMESPACES, "", name).then(
      () => true,
      (error: unknown) => !isNotFound(error),
    );
  return { client, pass, exists };
}

test("a deleted namespace goes with all that is in it, and no other is touched", async () => {
  const { client, pass, exists } = await startCluster();
  await client.delete(NAMESPACES, "", "doomed");
  expect(await exists("doomed")).toBe(true);
  await pass();
  expect(await exists("doomed")).toBe(false);
  const left = (await client.list(CONFIG_MAPS)).items.map(({ metadata }) => metadata.namespace);
  expect(left).toEqual(["other"]);
  expect((await client.list(SECRETS)).items.map(({ metadata }) => metadata.namespace)).toEqual(["other"]);
});

test("a namespace stays while something in it needs time to end", async () => {
  const { client, pass, exists } = await startCluster();
  await client.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "doomed" },
    spec: { nodeName: "n", containers: [{ name: "game", image: "game" }] },
  });
  await client.delete(NAMESPACES, "", "doomed");
  await pass();
  expect(await exists("doomed")).toBe(true);
  expect((await client.get(PODS, "doomed", "p")).metadata.deletionTimestamp).toBeDefined();
  await client.delete(PODS, "doomed", "p", { gracePeriodSeconds: 0 });
  await pass();
  expect(await exists("doomed")).toBe(false);
});
