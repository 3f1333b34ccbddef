import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LEASES, NODES, PODS } from "#api/core/resources.ts";
import { withFaults } from "#kube/fault-injection.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { container, podOf } from "../testing/worker-harness.ts";
import { createSimulatedNode, type SimulatedNode, type SimulatedNodeOptions } from "./simulated-node.ts";

let clock: FakeClock;
let cluster: FakeCluster;
let node: SimulatedNode;
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

async function start(more: Partial<SimulatedNodeOptions> = {}): Promise<void> {
  node = createSimulatedNode({ client: cluster, nodeName: "node", clock, log: silentLogger, ...more });
  done = node.run(abort.signal);
  await node.ready();
}
const settle = async (ms = 0) => {
  for (let turn = 0; turn < 12; turn++) await clock.advance(turn === 6 ? ms : 0);
};
const phase = (name = "a") => cluster.find(PODS, `ns/${name}`)?.status?.phase;

test("registers and renews its lease like any node", async () => {
  await start();
  await settle();
  expect(cluster.find(NODES, "node")?.status?.conditions).toMatchObject([{ type: "Ready", status: "True" }]);
  const first = cluster.find(LEASES, "kube-node-lease/node")?.spec?.renewTime;
  await settle(10_000);
  expect(first).toBe("2030-01-01T00:00:00.000000Z");
  expect(cluster.find(LEASES, "kube-node-lease/node")?.spec?.renewTime).toBe("2030-01-01T00:00:10.000000Z");
});

test("brings a pod from its start to the end that it is told", async () => {
  await start();
  await cluster.create(PODS, podOf({ restartPolicy: "Never" }));
  await settle();
  expect(phase()).toBe("Running");
  expect(node.exit("ns/a", 0, "other")).toBe(false);
  expect(node.crash("ns/a")).toBe(true);
  await settle();
  expect(phase()).toBe("Failed");
  expect(cluster.find(PODS, "ns/a")?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(139);
});

test("lets a pod that is deleted end in its time", async () => {
  await start({ stopMs: 3_000 });
  await cluster.create(PODS, podOf({}));
  await settle();
  await cluster.delete(PODS, "ns", "a");
  await settle(2_999);
  expect(node.running).toBe(1);
  await settle(1);
  expect(phase()).toBeUndefined();
  expect(node.running).toBe(0);
});

test("acts as the game when a container runs, and tries no probe", async () => {
  const onRun = vi.fn();
  await start({ onRun });
  const probe = { httpGet: { port: 8080 }, failureThreshold: 1 };
  await cluster.create(
    PODS,
    podOf({ containers: [container("game", { livenessProbe: probe, readinessProbe: probe })] }),
  );
  await settle(60_000);
  expect(onRun.mock.calls.map(([pod, { name }]) => `${pod.metadata.name} ${name}`)).toEqual(["a game"]);
  expect(cluster.find(PODS, "ns/a")?.status?.containerStatuses).toMatchObject([{ ready: true, restartCount: 0 }]);
});

test("never has more writes under way than it may", async () => {
  let writing = 0;
  let most = 0;
  const client = withFaults(cluster, ({ verb, resource }) => {
    if (verb !== "updateStatus" || resource !== "pods") return undefined;
    most = Math.max(most, ++writing);
    const until = clock.sleep(1).then(() => writing--);
    return { type: "delay", until };
  });
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  for (const name of names) await cluster.create(PODS, podOf({}, name));
  await start({ client, maxWrites: 3 });
  await settle(100);
  expect(names.map((name) => phase(name))).toEqual(names.map(() => "Running"));
  expect(most).toBe(3);
});
