import { afterEach, describe, expect, test } from "vitest";
import type { PodSpec } from "#api/core/pod.ts";
import { PODS } from "#api/core/resources.ts";
import { TransportError } from "#kube/transport.ts";
import type { ContainerRuntime, StartResult } from "./container-runtime.ts";
import { container, WorkerHarness } from "./testing/worker-harness.ts";

let node: WorkerHarness;
afterEach(() => node.stop());

async function onNode(...args: ConstructorParameters<typeof WorkerHarness>): Promise<WorkerHarness> {
  node = new WorkerHarness(...args);
  await node.start();
  return node;
}
const gameServer: Partial<PodSpec> = {
  restartPolicy: "Never",
  initContainers: [container("sdk", { restartPolicy: "Always" })],
  containers: [container("game")],
};
const conditions = () =>
  Object.fromEntries((node.status().conditions ?? []).map(({ type, status, reason }) => [type, reason ?? status]));
const stateOf = (name: string) =>
  [...(node.status().containerStatuses ?? []), ...(node.status().initContainerStatuses ?? [])].find(
    (status) => status.name === name,
  );

describe("a pod's life", () => {
  test("is reported with one write when it starts at once", async () => {
    await onNode();
    const { metadata } = await node.create(gameServer);
    expect(node.running).toEqual(["sdk/0", "game/0"]);
    expect(node.cluster.writes).toEqual(["create pods ns/a", "updateStatus pods ns/a"]);
    expect(node.status()).toMatchObject({ phase: "Running", podIP: "10.0.0.7", podIPs: [{ ip: "10.0.0.7" }] });
    expect(conditions()).toEqual({ Initialized: "True", Ready: "True", ContainersReady: "True", PodScheduled: "True" });
    expect(stateOf("game")).toMatchObject({
      containerID: `simulated://${metadata.uid}/game/0`,
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: "2030-01-01T00:00:00Z" } },
    });
  });

  test("shows what is being made when that takes longer", async () => {
    await onNode({ startMs: 5_000 });
    await node.create(gameServer);
    expect(node.status().phase).toBeUndefined();
    await node.settle(1_000);
    expect(node.status().phase).toBe("Pending");
    expect(conditions().Initialized).toBe("ContainersNotInitialized");
    expect(stateOf("game")?.state?.waiting?.reason).toBe("PodInitializing");
    await node.settle(10_000);
    expect(node.status().phase).toBe("Running");
  });

  test.each([
    [0, "Succeeded", "Completed", "PodCompleted"],
    [3, "Failed", "Error", "PodFailed"],
  ])("ends with exit code %i as %s", async (code, phase, reason, ready) => {
    await onNode();
    const { metadata } = await node.create(gameServer);
    node.containers.exit(metadata.uid ?? "", "game", code);
    await node.settle();
    expect(node.running).toEqual([]);
    expect(node.status().phase).toBe(phase);
    expect(conditions().Ready).toBe(ready);
    expect(stateOf("game")).toMatchObject({ ready: false, state: { terminated: { exitCode: code, reason } } });
    await node.settle(3_600_000);
    expect(node.running).toEqual([]);
  });

  test("is final only when the sidecar has ended, too", async () => {
    await onNode({ stopMs: 500 });
    const { metadata } = await node.create(gameServer);
    node.containers.exit(metadata.uid ?? "", "game", 3);
    await node.settle();
    expect(node.status().phase).toBe("Running");
    expect(stateOf("game")?.state?.terminated?.exitCode).toBe(3);
    await node.settle(500);
    expect(node.status().phase).toBe("Failed");
  });

  test("says why a container ended that nobody asked to", async () => {
    await onNode();
    const { metadata } = await node.create();
    node.containers.exit(metadata.uid ?? "", "game", 3);
    await node.settle();
    expect(node.events).toContain("Failed: Container game ended with exit code 3");
  });

  test("backs off between restarts, and shows that it does", async () => {
    await onNode();
    const { metadata } = await node.create();
    const crash = async () => {
      node.containers.exit(metadata.uid ?? "", "game", 1);
      await node.settle();
    };
    await crash();
    expect(node.running).toEqual(["game/1"]);
    await crash();
    expect(node.running).toEqual([]);
    expect(node.status().phase).toBe("Running");
    expect(stateOf("game")).toMatchObject({
      restartCount: 1,
      state: { waiting: { reason: "CrashLoopBackOff", message: expect.stringContaining("back-off 10s restarting") } },
      lastState: { terminated: { exitCode: 1 } },
    });
    await node.settle(9_000);
    expect(node.running).toEqual([]);
    await node.settle(1_000);
    expect(node.running).toEqual(["game/2"]);
    expect(stateOf("game")).toMatchObject({ restartCount: 2, lastState: { terminated: { exitCode: 1 } } });
  });
});

