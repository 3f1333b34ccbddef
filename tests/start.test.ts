import { once } from "node:events";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Node } from "#api/core/node.ts";
import { Cluster, ORDERLY_END, ROOT, useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { hasKubectl } from "./harness/kubectl.ts";
import { fleet } from "./harness/manifests.ts";
import { isAlive, killAll } from "./harness/processes.ts";
import { Program, run } from "./harness/program.ts";

/** A loopback port that somebody listens on. */
async function takePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port: String(port), [Symbol.asyncDispose]: async () => void server.close() };
}

describe("start in a new folder", () => {
  const cluster = useCluster();

  it("makes the quick-start fleet, tells how far it is, and says what to do next", async () => {
    const { out, err } = cluster.supervisor;
    expect(err).toContain(`Starting a new cluster in ${cluster.dataDir}`);
    expect(err).toMatch(/Fleet simple-game-server: 0 of 3 game servers Ready/);
    expect(err).toMatch(/Fleet simple-game-server: 3 of 3 game servers Ready/);
    expect(out).toMatch(/API +https:\/\/127\.0\.0\.1:\d+/);
    expect(out).toContain(cluster.kubeconfig);

    const [, list = "", allocate = "", kubectl = ""] = /another shell:\n +(.*)\n +(.*)\n +(.*)\n\n/.exec(out) ?? [];
    const shell = (command: string) => run("sh", ["-c", command], { cwd: ROOT });
    expect((await shell(list)).out).toMatch(/(simple-game-server-.* Ready .*\s+){3}/);
    expect((await shell(allocate)).out).toMatch(/simple-game-server-.*127\.0\.0\.1/);
    expect(kubectl).toMatch(/^kubectl /);
    if (hasKubectl) expect((await shell(kubectl)).out).toContain("Allocated");
  });

  it("keeps its secrets from other users of the machine", () => {
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(mode(cluster.dataDir)).toBe("700");
    const secrets = readdirSync(cluster.dataDir).filter((name) => /^(kubeconfig|token|.*\.key)$/.test(name));
    expect(secrets).toContain("kubeconfig");
    for (const name of secrets) expect([name, mode(join(cluster.dataDir, name))]).toEqual([name, "600"]);
  });

  it("refuses a folder that another process has, and names both", async () => {
    const { code, err } = await cluster.tryStadion("start --api-port 0");
    expect(code).toBe(2);
    expect(err).toContain(`the data folder ${cluster.dataDir} is in use by process ${cluster.supervisor.pid}`);
    expect(err).toContain("--data-dir");
    expect(await cluster.stadion("status")).toMatch(/Control plane +running/);
  });
});

let cluster: Cluster;
beforeEach(() => {
  cluster = new Cluster();
});
afterEach(async () => {
  expect(await cluster.end()).toEqual([]);
});

