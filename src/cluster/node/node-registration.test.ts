import { afterEach, beforeEach, expect, test } from "vitest";
import type { Node } from "#api/core/node.ts";
import { LEASES, NODES } from "#api/core/resources.ts";
import { TransportError } from "#kube/transport.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { createNodeRegistration, type NodeDescription } from "./node-registration.ts";
import { FakeCluster } from "./testing/fake-cluster.ts";

const description: NodeDescription = {
  name: "n1",
  addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
  capacity: { cpu: "2", memory: "1Gi", pods: "10" },
  labels: { os: "linux" },
};
let clock: FakeClock;
let cluster: FakeCluster;
let abort: AbortController;
let done: Promise<void>;
beforeEach(() => {
  clock = new FakeClock();
  cluster = new FakeCluster(() => clock.now());
  abort = new AbortController();
});
afterEach(async () => {
  abort.abort();
  await done;
});
const start = async () => {
  done = createNodeRegistration({ client: cluster, node: description, clock, log: silentLogger }).run(abort.signal);
  await clock.advance(0);
};
const node = () => cluster.find(NODES, "n1");
const renewed = () => cluster.find(LEASES, "kube-node-lease/n1")?.spec?.renewTime;

test("takes over a node of its name and leaves what others put there", async () => {
  const old: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", labels: { zone: "a", os: "?" } },
    spec: { unschedulable: true, taints: [{ key: "k", effect: "NoSchedule" }] },
    status: {
      capacity: { cpu: "99" },
      conditions: [
        { type: "Ready", status: "True", lastTransitionTime: "2029-01-01T00:00:00Z" },
        { type: "Custom", status: "True" },
      ],
    },
  };
  await cluster.create(NODES, old);
  await start();
  expect(node()?.metadata.labels).toEqual({ zone: "a", os: "linux" });
  expect(node()?.spec).toEqual(old.spec);
  expect(node()?.status).toMatchObject({
    allocatable: description.capacity,
    conditions: [{ type: "Custom" }, { type: "Ready", status: "True", lastTransitionTime: "2029-01-01T00:00:00Z" }],
  });
});

test("renews the lease every 10 s and writes the node itself only now and then", async () => {
  await start();
  const writes = () => cluster.writes.filter((write) => write.includes("nodes")).length;
  const before = writes();
  await clock.advance(290_000);
  expect(renewed()).toBe("2030-01-01T00:04:50.000000Z");
  expect(writes()).toBe(before);
  await clock.advance(10_000);
  expect(writes()).toBe(before + 1);
});

test("makes its node again at once when somebody deletes it", async () => {
  await start();
  await clock.advance(15_000);
  await cluster.delete(NODES, "", "n1");
  await clock.advance(1);
  expect(node()?.status).toMatchObject({
    capacity: description.capacity,
    conditions: [{ type: "Ready", status: "True" }],
  });
  await clock.advance(60_000);
  expect(cluster.writes.filter((write) => write.includes("create nodes"))).toHaveLength(2);
});

test("goes on after an outage, and after another took the lease", async () => {
  await start();
  cluster.outage = new TransportError("down");
  await clock.advance(60_000);
  cluster.outage = undefined;
  await clock.advance(1_000);
  expect(renewed()).toBe("2030-01-01T00:01:01.000000Z");
  const lease = cluster.find(LEASES, "kube-node-lease/n1");
  if (lease) await cluster.update(LEASES, { ...lease, metadata: { ...lease.metadata, labels: { by: "another" } } });
  await clock.advance(11_000);
  expect(renewed()).toBe("2030-01-01T00:01:12.000000Z");
});