describe("a container that cannot start", () => {
  const refusing = (results: StartResult[]): ContainerRuntime => ({
    start: async (request) => results.shift() ?? node.containers.start(request),
    recover: async () => ({ kind: "never" }),
  });
  const unmapped: StartResult = { kind: "waiting", reason: "ErrImagePull", message: "not mapped" };

  test("shows why, tries again ever more slowly, and at once when images change", async () => {
    node = new WorkerHarness();
    await node.start(refusing([unmapped, unmapped, unmapped]));
    await node.create();
    expect(stateOf("game")?.state?.waiting).toEqual({ reason: "ErrImagePull", message: "not mapped" });
    expect(node.status().phase).toBe("Pending");
    await node.settle(10_000);
    expect(stateOf("game")?.state?.waiting?.reason).toBe("ImagePullBackOff");
    await node.settle(10_000);
    expect(node.running).toEqual([]);
    node.workers.retryImages();
    await node.settle();
    node.workers.retryImages();
    await node.settle();
    expect(node.running).toEqual(["game/0"]);
    expect(stateOf("game")?.restartCount).toBe(0);
    expect(node.events.filter((event) => /^(Failed|BackOff)/.test(event))).toEqual([
      "Failed: Error starting container game: not mapped",
      "BackOff: Back-off starting container game: not mapped",
    ]);
  });

  test("counts as failed when the command itself is at fault", async () => {
    node = new WorkerHarness();
    const end = { exitCode: 128, reason: "StartError", message: "is not executable", finishedAt: node.clock.now() };
    await node.start(refusing([{ kind: "ended", end }]));
    await node.create({ restartPolicy: "Never" });
    expect(node.status().phase).toBe("Failed");
    expect(stateOf("game")?.state?.terminated).toMatchObject({
      exitCode: 128,
      reason: "StartError",
      message: "is not executable",
    });
  });
});

describe("a pod's deletion", () => {
  test("ends the game before the sidecar, then tells the API, then forgets", async () => {
    await onNode({ stopMs: 1_000 });
    await node.create(gameServer);
    await node.cluster.delete(PODS, "ns", "a");
    await node.settle(500);
    expect(node.running).toEqual(["sdk/0", "game/0"]);
    await node.settle(500);
    expect(node.running).toEqual(["sdk/0"]);
    await node.settle(1_000);
    expect(node.running).toEqual([]);
    expect(node.pod()).toBeUndefined();
    expect(node.workers.list()).toEqual([]);
    expect(node.store.records.size).toBe(0);
    expect(node.cluster.writes.at(-1)).toBe("delete pods ns/a");
  });

  test("costs a single write when nothing but a handler outlives the game", async () => {
    const handler: ContainerRuntime = {
      start: (request) => node.containers.start(request),
      recover: async () => ({ kind: "resumes" }),
    };
    await onNode({}, { handlers: new Map([["sdk", handler]]) });
    await node.create(gameServer);
    node.cluster.writes.length = 0;
    await node.cluster.delete(PODS, "ns", "a");
    await node.settle();
    expect(node.pod()).toBeUndefined();
    expect(node.cluster.writes).toEqual(["delete pods ns/a", "delete pods ns/a"]);
  });

  test("kills what does not listen after the grace period", async () => {
    await onNode({ stopMs: Number.POSITIVE_INFINITY });
    await node.create({ ...gameServer, terminationGracePeriodSeconds: 5 });
    await node.cluster.delete(PODS, "ns", "a");
    await node.settle(4_999);
    expect(node.running).toEqual(["sdk/0", "game/0"]);
    await node.settle(1);
    expect(node.running).toEqual(["sdk/0"]);
    await node.settle(2_000);
    expect(node.pod()).toBeUndefined();
  });

  test("kills at once what the API knows no longer", async () => {
    await onNode({ stopMs: Number.POSITIVE_INFINITY });
    await node.create(gameServer);
    await node.cluster.delete(PODS, "ns", "a", { gracePeriodSeconds: 0 });
    await node.settle();
    expect(node.running).toEqual([]);
    expect(node.store.records.size).toBe(0);
  });

  test("never removes a new pod of the same name", async () => {
    await onNode({ stopMs: Number.POSITIVE_INFINITY });
    const old = await node.create(gameServer);
    await node.cluster.delete(PODS, "ns", "a", { gracePeriodSeconds: 0 });
    const young = await node.create(gameServer);
    await node.settle(60_000);
    expect(young.metadata.uid).not.toBe(old.metadata.uid);
    expect(node.pod()?.metadata.uid).toBe(young.metadata.uid);
    expect(node.running).toEqual(["sdk/0", "game/0"]);
  });

  test("waits for an API that cannot be reached", async () => {
    await onNode();
    await node.create();
    await node.cluster.delete(PODS, "ns", "a");
    node.cluster.outage = new TransportError("down");
    await node.settle(60_000);
    expect(node.running).toEqual([]);
    expect(node.pod()).toBeDefined();
    node.cluster.outage = undefined;
    await node.settle(10_000);
    expect(node.pod()).toBeUndefined();
  });
});

