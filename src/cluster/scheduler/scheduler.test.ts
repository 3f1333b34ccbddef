import { describe, expect, onTestFinished, test } from "vitest";
import type { Node } from "#api/core/node.ts";
import type { Pod } from "#api/core/pod.ts";
import { NODES, PODS } from "#api/core/resources.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { type FaultPlan, withFaults } from "#kube/fault-injection.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { TransportError } from "#kube/transport.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { startTestServer } from "../apiserver/testing/test-server.ts";
import { createScheduler } from "./scheduler.ts";

const node = (name: string, pods = 10): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "kubernetes.io/hostname": name } },
  status: { capacity: { cpu: "4", pods: String(pods) }, allocatable: { cpu: "4", pods: String(pods) } },
});
const pod = (name: string, port?: number, spec: Partial<Pod["spec"]> = {}): Pod => {
  const ports = port === undefined ? [] : [{ containerPort: port, hostPort: port, protocol: "UDP" as const }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { containers: [{ name: "game", image: "game", ports }], ...spec },
  };
};

async function startCluster(plan: FaultPlan = () => undefined, wrap = (client: Client): Client => client) {
  const server = await startTestServer();
  const { clock } = server;
  const user = { username: "system:kube-scheduler", groups: ["system:masters"] };
  const client = createClient(inProcessTransport(server.handler, user));
  const faulty = wrap(withFaults(client, plan));
  const informers = {
    pods: createInformer(faulty, PODS, { clock, log, freeze: true }),
    nodes: createInformer(faulty, NODES, { clock, log, freeze: true }),
  };
  const recorder = new FakeEventRecorder();
  const scheduler = createScheduler({ client: faulty, informers, recorder, clock, log });
  const stop = new AbortController();
  const running = [informers.pods, informers.nodes].map((informer) => informer.run(stop.signal));
  await Promise.all([informers.pods.ready(), informers.nodes.ready()]);
  running.push(scheduler.run(stop.signal));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  return {
    client,
    clock,
    recorder,
    addNode: (name: string, pods?: number) => client.create(NODES, node(name, pods)),
    nodeOf: async (name: string) => (await client.get(PODS, "default", name)).spec.nodeName,
    conditionOf: async (name: string) =>
      (await client.get(PODS, "default", name)).status?.conditions?.find(({ type }) => type === "PodScheduled"),
    /** Lets everything happen that falls due within `ms`. */
    pass: async (ms = 100) => {
      for (let each = 0; each < 5; each++) await clock.advance(ms / 5);
    },
  };
}

