import { expect, onTestFinished, test } from "vitest";
import { NAMESPACES, SERVICE_ACCOUNTS } from "#api/core/resources.ts";
import { createClient } from "#kube/api-client.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { startTestServer } from "../apiserver/testing/test-server.ts";
import { createServiceAccountController } from "./service-account-controller.ts";

async function startCluster() {
  const { handler, clock } = await startTestServer();
  const client = createClient(inProcessTransport(handler, { username: "sa", groups: ["system:masters"] }));
  const informers = {
    namespaces: createInformer(client, NAMESPACES, { clock, log }),
    serviceAccounts: createInformer(client, SERVICE_ACCOUNTS, { fieldSelector: "metadata.name=default", clock, log }),
  };
  const controller = createServiceAccountController({ client, informers, clock, log });
  const stop = new AbortController();
  const running = [...Object.values(informers), controller].map((runnable) => runnable.run(stop.signal));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  const accounts = async () =>
    (await client.list(SERVICE_ACCOUNTS)).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return { client, accounts };
}

const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

test("every namespace has a default account, those of the system and each new one", async () => {
  const { client, accounts } = await startCluster();
  const system = ["default", "kube-node-lease", "kube-public", "kube-system"].map((name) => `${name}/default`);
  await expect.poll(accounts).toEqual(system);
  await client.create(NAMESPACES, namespace("arena"));
  await expect.poll(accounts).toEqual(["arena/default", ...system]);
});

test("a deleted account comes again, but not in a namespace that goes", async () => {
  const { client, accounts } = await startCluster();
  await client.create(NAMESPACES, namespace("arena"));
  await expect.poll(accounts).toContain("arena/default");
  const { uid } = (await client.get(SERVICE_ACCOUNTS, "arena", "default")).metadata;
  await client.delete(SERVICE_ACCOUNTS, "arena", "default");
  const uidNow = async () => (await client.get(SERVICE_ACCOUNTS, "arena", "default")).metadata.uid;
  await expect.poll(() => uidNow().catch(() => uid)).not.toBe(uid);

  await client.delete(NAMESPACES, "", "arena");
  await client.delete(SERVICE_ACCOUNTS, "arena", "default");
  await client.create(NAMESPACES, namespace("later"));
  await expect.poll(accounts).toContain("later/default");
  expect(await accounts()).not.toContain("arena/default");
});
