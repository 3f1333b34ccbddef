/** What dies and comes back: the game servers go on. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Node } from "#api/core/node.ts";
import { askUdp } from "./harness/ask.ts";
import { useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { fleet } from "./harness/manifests.ts";
import { killAll } from "./harness/processes.ts";

const cluster = useCluster("--no-quick-start", "--keep-servers");
const stadion = cluster.stadion.bind(cluster);

/** Names, states, ports, and processes of all servers, with how often each was started. */
async function everything() {
  const containers = await cluster.containers();
  const servers = await cluster.gameServers("arena");
  return servers.map(({ metadata, status }) => ({
    name: metadata.name,
    state: metadata.deletionTimestamp ? "Deleting" : status?.state,
    port: status?.ports?.[0]?.port,
    pid: containers.get(metadata.name ?? "")?.pid,
  }));
}

/** Work goes on: another server is allocated, the fleet grows, no port is given twice, and no process was started anew. */
async function worksOn(): Promise<void> {
  await eventually(() => stadion("allocate arena"));
  await stadion("scale fleet arena --replicas 5");
  const servers = await cluster.servers("arena", 5, ["Ready", "Allocated"]);
  expect(servers.filter(({ status }) => status?.state === "Allocated")).toHaveLength(2);
  expect(new Set(servers.map(({ status }) => status?.ports?.[0]?.port)).size).toBe(5);
  for (const { status } of servers)
    expect(await askUdp({ address: "127.0.0.1", port: status?.ports?.[0]?.port ?? 0 }, "hello")).toBe("ACK: hello\n");
  const processes = (await everything()).map(({ name, pid }) => ({ name, pid }));
  expect(processes).toEqual(expect.arrayContaining(before.map(({ name, pid }) => ({ name, pid }))));
}

let before: Awaited<ReturnType<typeof everything>>;
beforeEach(async () => {
  await stadion("apply -f -", { input: fleet("arena", { replicas: 3 }) });
  await cluster.servers("arena", 3);
  await stadion("allocate arena");
  before = await everything();
  expect(before.map(({ state }) => state).sort()).toEqual(["Allocated", "Ready", "Ready"]);
});
afterEach(async () => {
  await stadion("delete fleet arena");
  await eventually(async () => expect(await cluster.gameServers()).toEqual([]));
});

const sameAsBefore = () => eventually(async () => expect(await everything()).toEqual(before));

describe("kill -9", () => {
  it("of the control plane: the same servers, states and processes, and work goes on", async () => {
    const { pid } = cluster.part("control-plane");
    killAll([{ pid }]);
    await eventually(() => expect(cluster.part("control-plane").pid).not.toBe(pid));
    await eventually(() => stadion("status"));
    await sameAsBefore();
    await worksOn();
    expect(cluster.supervisor.err).toMatch(/The control plane ended \(signal SIGKILL\) and is started again/);
  });

  it("of the node agent: the same servers, states and processes, and work goes on", async () => {
    const { pid } = cluster.part("node-agent");
    killAll([{ pid }]);
    await eventually(() => expect(cluster.part("node-agent").pid).not.toBe(pid));
    await eventually(() => stadion("status"));
    await sameAsBefore();
    await worksOn();
    expect(cluster.supervisor.err).toMatch(/The node agent ended \(signal SIGKILL\) and is started again/);
  });

  it("of everything at once but the game servers, then a start: the same servers, states and processes", async () => {
    killAll([cluster.supervisor, cluster.part("control-plane"), cluster.part("node-agent")]);
    await cluster.supervisor.ended;
    await cluster.start();
    await sameAsBefore();
    await worksOn();
  });

  it("of both parts in the middle of work: it is done once, not twice", async () => {
    await stadion("scale fleet arena --replicas 9");
    await eventually(async () => expect((await cluster.gameServers("arena")).length).toBeGreaterThan(3), { every: 5 });
    killAll([cluster.part("control-plane"), cluster.part("node-agent")]);
    const servers = await cluster.servers("arena", 9, ["Ready", "Allocated"]);
    expect(new Set(servers.map(({ status }) => status?.ports?.[0]?.port)).size).toBe(9);
    const all = await everything();
    expect(all).toEqual(expect.arrayContaining(before));
    const games = cluster.processes().filter(({ command }) => /simple-game-server|server\.ts/.test(command[1] ?? ""));
    expect(games.map(({ pid }) => pid).sort()).toEqual(all.map(({ pid }) => pid).sort());
  });

  it("of everything, game servers too, then a start: the fleet is whole again, and no match gets a dead server", async () => {
    killAll([cluster.supervisor, cluster.part("control-plane"), cluster.part("node-agent")]);
    await cluster.supervisor.ended;
    killAll(cluster.processes());
    const start = cluster.launch();
    const known = before.map(({ name }) => name);
    const given = await eventually(() => stadion("allocate arena -o name"), { every: 5 });
    expect(known).not.toContain(given.trim().replace("gameservers/", ""));
    await start.prints(/Ctrl-C stops it/);
    const servers = await eventually(async () => {
      const servers = await cluster.servers("arena", 3, ["Ready", "Allocated"]);
      expect(servers.filter(({ metadata }) => known.includes(metadata.name))).toEqual([]);
      return servers;
    });
    expect(new Set(servers.map(({ status }) => status?.ports?.[0]?.port)).size).toBe(3);
    expect((await cluster.containers()).size).toBe(3);
  });

  it("of a game server while no node agent is there to see it: it is Unhealthy once one is, and replaced", async () => {
    const [victim] = before.filter(({ state }) => state === "Ready");
    killAll([cluster.part("node-agent"), { pid: victim?.pid }]);
    const servers = await eventually(async () => {
      const servers = await cluster.servers("arena", 3, ["Ready", "Allocated"]);
      expect(servers.map(({ metadata }) => metadata.name)).not.toContain(victim?.name);
      return servers;
    });
    expect(servers.filter(({ status }) => status?.state === "Allocated")).toHaveLength(1);
  });

  it("of the supervisor alone: the next start adopts the node agent", async () => {
    const agent = cluster.part("node-agent").pid;
    killAll([cluster.supervisor]);
    await cluster.supervisor.ended;
    await eventually(() => expect(() => cluster.part("control-plane")).toThrow("no control-plane"));
    await cluster.start();
    expect(cluster.part("node-agent").pid).toBe(agent);
    await sameAsBefore();
    await worksOn();
  });
});

it("a deleted node whose agent lives is there again at once: the same servers, states and processes, and work goes on", async () => {
  const nodes = async () => (await cluster.get<{ items: readonly Node[] }>("/api/v1/nodes")).items;
  const [node] = await nodes();
  const { name = "", uid } = node?.metadata ?? {};
  await stadion(["delete", "node", name]);
  await eventually(async () => {
    const [again] = await nodes();
    expect(again?.metadata.uid).not.toBe(uid);
    expect(again?.metadata.name).toBe(name);
    await stadion("status");
  });
  await sameAsBefore();
  await worksOn();
});