describe("the scheduler", () => {
  test("binds a pod and says so", async () => {
    const { client, pass, addNode, nodeOf, conditionOf, recorder } = await startCluster();
    await addNode("a");
    await client.create(PODS, pod("p", 7000));
    await pass();
    expect(await nodeOf("p")).toBe("a");
    expect(await conditionOf("p")).toMatchObject({ status: "True" });
    expect(recorder.events).toEqual([
      { key: "default/p", type: "Normal", reason: "Scheduled", message: "Successfully assigned default/p to a" },
    ]);
  });

  test("tells why it cannot, once, and binds as soon as something is freed", async () => {
    const { client, pass, addNode, nodeOf, conditionOf, recorder } = await startCluster();
    await addNode("a");
    await client.create(PODS, pod("first", 7000));
    await pass();
    await client.create(PODS, pod("second", 7000));
    await pass(200_000);
    const message = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
    expect(await conditionOf("second")).toMatchObject({ status: "False", reason: "Unschedulable", message });
    expect(recorder.events.filter(({ reason }) => reason === "FailedScheduling")).toEqual([
      { key: "default/second", type: "Warning", reason: "FailedScheduling", message },
    ]);
    await client.delete(PODS, "default", "first", { gracePeriodSeconds: 0 });
    await pass();
    expect(await nodeOf("second")).toBe("a");
    expect(await conditionOf("second")).toMatchObject({ status: "True" });
  });

  test("uses a node as soon as there is one, and not while it is cordoned", async () => {
    const { client, pass, nodeOf, conditionOf } = await startCluster();
    await client.create(PODS, pod("p"));
    await pass();
    expect(await conditionOf("p")).toBeUndefined();
    await pass(10_000);
    expect(await conditionOf("p")).toMatchObject({ message: "no nodes available to schedule pods" });
    const created = await client.create(NODES, { ...node("a"), spec: { unschedulable: true } });
    await pass();
    expect(await conditionOf("p")).toMatchObject({
      message: "0/1 nodes are available: 1 node(s) were unschedulable.",
    });
    await client.patch(NODES, "", created.metadata.name ?? "", {
      type: "merge",
      patch: { spec: { unschedulable: null } },
    });
    await pass();
    expect(await nodeOf("p")).toBe("a");
  });

  test("leaves pods of other schedulers, assigned, gated and deleted ones alone", async () => {
    const { client, pass, addNode, nodeOf, recorder } = await startCluster();
    await addNode("a");
    await client.create(PODS, pod("other", 7000, { schedulerName: "mine" }));
    await client.create(PODS, pod("assigned", 7000, { nodeName: "elsewhere" }));
    await pass();
    expect(await nodeOf("other")).toBeUndefined();
    expect(await nodeOf("assigned")).toBe("elsewhere");
    expect(recorder.events).toEqual([]);
  });

  test("counts what it has bound before its cache shows it", async () => {
    const { client, pass, addNode, nodeOf } = await startCluster();
    await addNode("a");
    await addNode("b");
    const names = Array.from({ length: 6 }, (_, at) => `p${at}`);
    await Promise.all(names.map((name) => client.create(PODS, pod(name, 7000))));
    await pass();
    const nodes = await Promise.all(names.map(nodeOf));
    expect(nodes.filter((name) => name !== undefined).sort()).toEqual(["a", "b"]);
  });

  test("starts from what is bound already", async () => {
    const first = await startCluster();
    await first.addNode("a");
    await first.client.create(PODS, pod("old", 7000, { nodeName: "a" }));
    await first.client.create(PODS, pod("new", 7000));
    await first.pass();
    expect(await first.nodeOf("new")).toBeUndefined();
  });

  test("keeps what a binding of unknown outcome takes, until the outcome is known", async () => {
    const late = Promise.withResolvers<void>();
    let broken = false;
    const { client, pass, addNode, nodeOf } = await startCluster(undefined, (real) => ({
      ...real,
      raw: async (...call) => {
        if (broken) return real.raw(...call);
        broken = true;
        void late.promise.then(() => real.raw(...call)).catch(() => {});
        throw new TransportError("the connection broke; the request arrives late");
      },
    }));
    await addNode("a");
    await client.create(PODS, pod("first", 7000));
    await client.create(PODS, pod("second", 7000));
    await pass(10);
    late.resolve();
    await pass(10_000);
    expect([await nodeOf("first"), await nodeOf("second")]).toEqual(["a", undefined]);
  });

  test("never binds two pods to one port, whatever happens to its calls", async () => {
    let calls = 0;
    const held = Promise.withResolvers<void>();
    const plan: FaultPlan = ({ verb, resource }) => {
      if (verb !== "raw" || !resource.endsWith("/binding")) return undefined;
      calls++;
      if (calls % 5 === 1) return { type: "lose-answer" };
      if (calls % 5 === 2) return { type: "refuse" };
      if (calls % 5 === 3) return { type: "conflict" };
      return calls === 4 ? { type: "delay", until: held.promise } : undefined;
    };
    const { client, pass, addNode, clock } = await startCluster(plan);
    for (const name of ["a", "b", "c"]) await addNode(name, 4);
    const wanted = Array.from({ length: 15 }, (_, at) => pod(`p${at}`, 7000 + (at % 4)));
    await Promise.all(wanted.map((each) => client.create(PODS, each)));
    const bound = async () => {
      const { items } = await client.list(PODS);
      const places = items.filter(({ spec }) => spec.nodeName);
      const ports = places.map(({ spec }) => `${spec.nodeName}/${spec.containers[0]?.ports?.[0]?.hostPort}`);
      expect(new Set(ports).size).toBe(ports.length);
      return ports;
    };
    for (let each = 0; each < 20; each++) {
      await clock.advance(100);
      await bound();
    }
    held.resolve();
    await pass(300_000);
    expect(await bound()).toHaveLength(12);
    const [gone] = (await client.list(PODS)).items.filter(({ spec }) => spec.nodeName);
    await client.delete(PODS, "default", gone?.metadata.name ?? "", { gracePeriodSeconds: 0 });
    await pass(300_000);
    await bound();
  });
});
