/**
 * What fleets of simulated games cost in the API and in time of a processor. Everything runs in this process over a store in memory;
 * a game becomes Ready as soon as its container runs.
 *
 * `writes-per-server`: writes of controllers and SDK servers (not of scheduler, nodes, or Events) from nothing to 1,000 Ready servers,
 * against the servers.
 * `cost-at-10000`: processor time of the whole cluster per server from nothing to 10,000 Ready servers, against the same with 1,000.
 * `rollout-writes`: writes of fleet and sets while 1,000 servers are replaced, with a surge of 25 %, against the fewest there could be:
 * a creation and a deletion of each server, and one write of both sets a step.
 * `idle-*`: a controller process with 10,000 servers of which nothing changes. Its writes in a minute (Leases left out), against one;
 * its processor time, against the minute; its memory, against a bare process that holds the
 * same objects as its caches keep them, after its garbage was collected.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inFolder, privateMemory, ROOT } from "./cluster.ts";
import type { Benchmark, Figure } from "./figure.ts";
import { SimulatedCluster, type WriteCounts } from "./simulated-cluster.ts";

const SMALL = 1000;
const LARGE = 10_000;
const IDLE_MS = 60_000;
/** maxSurge and maxUnavailable of a Fleet that says nothing are a quarter. */
const STEPS = 4;

export const benchmark: Benchmark = async (tell) => {
  const small = await grow(SMALL);
  tell(`${SMALL} servers: ${small.cost.toFixed(2)} ms each, ${shown(small.writes)}`);
  const rollout = await replace(small.cluster);
  await small.cluster[Symbol.asyncDispose]();
  tell(`replaced: ${shown(rollout)}`);
  const large = await grow(LARGE);
  tell(`${LARGE} servers: ${large.cost.toFixed(2)} ms each`);
  const idle = await idleController(large.cluster, tell);
  await large.cluster[Symbol.asyncDispose]();
  return [
    { name: "writes-per-server", value: sum(small.writes), unit: "writes", against: SMALL, target: 7 },
    { name: "cost-at-10000", value: large.cost, unit: "ms", against: small.cost, target: 1.3 },
    { name: "rollout-writes", value: sum(rollout), unit: "writes", against: 2 * SMALL + 2 * STEPS, target: 1.2 },
    ...idle,
  ];
};

/** What the controllers of fleets and sets write, and not the one of servers. */
const OF_FLEETS = /gameserversets|fleets|(create|shut down) gameservers/;

/** A cluster whose fleet grew from nothing; milliseconds of processor time for each server, and the writes of ours. */
async function grow(servers: number) {
  const cluster = await SimulatedCluster.open(servers);
  cluster.startControllers();
  const before = process.cpuUsage();
  await cluster.createFleet("arena", servers);
  const { user, system } = process.cpuUsage(before);
  const writes: WriteCounts = new Map([...cluster.controllerWrites, ["SDK", sum(cluster.sdkWrites)]]);
  return { cluster, cost: (user + system) / 1000 / servers, writes };
}

/** Writes of the fleet's and the sets' controllers during a rolling update. */
async function replace(cluster: SimulatedCluster): Promise<WriteCounts> {
  cluster.controllerWrites.clear();
  await cluster.rollOut("arena", "2");
  return new Map([...cluster.controllerWrites].filter(([what]) => OF_FLEETS.test(what)));
}

/** Starts the controller as its own process against the cluster, in which nothing happens any more. */
async function idleController(cluster: SimulatedCluster, tell: (progress: string) => void): Promise<readonly Figure[]> {
  await cluster.stopControllers();
  return inFolder(async (folder) => {
    const kubeconfig = join(folder, "kubeconfig");
    await cluster.listen(kubeconfig);
    const flags = [`--kubeconfig=${kubeconfig}`, "--http-port=0", "--min-port=7000", "--max-port=8000"];
    const controller = spawn(process.execPath, [join(ROOT, "dist", "controller.mjs"), ...flags], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(controller, "exit");
    try {
      const port = await httpPortOf(controller.stdout);
      await sleep(20_000);
      const pid = controller.pid ?? 0;
      const [cpu, writes] = [processorMs(pid), await writesOf(port)];
      await sleep(IDLE_MS);
      const used = processorMs(pid) - cpu;
      const written = (await writesOf(port)) - writes;
      tell(`idle for a minute: ${used} ms of a processor, ${written} writes`);
      const memory = privateMemory(pid);
      const bare = await bareMemory(kubeconfig);
      return [
        { name: "idle-writes", value: written, unit: "writes", against: 1, target: 0 },
        { name: "idle-cpu", value: used, unit: "ms", against: IDLE_MS, target: 0.01 },
        { name: "idle-memory", value: memory, unit: "MB", against: bare, target: 1.5 },
      ];
    } finally {
      controller.kill();
      await ended;
    }
  });
}

async function httpPortOf(stdout: NodeJS.ReadableStream): Promise<number> {
  let output = "";
  for await (const chunk of stdout) {
    output += chunk;
    const port = /"httpPort":(\d+)/.exec(output)?.[1];
    if (port) return Number(port);
  }
  throw new Error(`the controller did not start: ${output}`);
}

/** Requests that wrote something, as the controller itself counts them. */
async function writesOf(port: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = [...metrics.matchAll(/^agones_k8s_client_http_request_total\{verb="(?!GET)\w+",.*\} (\d+)$/gm)];
  return counts.reduce((total, [, count]) => total + Number(count), 0);
}

/** Processor time of a process so far (proc(5), `stat`; a tick is 10 ms). Linux only. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Memory of a process that lists the same objects, trims Pods as the controller does, and keeps them. */
async function bareMemory(kubeconfig: string): Promise<number> {
  const program = join(import.meta.dirname, "held-objects.ts");
  const child = spawn(process.execPath, ["--expose-gc", program, kubeconfig], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  const memory = privateMemory(child.pid ?? 0);
  child.kill();
  await ended;
  return memory;
}

const sum = (counts: WriteCounts): number => [...counts.values()].reduce((total, count) => total + count, 0);
const shown = (counts: WriteCounts): string => [...counts].map(([what, count]) => `${what} ${count}`).join(", ");
