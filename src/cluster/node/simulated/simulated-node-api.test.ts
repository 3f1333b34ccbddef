/** A node and the API server it is made for: what one writes is what the other keeps. */
import { expect, onTestFinished, test } from "vitest";
import { NAMESPACES, NODES, PODS } from "#api/core/resources.ts";
import { createClient } from "#kube/api-client.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { silentLogger } from "#runtime/logger.ts";
import { startTestServer } from "../../apiserver/testing/test-server.ts";
import { container, podOf } from "../testing/worker-harness.ts";
import { createSimulatedNode } from "./simulated-node.ts";

async function startNode(options: { stopMs?: number } = {}) {
  const { handler, clock } = await startTestServer();
  const client = createClient(inProcessTransport(handler, { username: "node", groups: ["system:masters"] }));
  const node = createSimulatedNode({ client, nodeName: "n1", clock, log: silentLogger, ...options });
  const abort = new AbortController();
  const done = node.run(abort.signal);
  onTestFinished(async () => {
    abort.abort();
    await done;
  });
  await node.ready();
  const settle = async (ms = 0) => {
    for (let turn = 0; turn < 40; turn++) await clock.advance(turn === 20 ? ms : 0);
  };
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } });
  await settle();
  return { node, client, settle };
}
const spec = {
  nodeName: "n1",
  restartPolicy: "Never",
  initContainers: [container("sdk", { restartPolicy: "Always" })],
} as const;

test("a pod runs, is written no more often than it changes, and ends in its grace period", async () => {
  const { node, client, settle } = await startNode({ stopMs: 2_000 });
  const { metadata } = await client.create(PODS, podOf(spec));
  await settle();
  const running = await client.get(PODS, "ns", "a");
  expect(running.status).toMatchObject({ phase: "Running", containerStatuses: [{ ready: true }], podIP: "10.0.0.1" });
  await settle(30_000);
  expect((await client.get(PODS, "ns", "a")).metadata.resourceVersion).toBe(running.metadata.resourceVersion);
  await client.delete(PODS, "ns", "a");
  await settle();
  expect((await client.get(PODS, "ns", "a")).metadata).toMatchObject({
    uid: metadata.uid,
    deletionGracePeriodSeconds: 30,
  });
  expect(node.running).toBe(2);
  await settle(2_000);
  await settle(2_000);
  await expect(client.get(PODS, "ns", "a")).rejects.toMatchObject({ code: "NotFound" });
  expect(node.running).toBe(0);
});

test("a crash shows as the pod's failure", async () => {
  const { node, client, settle } = await startNode();
  await client.create(PODS, podOf(spec));
  await settle();
  node.crash("ns/a");
  await settle();
  expect((await client.get(PODS, "ns", "a")).status).toMatchObject({
    phase: "Failed",
    containerStatuses: [{ state: { terminated: { exitCode: 139, reason: "Error" } } }],
    initContainerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
  });
});

test("the node is listed with what it offers", async () => {
  const { client } = await startNode();
  expect((await client.get(NODES, "", "n1")).status).toMatchObject({ allocatable: { pods: "10000" } });
});