describe("the end of a cluster", () => {
  const names = async () => (await cluster.gameServers()).map(({ metadata }) => metadata.name);
  const pids = async () => [...(await cluster.containers()).values()].map(({ pid }) => pid ?? 0).sort();

  it("comes in order at Ctrl-C, game servers too, and a later start makes the fleet whole again", async () => {
    await cluster.start();
    const processes = await pids();
    expect(processes).toHaveLength(3);
    const { code, err } = await cluster.stop();
    expect(code).toBe(0);
    expect(err).toMatch(ORDERLY_END);
    expect(cluster.processes()).toEqual([]);
    expect(processes.filter(isAlive)).toEqual([]);

    await cluster.start();
    expect(cluster.supervisor.err).not.toContain("new cluster");
    await cluster.servers("simple-game-server", 3);
  });

  it("leaves game servers with --keep-servers, whom a refused start does not touch and the next one finds as they were", async () => {
    await cluster.start("--keep-servers");
    const before = [await names(), await pids()];
    expect(before[0]).toHaveLength(3);
    expect((await cluster.stop()).code).toBe(0);

    await using taken = await takePort();
    const { code, err } = await cluster.launch("--api-port", taken.port).ended;
    expect(code).not.toBe(0);
    expect(err).toMatch(new RegExp(`port ${taken.port} .*in use.*--api-port`));

    await cluster.start();
    expect(cluster.supervisor.err).toMatch(/Adopted the node agent that was running \(process \d+\)/);
    expect([await names(), await pids()]).toEqual(before);
    await cluster.servers("simple-game-server", 3);
  });

  it("comes at Ctrl-C also before it serves", async () => {
    const start = cluster.launch();
    await start.prints(/Starting a new cluster/);
    start.ctrlC();
    expect(await start.ended).toMatchObject({ code: 0, err: expect.stringMatching(/Stopped\.\n$/) });
    expect(cluster.processes()).toEqual([]);
  });

  it.each([
    ["the node agent", ["node-agent"]],
    ["the control plane", ["control-plane"]],
    ["both parts", ["control-plane", "node-agent"]],
  ] as const)("comes for all game servers, also when %s died just before", async (_, parts) => {
    await cluster.start();
    killAll(parts.map((part) => cluster.part(part)));
    expect((await cluster.stop()).code).toBe(0);
    expect(cluster.processes()).toEqual([]);
  });

  it("is complete when the API port is in use, which is named with the flag that changes it", async () => {
    await using taken = await takePort();
    const { code, err } = await cluster.launch("--api-port", taken.port).ended;
    expect(code).not.toBe(0);
    expect(err).toMatch(new RegExp(`port ${taken.port} .*in use.*--api-port`));
    expect(cluster.processes()).toEqual([]);
  });
});

describe("flags of start", () => {
  it("publish an address for players, and bound the machine's share and the ports", async () => {
    const size = ["--node-cpu", "1500m", "--node-memory", "1Gi"];
    await cluster.start("--no-quick-start", "--node-address", "192.0.2.7", "--game-ports", "7100-7101", ...size);
    await cluster.stadion("apply -f -", { input: fleet("arena", { replicas: 3 }) });
    const servers = await eventually(async () => {
      const servers = await cluster.gameServers("arena");
      const states = servers.map(({ status }) => status?.state).sort();
      expect(states).toEqual(["Ready", "Ready", "Starting"]);
      return servers.filter(({ status }) => status?.state === "Ready");
    });
    expect(servers.map(({ status }) => status?.ports?.[0]?.port).sort()).toEqual([7100, 7101]);
    expect(servers.map(({ status }) => status?.address)).toEqual(["192.0.2.7", "192.0.2.7"]);
    const { items } = await cluster.get<{ items: readonly [Node] }>("/api/v1/nodes");
    expect(items[0].status).toMatchObject({ capacity: { cpu: "1500m", memory: "1Gi" } });
    await eventually(async () => expect(await cluster.stadion("get events")).toMatch(/FailedScheduling .*free ports/));
    expect(await cluster.stadion("status")).toMatch(/192\.0\.2\.7,127\.0\.0\.1/);
  });

  it("reach an agent that runs already: it is replaced, and its game servers go on", async () => {
    const pids = async () => [...(await cluster.containers()).values()].map(({ pid }) => pid ?? 0).sort();
    const status = async () => (await cluster.get<{ items: readonly [Node] }>("/api/v1/nodes")).items[0].status;
    const first = (type: string) => (address: { type: string }) => address.type === type;
    await cluster.start("--keep-servers");
    const before = await pids();
    const { cpu } = (await status())?.capacity ?? {};
    await cluster.stop();

    await cluster.start("--keep-servers", "--node-cpu", "1500m", "--node-address", "192.0.2.7");
    expect(cluster.supervisor.err).toMatch(/Replacing the node agent with other settings .*game servers go on/);
    await eventually(async () => {
      expect(await status()).toMatchObject({ capacity: { cpu: "1500m" } });
      expect((await status())?.addresses?.find(first("ExternalIP"))).toMatchObject({ address: "192.0.2.7" });
    });
    await cluster.servers("simple-game-server", 3);
    expect(await pids()).toEqual(before);
    await cluster.stop();

    await cluster.start();
    await eventually(async () => {
      expect((await status())?.capacity?.cpu).toBe(cpu);
      expect((await status())?.addresses?.find(first("ExternalIP"))).toBeUndefined();
    });
    await eventually(async () => expect(await pids()).toEqual(before));
  });

  it.each([
    ["--node-address", "nonsense", /host name/],
    ["--node-address", "999.1.1.1", /IP address/],
    ["--node-address", "", /IP address/],
    ["--node-cpu", "-2", /greater than zero/],
    ["--node-cpu", "0", /greater than zero/],
    ["--node-memory", "0", /greater than zero/],
    ["--game-ports", "8000-7000", /first port must not be greater than the last/],
  ])("are refused when they make no sense: %s '%s'", async (flag, value, rule) => {
    const { code, err } = await cluster.launch(`${flag}=${value}`).ended;
    expect(code).toBe(2);
    expect(err).toMatch(rule);
    expect(err).toContain(flag);
    expect(err).toContain(value);
    expect(existsSync(cluster.dataDir)).toBe(false);
  });

  it("have defaults that stay the same: the API's port is fixed", async () => {
    expect(await cluster.stadion("start --help")).toMatch(/--api-port[^-]*8643/);
  });
});

