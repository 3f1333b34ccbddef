import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NODES, PODS } from "#api/core/resources.ts";
import type { Client } from "#kube/client.ts";
import { withFaults } from "#kube/fault-injection.ts";
import { TransportError } from "#kube/transport.ts";
import { systemClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { createNodeAgent } from "./agent.ts";
import { createAgentClient } from "./agent-client.ts";
import type { ImageResolver } from "./image-resolver.ts";
import { createLinuxProcessHost } from "./linux-process-host.ts";
import { FakeCluster } from "./testing/fake-cluster.ts";

/** An agent on a folder of its own that has not been prepared yet. */
function start(client: Client, prepared: Promise<void>, resolve: ImageResolver["resolve"] = () => undefined) {
  const folder = mkdtempSync(join(tmpdir(), "stadion-node-"));
  const abort = new AbortController();
  const socketPath = join(folder, "agent.sock");
  const agent = createNodeAgent({
    client,
    nodeName: "node",
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    capacity: { cpu: "2", memory: "4Gi", pods: "100" },
    stateFolder: join(folder, "state"),
    socketPath,
    images: { resolve },
    handlers: new Map(),
    host: createLinuxProcessHost({ clock: systemClock }),
    clock: systemClock,
    log: silentLogger,
    version: "0.1.0",
    baseEnvironment: {},
    prepared: () => prepared,
    onStop: () => {},
  });
  const done = agent.run(abort.signal);
  onTestFinished(async () => {
    abort.abort();
    await done;
    rmSync(folder, { recursive: true });
  });
  const isReady = async () => (await createAgentClient(socketPath).identity())?.ready;
  return { agent, isReady };
}

test("makes its node at once, and is ready only when there is what pods need, and while it hears of them", async () => {
  const cluster = new FakeCluster(() => Date.now());
  const prepared = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const broken = Promise.withResolvers<void>();
  let watches = 0;
  const client: Client = {
    ...withFaults(cluster, () => undefined),
    watch: async (type, options) => {
      const batches = await cluster.watch(type, options);
      if (type.plural !== "pods") return batches;
      watches++;
      if (watches > 1) return new Promise(() => {});
      await opened.promise;
      // biome-ignore lint/correctness/useYield: a watch that breaks off before it shows anything.
      return (async function* () {
        await broken.promise;
        throw new TransportError("broken off");
      })();
    },
  };
  const { agent, isReady } = start(client, prepared.promise);
  await expect.poll(() => cluster.find(NODES, "node")?.status?.conditions?.[0]?.status).toBe("True");
  expect(await isReady()).toBe(false);
  prepared.resolve();
  await agent.ready();
  expect(await isReady()).toBe(false);
  opened.resolve();
  await expect.poll(isReady).toBe(true);
  broken.resolve();
  await expect.poll(isReady).toBe(false);
});

test("looks after no pod before there is what pods need, though it knows of them", async () => {
  const cluster = new FakeCluster(() => Date.now());
  const metadata = { name: "game", namespace: "default" };
  const spec = { nodeName: "node", containers: [{ name: "game", image: "game" }] };
  await cluster.create(PODS, { apiVersion: "v1", kind: "Pod", metadata, spec });
  const prepared = Promise.withResolvers<void>();
  const asked: string[] = [];
  const resolve = (image: string) => void asked.push(image);
  let watched = 0;
  const client: Client = {
    ...withFaults(cluster, () => undefined),
    watch: (type, options) => {
      if (type.plural === "pods") watched++;
      return cluster.watch(type, options);
    },
  };
  const { isReady } = start(client, prepared.promise, resolve);
  await expect.poll(() => watched).toBe(1);
  expect(await isReady()).toBe(false);
  expect(asked).toEqual([]);
  prepared.resolve();
  await expect.poll(() => asked).toContain("game");
});
