import { describe, expect, onTestFinished, test } from "vitest";
import type { Node } from "#api/core/node.ts";
import { LEASES, NODES, PODS } from "#api/core/resources.ts";
import { createClient } from "#kube/api-client.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { startTestServer } from "../apiserver/testing/test-server.ts";
import { createNodeLifecycle } from "./node-lifecycle.ts";
import { createPodCollector } from "./pod-collector.ts";

async function startCluster() {
  const { handler, clock } = await startTestServer();
  const client = createClient(inProcessTransport(handler, { username: "nodes", groups: ["system:masters"] }));
  const informers = {
    pods: createInformer(client, PODS, { clock, log }),
    nodes: createInformer(client, NODES, { clock, log }),
    leases: createInformer(client, LEASES, { namespace: "kube-node-lease", clock, log }),
  };
  const stop = new AbortController();
  const running = Object.values(informers).map((informer) => informer.run(stop.signal));
  await Promise.all(Object.values(informers).map((informer) => informer.ready()));
  for (const runnable of [
    createNodeLifecycle({ client, informers, clock, log }),
    createPodCollector({ client, informers, clock, log }),
  ])
    running.push(runnable.run(stop.signal));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  const lease = async () => {
    const spec = { holderIdentity: "a", renewTime: new Date(clock.now()).toISOString().replace("Z", "000Z") };
    const object = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "a", namespace: "kube-node-lease" },
      spec,
    };
    const { resourceVersion } =
      (await client.get(LEASES, "kube-node-lease", "a").catch(() => undefined))?.metadata ?? {};
    if (resourceVersion) await client.update(LEASES, { ...object, metadata: { ...object.metadata, resourceVersion } });
    else await client.create(LEASES, object);
  };
  const addNode = async (status: "True" | "False" = "True") => {
    const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "a" } };
    const created = await client.create(NODES, node);
    const conditions = [{ type: "Ready", status, reason: "Said" }];
    await client.updateStatus(NODES, { ...created, status: { conditions } });
  };
  const addPod = (name: string, nodeName?: string) =>
    client.create(PODS, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: { nodeName, containers: [{ name: "game", image: "game" }] },
    });
  const pass = async (seconds: number, beat?: () => Promise<void>) => {
    for (let each = 0; each < seconds; each += 5) {
      await beat?.();
      await clock.advance(5_000);
    }
  };
  const nodeNow = async () => {
    const { spec, status } = await client.get(NODES, "", "a");
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    return { ready: `${ready?.status} ${ready?.reason}`, taints: (spec?.taints ?? []).map(({ key }) => key) };
  };
  return { client, clock, addNode, addPod, lease, pass, nodeNow };
}

describe("a node", () => {
  test("stays ready while its agent renews its lease", async () => {
    const { addNode, lease, pass, nodeNow } = await startCluster();
    await addNode();
    await pass(300, lease);
    expect(await nodeNow()).toEqual({ ready: "True Said", taints: [] });
  });

  test("is unknown and takes no new pods after 40 s of silence, and is ready again when heard", async () => {
    const { addNode, addPod, client, lease, pass, nodeNow } = await startCluster();
    await addNode();
    await addPod("p", "a");
    await lease();
    await pass(35);
    expect(await nodeNow()).toEqual({ ready: "True Said", taints: [] });
    await pass(20);
    const taints = ["node.kubernetes.io/unreachable"];
    expect(await nodeNow()).toEqual({ ready: "Unknown NodeStatusUnknown", taints });
    await pass(600);
    expect((await client.get(PODS, "default", "p")).metadata.deletionTimestamp).toBeUndefined();
    await pass(15, lease);
    expect(await nodeNow()).toEqual({ ready: "True KubeletReady", taints: [] });
  });

  test("that says of itself that it is not ready is believed", async () => {
    const { addNode, lease, pass, nodeNow } = await startCluster();
    await addNode("False");
    await pass(60, lease);
    expect(await nodeNow()).toEqual({ ready: "False Said", taints: [] });
  });
});

describe("a pod", () => {
  test("whose node is gone is deleted after a while, others are not", async () => {
    const { addNode, addPod, client, lease, pass } = await startCluster();
    await addNode();
    await addPod("here", "a");
    await addPod("lost", "b");
    await addPod("nowhere");
    await pass(30, lease);
    const names = async () => (await client.list(PODS)).items.map(({ metadata }) => metadata.name);
    expect(await names()).toEqual(["here", "lost", "nowhere"]);
    await pass(60, lease);
    expect(await names()).toEqual(["here", "nowhere"]);
  });

  test("keeps running when its node comes back in time", async () => {
    const { addNode, addPod, client, lease, pass } = await startCluster();
    await addPod("p", "a");
    await pass(30);
    await addNode();
    await pass(120, lease);
    expect(await client.get(PODS, "default", "p")).toMatchObject({ status: { phase: "Pending" } });
  });
});
