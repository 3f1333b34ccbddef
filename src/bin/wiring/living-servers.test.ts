import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import type { Pod } from "#api/core/pod.ts";
import type { ContainerInfo } from "#cluster/node/agent-server.ts";
import type { InformerHandler } from "#kube/informer.ts";
import { FakeClock } from "#runtime/clock.ts";
import { followLivingServers, type LivingServers } from "./living-servers.ts";

const server = (name: string, annotations = {}): GameServer =>
  ({ metadata: { name, namespace: "ns", annotations }, spec: { container: "game" } }) as unknown as GameServer;
const pod = (name: string, phase: string): Pod =>
  ({ metadata: { name, namespace: "ns" }, spec: { containers: [] }, status: { phase } }) as unknown as Pod;
const running = (pod: string, container: string, pid?: number): ContainerInfo =>
  ({ namespace: "ns", pod, container, state: "running", ...(pid !== undefined && { pid }) }) as ContainerInfo;

let clock: FakeClock;
let handler: InformerHandler<Pod>;
let agent: { ready: boolean; containers: readonly ContainerInfo[] } | undefined;
let living: LivingServers;
let heard: boolean;
let told: boolean;
let synced: boolean;
beforeEach(async () => {
  clock = new FakeClock();
  agent = undefined;
  [heard, told] = [false, false];
  synced = true;
  living = followLivingServers({
    agent: {
      identity: async () => agent as never,
      containers: async () => agent?.containers ?? [],
    },
    gameServers: { lister: { get: (key: string) => server(key.slice("ns/".length)) } as never },
    pods: {
      get synced() {
        return synced;
      },
      addHandler: (given) => {
        handler = given;
        return () => {};
      },
    },
    clock,
  });
  const stop = new AbortController();
  const done = living.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await done;
  });
  void living.heard().then(() => {
    heard = true;
  });
  void living.told().then(() => {
    told = true;
  });
  await clock.advance(0);
});

test("of the servers of former times those live whose game runs, once the node agent knows", async () => {
  agent = { ready: false, containers: [running("a", "game", 1), running("b", "sidecar", 2), running("c", "game")] };
  await clock.advance(1000);
  expect([heard, living.isLiving(server("a"))]).toEqual([false, false]);
  agent = { ...agent, ready: true };
  await clock.advance(100);
  expect([heard, told]).toEqual([true, true]);
  expect(["a", "b", "c", "d"].filter((name) => living.isLiving(server(name)))).toEqual(["a"]);
});

test("a server lives from when its Pod comes to run until it ends, or is gone", async () => {
  handler.update?.(pod("a", "Running"), pod("a", "Pending"));
  handler.update?.(pod("b", "Running"), pod("b", "Pending"));
  handler.update?.(pod("c", "Running"), pod("c", "Running"));
  const left = () => ["a", "b", "c"].filter((name) => living.isLiving(server(name)));
  expect(left()).toEqual(["a", "b"]);
  handler.update?.(pod("a", "Failed"), pod("a", "Running"));
  expect(left()).toEqual(["b"]);
  handler.delete?.(pod("b", "Running"));
  expect(left()).toEqual([]);
});

test("a Pod that the cache shows only when it runs was made since, unless it is of the first list", async () => {
  handler.add?.(pod("late", "Running"));
  handler.add?.(pod("waiting", "Pending"));
  synced = false;
  handler.add?.(pod("former", "Running"));
  expect(["late", "waiting", "former"].filter((name) => living.isLiving(server(name)))).toEqual(["late"]);
});

test("nobody waits for long for an agent that does not come, and a server that a developer runs by hand always lives", async () => {
  await clock.advance(4_999);
  expect(heard).toBe(false);
  await clock.advance(1);
  expect([heard, told]).toEqual([true, false]);
  expect(living.isLiving(server("a"))).toBe(false);
  expect(living.isLiving(server("mine", { "agones.dev/dev-address": "127.0.0.1" }))).toBe(true);
});
