import { expect, onTestFinished, test } from "vitest";
import { DISRUPTION_BUDGETS, NAMESPACES, SERVICE_ACCOUNTS } from "#api/core/resources.ts";
import { createClient } from "#kube/api-client.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { startTestServer } from "../apiserver/testing/test-server.ts";
import { createNamespaceObjects } from "./namespace-objects.ts";

async function startCluster() {
  const { handler, clock } = await startTestServer();
  const client = createClient(inProcessTransport(handler, { username: "sa", groups: ["system:masters"] }));
  const informers = {
    namespaces: createInformer(client, NAMESPACES, { clock, log }),
    serviceAccounts: createInformer(client, SERVICE_ACCOUNTS, { fieldSelector: "metadata.name=default", clock, log }),
    budgets: createInformer(client, DISRUPTION_BUDGETS, { clock, log }),
  };
  const controller = createNamespaceObjects({ client, informers, budgetFor, clock, log });
  const stop = new AbortController();
  const running = [...Object.values(informers), controller].map((runnable) => runnable.run(stop.signal));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  const accounts = async () =>
    (await client.list(SERVICE_ACCOUNTS)).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const budgets = async () =>
    (await client.list(DISRUPTION_BUDGETS)).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return { client, accounts, budgets };
}

const budgetFor = (namespace: string) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: BUDGET, namespace },
  spec: { maxUnavailable: "0%", selector: { matchLabels: { stays: "true" } } },
});
const BUDGET = "stays";

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

test("every namespace of games has its budget; what a person changed stays", async () => {
  const { client, budgets } = await startCluster();
  await expect.poll(budgets).toEqual([`default/${BUDGET}`]);
  await client.create(NAMESPACES, namespace("arena"));
  await expect.poll(budgets).toEqual([`arena/${BUDGET}`, `default/${BUDGET}`]);
  const made = await client.get(DISRUPTION_BUDGETS, "arena", BUDGET);
  expect(made.spec).toEqual(budgetFor("arena").spec);
  await client.update(DISRUPTION_BUDGETS, { ...made, spec: { ...made.spec, maxUnavailable: 1 } });
  await client.delete(DISRUPTION_BUDGETS, "default", BUDGET);
  await expect.poll(budgets).toContain(`default/${BUDGET}`);
  expect((await client.get(DISRUPTION_BUDGETS, "arena", BUDGET)).spec?.maxUnavailable).toBe(1);
});
