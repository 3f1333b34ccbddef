/**
 * A fleet of 200 servers of a small static program in C, which tells its SDK server that it is ready and then echoes datagrams.
 *
 * - `fleet-200`: from the request that creates the fleet until the API shows 200 Ready servers (looked at every 20 ms). The cluster runs
 *   and has made such a fleet once before. Yardstick: a bare loop in a Node process of its own that starts the same program 200 times,
 *   each with a log file, until each has told that process that it is ready. Medians; they take turns.
 * - `control-plane-memory-…`, `node-agent-memory-…`: what each of the two processes has written to (Private_Dirty), on a new cluster with
 *   0 servers, then with 200. Yardstick: a bare Node process with a timer.
 *
 * Needs Linux and a C compiler.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { IMAGE_MAP_NAME, IMAGE_MAP_NAMESPACE, imageMapData } from "#api/stadion/image-map.ts";
import { inFolder, privateMemory, RunningCluster, START, until } from "./cluster.ts";
import { type Benchmark, BenchmarkSkipped, type Figure, median } from "./figure.ts";

const COUNT = 200;
const ROUNDS = 5;
const TARGET = 1.5;
const PATIENCE_MS = 120_000;
/** Away from the default ports: another cluster may run on this machine. */
const GAME_PORTS = "21000-21999";
const BARE_FIRST_PORT = 22_000;
const FLEETS = "/apis/agones.dev/v1/namespaces/default/fleets";
const PODS = "/api/v1/namespaces/default/pods";

export const benchmark: Benchmark = (tell) =>
  inFolder(async (folder) => {
    const program = compile(folder);
    await using cluster = await RunningCluster.start(
      [...START, "--no-quick-start", "--game-ports", GAME_PORTS],
      join(folder, "data"),
    );
    await cluster.create(`/api/v1/namespaces/${IMAGE_MAP_NAMESPACE}/configmaps`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: IMAGE_MAP_NAME },
      data: imageMapData({ echo: { command: [program] } }),
    });
    const bareMemory = await bareNodeMemory();
    const empty = memory(cluster);
    const times = { fleet: [] as number[], bare: [] as number[] };
    let full: ReturnType<typeof memory> | undefined;
    for (let round = 0; round <= ROUNDS; round++) {
      const fleet = await timeFleet(cluster, `fleet-${round}`, () => {
        full ??= memory(cluster);
      });
      const bare = await timeBareLoop(program, mkdtempSync(join(folder, "logs-")));
      tell(
        `${round === 0 ? "warm-up" : `round ${round} of ${ROUNDS}`}: ${fleet.toFixed(0)} ms, ${bare.toFixed(0)} ms bare`,
      );
      if (round === 0) continue;
      times.fleet.push(fleet);
      times.bare.push(bare);
    }
    const figure = (name: string, value: number): Figure => ({
      name,
      value,
      unit: "MB",
      against: bareMemory,
      target: null,
    });
    return [
      { name: "fleet-200", value: median(times.fleet), unit: "ms", against: median(times.bare), target: TARGET },
      figure("control-plane-memory-0", empty.controlPlane),
      figure("node-agent-memory-0", empty.nodeAgent),
      figure("control-plane-memory-200", full?.controlPlane ?? 0),
      figure("node-agent-memory-200", full?.nodeAgent ?? 0),
    ];
  });

/** Compiles the program into `folder`. Throws `BenchmarkSkipped` when there is no compiler that makes static programs. */
function compile(folder: string): string {
  const program = join(folder, "echo");
  const source = join(import.meta.dirname, "echo", "echo.c");
  const { status, error, stderr } = spawnSync("cc", ["-O2", "-static", "-o", program, source], { encoding: "utf8" });
  if (status !== 0) throw new BenchmarkSkipped(`needs a C compiler that makes static programs: ${error ?? stderr}`);
  return program;
}

/** Creates the fleet, waits for its servers, and takes it away again. */
async function timeFleet(cluster: RunningCluster, name: string, whenReady: () => void): Promise<number> {
  const path = `${FLEETS}/${name}`;
  const started = performance.now();
  await cluster.create(FLEETS, {
    apiVersion: "agones.dev/v1",
    kind: "Fleet",
    metadata: { name },
    spec: {
      replicas: COUNT,
      template: {
        spec: {
          health: { disabled: true },
          ports: [{ name: "game", containerPort: 7654 }],
          template: { spec: { containers: [{ name: "echo", image: "echo" }] } },
        },
      },
    },
  });
  const ready = async (): Promise<boolean> =>
    (await cluster.get<{ status?: { readyReplicas?: number } }>(path)).status?.readyReplicas === COUNT;
  await until(ready, PATIENCE_MS);
  const elapsed = performance.now() - started;
  whenReady();
  await cluster.ask("DELETE", path);
  const gone = async (): Promise<boolean> =>
    (await cluster.get<{ items: readonly unknown[] }>(PODS)).items.length === 0;
  await until(gone, PATIENCE_MS);
  return elapsed;
}

async function timeBareLoop(program: string, logs: string): Promise<number> {
  mkdirSync(logs, { recursive: true });
  const loop = join(import.meta.dirname, "echo", "bare-loop.mjs");
  const args = [loop, program, String(COUNT), String(BARE_FIRST_PORT), logs];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const [answer] = await once(child.stdout, "data");
  child.stdin.end();
  await once(child, "exit");
  return Number(answer);
}

const memory = (cluster: RunningCluster): { readonly controlPlane: number; readonly nodeAgent: number } => ({
  controlPlane: privateMemory(cluster.pid("control-plane")),
  nodeAgent: privateMemory(cluster.pid("node-agent")),
});

async function bareNodeMemory(): Promise<number> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  await once(child, "spawn");
  await sleep(1000);
  const used = privateMemory(child.pid ?? 0);
  child.kill("SIGKILL");
  await once(child, "exit");
  return used;
}