describe("a data folder", () => {
  const stopped = async () => {
    await cluster.start("--no-quick-start");
    await cluster.stop();
    const file = join(cluster.dataDir, "store", "objects.db");
    expect(statSync(file).size).toBeGreaterThan(10_000);
    return file;
  };

  it("that cannot be written is refused by name", async () => {
    writeFileSync(cluster.dataDir, "");
    const { code, err } = await cluster.launch().ended;
    expect(code).toBe(2);
    expect(err).toContain(`the data folder ${cluster.dataDir} cannot be written`);
  });

  it("of a newer version is refused by name", async () => {
    const file = await stopped();
    const marker = { format: 9999, reserved: 7, checksum: crc32("9999 7") };
    writeFileSync(join(dirname(file), "objects.marker"), JSON.stringify(marker));
    const { code, err } = await cluster.launch().ended;
    expect(code).not.toBe(0);
    expect(err).toContain(`${dirname(file)} was written by a newer version`);
    expect(cluster.processes()).toEqual([]);
  });

  it("whose database is gone starts empty and says so; the next steps are those of a cluster without fleets", async () => {
    rmSync(dirname(await stopped()), { recursive: true });
    await cluster.start();
    const { err, out } = cluster.supervisor;
    expect(err).toContain(`the cluster's database, ${join(cluster.dataDir, "store")}, is gone`);
    expect(out).toMatch(/run --replicas 3 -- /);
    expect(out).not.toContain("allocate");
  });

  it("whose database is damaged is refused by the file's name, and not emptied", async () => {
    const file = await stopped();
    const { size } = statSync(file);
    writeFileSync(file, Buffer.alloc(size, 7));
    const { code, err } = await cluster.launch().ended;
    expect(code).not.toBe(0);
    expect(err).toContain(file);
    expect(statSync(file).size).toBe(size);
  });
});

describe("npx stadion", () => {
  it("starts a cluster, and Ctrl-C in its terminal ends it in order", async () => {
    const words = ["stadion", "--data-dir", cluster.dataDir, "start", "--api-port=0"];
    await using npx = new Program("npx", words, { cwd: ROOT });
    await npx.prints(/Ctrl-C stops it/);
    npx.ctrlC();
    expect((await npx.ended).err).toMatch(ORDERLY_END);
    expect(cluster.processes()).toEqual([]);
  });
});