describe("a later agent", () => {
  test("goes on with what runs and writes nothing", async () => {
    await onNode();
    await node.create(gameServer);
    await node.stop();
    const writes = node.cluster.writes.length;
    await node.settle(60_000);
    await node.start();
    expect(node.running).toEqual(["sdk/0", "game/0"]);
    expect(node.cluster.writes).toHaveLength(writes);
  });

  test("asks nobody for a game's health before the handler that answers for it is back", async () => {
    let [asked, begin] = [0, Promise.resolve()];
    const handler: ContainerRuntime = {
      start: (request) => begin.then(() => node.containers.start(request)),
      recover: async () => ({ kind: "resumes" }),
    };
    const attempt = async () => {
      asked++;
      return { ok: true, message: "" };
    };
    await onNode({}, { handlers: new Map([["sdk", handler]]), attempt });
    const livenessProbe = { exec: { command: ["x"] }, periodSeconds: 1 };
    await node.create({ ...gameServer, containers: [container("game", { livenessProbe })] });
    expect(asked).toBe(1);
    await node.stop();
    const back = Promise.withResolvers<void>();
    begin = back.promise;
    await node.start();
    await node.settle(5_000);
    expect([node.running, asked]).toEqual([["game/0"], 1]);
    back.resolve();
    await node.settle(1_000);
    expect(asked).toBeGreaterThan(1);
  });

  test("reports what ended meanwhile as it ended", async () => {
    await onNode();
    const { metadata } = await node.create(gameServer);
    await node.stop();
    node.containers.exit(metadata.uid ?? "", "game", 7);
    await node.start();
    expect(node.status().phase).toBe("Failed");
    expect(stateOf("game")?.state?.terminated?.exitCode).toBe(7);
    expect(node.running).toEqual([]);
  });

  test("knows from the API alone that a container ran, and starts no second one", async () => {
    await onNode();
    const { metadata } = await node.create(gameServer);
    await node.stop();
    node.containers.forget(metadata.uid ?? "");
    node.store.records.clear();
    await node.start();
    expect(node.status().phase).toBe("Failed");
    expect(stateOf("game")?.state?.terminated).toMatchObject({ exitCode: 137, reason: "ContainerStatusUnknown" });
    expect(node.running).toEqual([]);
  });

  test("does not begin a grace period anew", async () => {
    await onNode({ stopMs: Number.POSITIVE_INFINITY });
    await node.create({ terminationGracePeriodSeconds: 10 });
    await node.cluster.delete(PODS, "ns", "a");
    await node.settle(6_000);
    await node.stop();
    await node.start();
    await node.settle(3_999);
    expect(node.running).toEqual(["game/0"]);
    await node.settle(1);
    expect(node.running).toEqual([]);
  });
});

test("an orderly end of the node ends every container, and tells the API when it is back", async () => {
  await onNode({ stopCode: 9 });
  await node.create(gameServer);
  await node.workers.shutdown(1_000);
  expect(node.running).toEqual([]);
  expect(node.status().phase).toBe("Running");
  await node.start();
  expect(node.status()).toMatchObject({ phase: "Failed", reason: "Terminated" });
  expect(stateOf("game")?.state?.terminated?.exitCode).toBe(9);
});

test("what a stop of the node did not end, and what started again after it, has reasons of its own", async () => {
  await onNode({ stopCode: 9 });
  const { metadata } = await node.create(gameServer);
  node.cluster.outage = new TransportError("down");
  node.containers.exit(metadata.uid ?? "", "game", 1);
  await node.settle(100);
  await node.workers.shutdown(1_000);
  node.cluster.outage = undefined;
  await node.start();
  expect(node.status().phase).toBe("Failed");
  expect(node.status().reason).toBeUndefined();

  const again = await node.create({ restartPolicy: "OnFailure" }, "again");
  await node.workers.shutdown(1_000);
  await node.start();
  await node.settle(20_000);
  expect(node.running).toEqual(["game/1"]);
  node.containers.exit(again.metadata.uid ?? "", "game", 0);
  await node.settle(100);
  expect(node.pod("again")?.status?.phase).toBe("Succeeded");
  expect(node.pod("again")?.status?.reason).toBeUndefined();
});

test("status writes go on after a lost race and after an outage", async () => {
  await onNode();
  const { metadata } = await node.create();
  const stored = node.pod();
  if (stored)
    await node.cluster.update(PODS, { ...stored, metadata: { ...stored.metadata, labels: { by: "another" } } });
  node.cluster.outage = new TransportError("down");
  node.containers.exit(metadata.uid ?? "", "game", 1);
  await node.settle(1_000);
  expect(node.running).toEqual(["game/1"]);
  expect(stateOf("game")?.restartCount).toBe(0);
  node.cluster.outage = undefined;
  await node.settle(10_000);
  expect(stateOf("game")?.restartCount).toBe(1);
  expect(node.pod()?.metadata.labels).toEqual({ by: "another" });
});
