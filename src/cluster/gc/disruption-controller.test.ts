import { expect, onTestFinished, test } from "vitest";
import { DISRUPTION_BUDGETS, PODS } from "#api/core/resources.ts";
import { createClient } from "#kube/api-client.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { startTestServer } from "../apiserver/testing/test-server.ts";
import { createDisruptionController } from "./disruption-controller.ts";

async function startCluster() {
  const { handler, clock } = await startTestServer();
  const client = createClient(inProcessTransport(handler, { username: "pdb", groups: ["system:masters"] }));
  const informers = {
    pods: createInformer(client, PODS, { clock, log }),
    budgets: createInformer(client, DISRUPTION_BUDGETS, { clock, log }),
  };
  const controller = createDisruptionController({ client, informers, clock, log });
  const stop = new AbortController();
  const running = [...Object.values(informers), controller].map((runnable) => runnable.run(stop.signal));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  const addPod = async (name: string, app = "x") => {
    const metadata = { name, namespace: "default", labels: { app } };
    const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
    await client.create(PODS, { apiVersion: "v1", kind: "Pod", metadata, spec });
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    await client.patch(PODS, "default", name, { type: "merge", patch: { status } }, "status");
  };
  await client.create(DISRUPTION_BUDGETS, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "most", namespace: "default" },
    spec: { minAvailable: "50%", selector: { matchLabels: { app: "x" } } },
  });
  const status = async () => {
    await clock.advance(1_000);
    return (await client.get(DISRUPTION_BUDGETS, "default", "most")).status;
  };
  const evict = (name: string) =>
    client.raw("POST", `/api/v1/namespaces/default/pods/${name}/eviction`, { metadata: { name } });
  return { client, clock, addPod, status, evict };
}

test("a budget's status follows its pods, and no others", async () => {
  const { client, addPod, status } = await startCluster();
  const none = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, observedGeneration: 1 };
  await expect.poll(status).toEqual(none);
  for (const name of ["a", "b", "c"]) await addPod(name);
  await addPod("other", "y");
  const three = { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 };
  await expect.poll(status).toMatchObject(three);
  await client.delete(PODS, "default", "a", { gracePeriodSeconds: 0 });
  await expect.poll(status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });
  const patch = { spec: { minAvailable: 0 } };
  await client.patch(DISRUPTION_BUDGETS, "default", "most", { type: "merge", patch });
  await expect.poll(status).toMatchObject({ disruptionsAllowed: 2, observedGeneration: 2 });
});

test("an eviction is remembered until the pod's deletion is seen, and gives room again when the pod is gone", async () => {
  const { client, addPod, status, evict } = await startCluster();
  for (const name of ["a", "b", "c", "d"]) await addPod(name);
  await expect.poll(status).toMatchObject({ disruptionsAllowed: 2 });
  await evict("a");
  await expect.poll(status).toEqual({
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 4,
    observedGeneration: 1,
  });
  await client.delete(PODS, "default", "a", { gracePeriodSeconds: 0 });
  await addPod("e");
  await expect.poll(status).toMatchObject({ disruptionsAllowed: 2, currentHealthy: 4, expectedPods: 4 });
});

test("an eviction that did not happen counts for two minutes", async () => {
  const { client, clock, addPod, status } = await startCluster();
  for (const name of ["a", "b"]) await addPod(name);
  await expect.poll(status).toMatchObject({ disruptionsAllowed: 1 });
  const disruptedPods = { a: new Date(clock.now()).toISOString() };
  const granted = await client.get(DISRUPTION_BUDGETS, "default", "most");
  const before = granted.status as NonNullable<typeof granted.status>;
  await client.updateStatus(DISRUPTION_BUDGETS, { ...granted, status: { ...before, disruptedPods } });
  await expect.poll(status).toMatchObject({ disruptionsAllowed: 0, disruptedPods });
  await clock.advance(125_000);
  await expect.poll(status).toEqual(before);
});
