/**
 * What the SDK server beside a game on Kubernetes costs: `dist/sdk-server.mjs` with the flags of its documentation, against the embedded
 * API server over HTTPS, whose GameServer it serves.
 *
 * - `sidecar-start`: from the start of the process until a call is answered.
 * - `sidecar-idle`: private dirty memory two seconds later.
 * - `sidecar-loaded`: the same two seconds after 20,000 calls of GetGameServer, 8 at a time.
 *
 * Yardstick of each: `bare-grpc-server.ts`, grpc-js with one method that answers as many bytes, bundled the same way, with the same
 * flags. Medians; both take turns.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import { build } from "esbuild";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { createClient } from "#kube/api-client.ts";
import { kubeconfigAccess } from "#kube/kubeconfig.ts";
import { httpsTransport } from "#kube/transport-https.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { MEMORY_ENVIRONMENT, MEMORY_FLAGS } from "#tests/harness/memory-flags.ts";
import { startEmbedded } from "#tests/kubernetes/rig/embedded.ts";
import { bundling } from "../tools/build/bundle.ts";
import { inFolder, ROOT } from "./cluster.ts";
import { type Benchmark, median } from "./figure.ts";

const ROUNDS = 7;
const CALLS = 20_000;
const AT_ONCE = 8;
const SETTLE_MS = 2000;
const TARGETS = { start: 1.5, idle: 1.5, loaded: 2 } as const;
const METHOD = "/agones.dev.sdk.SDK/GetGameServer";

type Measured = Readonly<Record<keyof typeof TARGETS, number>>;

export const benchmark: Benchmark = (tell) =>
  inFolder(async (folder) => {
    const bare = join(folder, "bare.mjs");
    await build({ ...bundling(), entryPoints: [join(import.meta.dirname, "bare-grpc-server.ts")], outfile: bare });
    const api = await startEmbedded(folder, "0.0.0");
    try {
      await createGameServer(api.kubeconfig);
      const rounds: { readonly ours: Measured; readonly bare: Measured }[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        rounds.push({ bare: await measure(bareArguments(bare)), ours: await measure(ourArguments(api.kubeconfig)) });
        tell(`round ${round} of ${ROUNDS}`);
      }
      const middle = (of: "ours" | "bare", what: keyof Measured): number =>
        median(rounds.map((each) => each[of][what]));
      return (["start", "idle", "loaded"] as const).map((what) => ({
        name: `sidecar-${what}`,
        value: middle("ours", what),
        unit: what === "start" ? ("ms" as const) : ("MB" as const),
        against: middle("bare", what),
        target: TARGETS[what],
      }));
    } finally {
      await api.stop();
    }
  });

type Arguments = (port: number) => readonly string[];

const bareArguments =
  (file: string): Arguments =>
  (port) => [file, String(port)];

const ourArguments =
  (kubeconfig: string): Arguments =>
  (port) => [
    join(ROOT, "dist", "sdk-server.mjs"),
    "--gameserver-name=measured",
    "--pod-namespace=default",
    `--kubeconfig=${kubeconfig}`,
    "--address=127.0.0.1",
    `--grpc-port=${port}`,
    "--http-port=0",
    "--health-port=0",
  ];

async function createGameServer(kubeconfig: string): Promise<void> {
  const transport = httpsTransport(await kubeconfigAccess(kubeconfig, { clock }));
  await createClient(transport).create(GAMESERVERS, {
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: { name: "measured", namespace: "default" },
    spec: { template: { spec: { containers: [{ name: "game", image: "game:1" }] } } },
  });
  await transport.close();
}

async function measure(argumentsOf: Arguments): Promise<Measured> {
  const port = await freePort();
  const env = { ...process.env, ...MEMORY_ENVIRONMENT };
  const started = performance.now();
  const child = spawn(process.execPath, [...MEMORY_FLAGS, ...argumentsOf(port)], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  try {
    await opened(port, () => child.exitCode !== null);
    await answered(port);
    const start = performance.now() - started;
    await sleep(SETTLE_MS);
    const idle = privateDirtyMb(child.pid ?? 0);
    await call(port);
    await sleep(SETTLE_MS);
    return { start, idle, loaded: privateDirtyMb(child.pid ?? 0) };
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Resolves when somebody listens. */
async function opened(port: number, hasEnded: () => boolean): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    if (hasEnded()) throw new Error("the server ended before it served");
    await sleep(2);
  }
}

/** One call over a connection of its own, with nothing around it that would wait or try again. */
async function answered(port: number): Promise<void> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const stream = session.request({
    ":method": "POST",
    ":path": METHOD,
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.end(Buffer.alloc(5));
  const [trailers] = await once(stream.resume(), "trailers");
  if (trailers["grpc-status"] !== "0") throw new Error(`the first call failed: ${trailers["grpc-message"]}`);
  session.close();
  await once(session, "close");
}

async function call(port: number): Promise<void> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const bytes = (value: Buffer): Buffer => value;
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(METHOD, bytes, bytes, Buffer.alloc(0), (error) => (error ? reject(error) : resolve()));
    });
  const worker = async (): Promise<void> => {
    for (let count = 0; count < CALLS / AT_ONCE; count++) await one();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  client.close();
}

function privateDirtyMb(pid: number): number {
  const [, kilobytes] = /^Private_Dirty:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
