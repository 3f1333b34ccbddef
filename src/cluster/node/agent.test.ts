/** The whole agent over real processes: shells and sleeps on this machine, and a cluster in memory. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Container, Pod, PodSpec } from "#api/core/pod.ts";
import { CONFIG_MAPS, EVENTS, LEASES, NODES, PODS } from "#api/core/resources.ts";
import { systemClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { killAll } from "#tests/harness/processes.ts";
import { createNodeAgent, type NodeAgentOptions } from "./agent.ts";
import { type AgentClient, createAgentClient } from "./agent-client.ts";
import type { StartHandlerContainer } from "./handler-container.ts";
import type { ImageCommand } from "./image-resolver.ts";
import { createLinuxProcessHost } from "./linux-process-host.ts";
import { commandLineOf, processesWith } from "./proc-files.ts";
import { FakeCluster } from "./testing/fake-cluster.ts";
import { container, podOf } from "./testing/worker-harness.ts";

let folder: string;
let cluster: FakeCluster;
let images: Map<string, ImageCommand>;
let imagesChanged: () => void;
let agent: { readonly abort: AbortController; readonly done: Promise<void>; readonly client: AgentClient };
let handlerStarts: { readonly saved: unknown; readonly args: readonly string[] }[];
let healthy: boolean;

/** Stands in for the SDK server: keeps a port, answers for the pod's health. */
const handler: StartHandlerContainer = async ({ saved, save, args, environment }) => {
  handlerStarts.push({ saved, args });
  if (!saved) await save({ port: 4711 });
  return {
    environment: { SDK_PORT: "4711", SDK_POD: environment.POD ?? "" },
    probe: async (_port, path) => ({ status: path === "/health" && healthy ? 200 : 500, body: "" }),
    stop: async () => {},
  };
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-node-"));
  cluster = new FakeCluster(() => Date.now());
  images = new Map([["shell", { command: ["sh", "-c"] }]]);
  imagesChanged = () => {};
  handlerStarts = [];
  healthy = true;
});
afterEach(async () => {
  await stop();
  killAll(await mine());
  rmSync(folder, { recursive: true, force: true });
});

async function start(more: Partial<NodeAgentOptions> = {}): Promise<void> {
  const abort = new AbortController();
  const socketPath = join(folder, "agent.sock");
  const running = createNodeAgent({
    client: cluster,
    nodeName: "node",
    addresses: [
      { type: "InternalIP", address: "127.0.0.1" },
      { type: "Hostname", address: "node" },
    ],
    capacity: { cpu: "2", memory: "4Gi", pods: "100" },
    stateFolder: join(folder, "state"),
    socketPath,
    images: {
      resolve: (image) => images.get(image),
      onChange: (changed) => {
        imagesChanged = changed;
        return () => {};
      },
    },
    handlers: new Map([["sdk", handler]]),
    host: createLinuxProcessHost({ clock: systemClock }),
    clock: systemClock,
    log: silentLogger,
    version: "0.1.0",
    baseEnvironment: { PATH: process.env.PATH ?? "", HOME: folder },
    onStop: () => abort.abort(),
    ...more,
  });
  agent = { abort, done: running.run(abort.signal), client: createAgentClient(socketPath) };
  await Promise.race([running.ready(), agent.done]);
}
async function stop(): Promise<void> {
  agent.abort.abort();
  await agent.done.catch(() => {});
}

const mine = async () => (await processesWith("STADION_RUN")).filter(({ value }) => value.startsWith(folder));
const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 15_000, interval: 20 });
const pod = (name = "a") => cluster.find(PODS, `ns/${name}`);
const game = (script: string, more: Partial<Container> = {}): Container =>
  container("game", { image: "shell", args: [script], ...more });
const create = (spec: Partial<PodSpec>, metadata: Partial<Pod["metadata"]> = {}) => {
  const built = podOf({ restartPolicy: "Never", ...spec }, metadata.name);
  return cluster.create(PODS, { ...built, metadata: { ...built.metadata, ...metadata } });
};
const gameStatus = (name = "a") => pod(name)?.status?.containerStatuses?.[0];
const phase = (want: string, name = "a") => eventually(() => expect(pod(name)?.status?.phase).toBe(want));
const log = async (query: Partial<Parameters<AgentClient["logs"]>[0]> = {}): Promise<string> => {
  const chunks = await agent.client.logs({ namespace: "ns", pod: "a", container: "game", ...query });
  return Buffer.concat((await Array.fromAsync(chunks)).map(({ bytes }) => bytes)).toString();
};
const gamePid = () =>
  eventually(async () => {
    const [info] = await agent.client.containers();
    if (info?.pid === undefined) throw new Error("no process yet");
    return info.pid;
  });
const sdk = container("sdk", {
  restartPolicy: "Always",
  args: ["--for=$(POD)"],
  env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
});

describe.skipIf(process.platform !== "linux")("a node agent", () => {
  test("gives a container what config maps hold, and says what it waits for and what it skips", async () => {
    await start();
    const configMapRef = { name: "settings" };
    const envFrom = [{ configMapRef }, { prefix: "GAME_", configMapRef }];
    const containers = [game("echo $GAME_MODE", { envFrom })];
    await create({ containers });
    const waiting = { reason: "CreateContainerConfigError", message: 'configmap "settings" not found' };
    await eventually(() => expect(gameStatus()?.state).toEqual({ waiting }));
    await cluster.create(CONFIG_MAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "ns", ...configMapRef },
      data: { MODE: "ranked", "9": "x" },
    });
    await create({ containers }, { name: "b" });
    await phase("Succeeded", "b");
    expect(await log({ pod: "b" })).toBe("ranked\n");
    await eventually(async () => {
      const messages = (await cluster.list(EVENTS)).items.map(({ reason, message }) => `${reason}: ${message}`);
      expect(messages).toContain(
        "InvalidEnvironmentVariableNames: Keys [9] from the EnvFrom configMap ns/settings were skipped since they are considered invalid environment variable names.",
      );
    });
  });

  test("registers its node, says what it cannot enforce, and renews its lease", async () => {
    await start();
    await eventually(() => expect(cluster.find(LEASES, "kube-node-lease/node")?.spec?.holderIdentity).toBe("node"));
    expect(cluster.find(NODES, "node")).toMatchObject({
      metadata: {
        labels: { "kubernetes.io/hostname": "node", "kubernetes.io/os": "linux" },
        annotations: { "stadion.dev/not-enforced": expect.stringContaining("memoryLimit") },
      },
      status: {
        allocatable: { cpu: "2", memory: "4Gi", pods: "100" },
        addresses: [
          { type: "InternalIP", address: "127.0.0.1" },
          { type: "Hostname", address: "node" },
        ],
        conditions: [{ type: "Ready", status: "True" }],
      },
    });
  });

  test("gives a container its ports, its handler's environment, and its pod's facts", async () => {
    await start({ environmentFor: () => ({ STADION_PORT_GAME: "7001" }) });
    await create(
      {
        initContainers: [sdk],
        containers: [
          game('echo "$PORT $STADION_PORT_QUERY $STADION_PORT_GAME $SDK_PORT $SDK_POD $WHO $1"', {
            args: [
              'echo "$PORT $STADION_PORT_QUERY $STADION_PORT_GAME $SDK_PORT $SDK_POD $WHO $0"',
              "$(PORT)-$(WHO)-$$(WHO)",
            ],
            ports: [
              { containerPort: 7654, hostPort: 7001 },
              { name: "query", containerPort: 1, hostPort: 7002 },
            ],
            env: [
              { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.labels['who']" } } },
              { name: "WHO", value: "I am $(NAME)" },
              { name: "SDK_PORT", value: "the handler knows better" },
            ],
          }),
        ],
      },
      { labels: { who: "me" } },
    );
    await phase("Succeeded");
    expect(await log()).toBe("7001 7002 7001 4711 a I am me 7001-I am me-$(WHO)\n");
    expect(handlerStarts).toEqual([{ saved: undefined, args: ["--for=a"] }]);
  });

  test("says how to map an image it does not know, and starts it once it is mapped", async () => {
    await start();
    await create({ containers: [container("game", { image: "reg.example/my-game:1", args: ["echo hello"] })] });
    await eventually(() => expect(gameStatus()?.state?.waiting?.reason).toBe("ErrImagePull"));
    expect(gameStatus()?.state?.waiting?.message).toContain("stadion images add reg.example/my-game:1 -- ");
    images.set("reg.example/my-game:1", { command: ["sh", "-c"] });
    imagesChanged();
    await phase("Succeeded");
  });

  test.each([
    ["does not exist", { command: ["/no/such/program"] }],
    ["was not found in PATH", { command: ["no-such-program"] }],
    ["is not executable", { command: ["/etc/passwd"] }],
    ["working directory", { command: ["sh"], workingDir: "/no/such/folder" }],
  ])("tells of a command that %s", async (text, more) => {
    await start();
    await create({ containers: [container("game", { image: "shell", ...more })] });
    await phase("Failed");
    expect(gameStatus()?.state?.terminated).toMatchObject({
      exitCode: 128,
      reason: "StartError",
      message: expect.stringContaining(text),
    });
  });

  test("tells of a game that exits at once, with the last it said", async () => {
    await start();
    await create({ containers: [game("echo cannot bind >&2; exit 4")] });
    await phase("Failed");
    expect(gameStatus()?.state?.terminated).toMatchObject({ exitCode: 4, reason: "Error", message: "cannot bind" });
  });

  test("notices at once that a game was killed by hand", async () => {
    await start();
    await create({ initContainers: [sdk], containers: [game("exec sleep 100")] });
    await phase("Running");
    process.kill(await gamePid(), "SIGKILL");
    await phase("Failed");
    expect(gameStatus()?.state?.terminated?.exitCode).toBe(137);
  });

  test("ends a game whose handler calls it unhealthy", async () => {
    await start();
    const livenessProbe = { httpGet: { path: "/health", port: 8080 }, periodSeconds: 1, failureThreshold: 1 };
    const server = container("sdk", {
      ...sdk,
      livenessProbe: { httpGet: { path: "/health", port: 8080 }, periodSeconds: 100 },
    });
    await create({ initContainers: [server], containers: [game("exec sleep 100", { livenessProbe })] });
    await phase("Running");
    healthy = false;
    await phase("Failed");
    expect(gameStatus()?.state?.terminated?.exitCode).toBe(143);
  });

  test("ends a deleted pod in order and leaves nothing of it", async () => {
    await start();
    await create({
      initContainers: [sdk],
      containers: [game('trap "exit 0" TERM; echo up; while :; do sleep 0.05; done')],
    });
    await eventually(async () => expect(await log()).toBe("up\n"));
    await cluster.delete(PODS, "ns", "a");
    await eventually(() => expect(pod()).toBeUndefined());
    expect(await mine()).toEqual([]);
    // But an empty folder, for a container to come.
    await eventually(() => expect(readdirSync(join(folder, "state/pods"))).toEqual(["spare@1"]));
    await stop();
    await start();
    expect(readFileSync(join(folder, "state/state"), "utf8")).toBe("");
  });
});

describe.skipIf(process.platform !== "linux")("a later node agent", () => {
  test("goes on with the same processes, and starts handlers with what they saved", async () => {
    await start();
    await create({ initContainers: [sdk], containers: [game("exec sleep 100")] });
    await phase("Running");
    const before = await gamePid();
    const version = pod()?.metadata.resourceVersion;
    await stop();
    await start();
    expect(await gamePid()).toBe(before);
    await eventually(() => expect(handlerStarts.map(({ saved }) => saved)).toEqual([undefined, { port: 4711 }]));
    // Until then a shell has the signal, which passes it by.
    await eventually(() => expect(commandLineOf(before)[0]).toBe("sleep"));
    process.kill(before, "SIGTERM");
    await phase("Failed");
    expect(gameStatus()?.state?.terminated?.exitCode).toBe(143);
    expect(Number(pod()?.metadata.resourceVersion)).toBeGreaterThan(Number(version));
  });

  test("reports how a game ended while no agent was there", async () => {
    await start();
    await create({ containers: [game("while ! [ -e ../../go ]; do sleep 0.05; done; exit 6")] });
    await phase("Running");
    const [info] = await agent.client.containers();
    await stop();
    writeFileSync(join(info?.logFile ?? "", "../../go"), "");
    await eventually(() => expect(readFileSync(info?.logFile.replace(/log$/, "exit") ?? "", "utf8")).toBe("6\n"));
    await start();
    await phase("Failed");
    expect(gameStatus()?.state?.terminated?.exitCode).toBe(6);
  });

  test("kills what belongs to no pod any more", async () => {
    await start();
    await create({ containers: [game("exec sleep 100")] });
    await phase("Running");
    await stop();
    await cluster.delete(PODS, "ns", "a", { gracePeriodSeconds: 0 });
    await start();
    expect(await agent.client.containers()).toEqual([]);
    await eventually(async () => expect(await mine()).toEqual([]));
  });

  test("is refused while another one runs", async () => {
    await start();
    const first = agent;
    await expect(start()).rejects.toMatchObject({ code: "AgentRunning" });
    agent = first;
    expect(await agent.client.identity()).toMatchObject({ node: "node", pid: process.pid, ready: true });
  });
});

describe.skipIf(process.platform !== "linux")("the agent's socket", () => {
  test("answers with a container's log: all of it, its end, its beginning, its lines' times", async () => {
    await start();
    await create({ containers: [game("for n in 1 2 3 4; do echo line $n; done")] });
    await phase("Succeeded");
    expect(await log()).toBe("line 1\nline 2\nline 3\nline 4\n");
    expect(await log({ tailLines: 2 })).toBe("line 3\nline 4\n");
    expect(await log({ tailLines: 0 })).toBe("");
    expect(await log({ limitBytes: 8 })).toBe("line 1\nl");
    expect(await log({ container: undefined, tailLines: 1, timestamps: true })).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z line 4\n$/,
    );
  });

  test("gives a container that it runs in itself an empty log, so that all logs of a pod can be read", async () => {
    await start();
    const sdk = container("sdk", { restartPolicy: "Always" });
    await create({ initContainers: [sdk], containers: [game("echo up; exec sleep 100")] });
    await phase("Running");
    expect(await log({ container: "sdk" })).toBe("");
    expect(await log({ container: "sdk", follow: true })).toBe("");
  });

  test("follows a log until its container ends", async () => {
    await start();
    await create({ containers: [game('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done')] });
    await phase("Running");
    const following = log({ follow: true });
    await eventually(async () => expect(await log()).toBe("up\n"));
    await cluster.delete(PODS, "ns", "a");
    expect(await following).toMatch(/^up\n.*bye\n$/s);
  });

  test("shows the log of the run before", async () => {
    await start();
    await create({
      restartPolicy: "OnFailure",
      containers: [game("if [ -e ran ]; then echo second; else touch ran; echo first; exit 1; fi")],
    });
    await phase("Succeeded");
    expect(await log({ previous: true })).toBe("first\n");
    expect(await log()).toBe("second\n");
  });

  test.each([
    [{ pod: "b" }, 404, 'pods "b" not found'],
    [{ container: "x" }, 400, "container x is not valid for pod a"],
    [{ previous: true }, 400, 'previous terminated container "game" in pod "a" not found'],
  ])("refuses %j", async (query, code, message) => {
    await start();
    await create({ containers: [game("exit 0")] });
    await phase("Succeeded");
    await expect(log(query)).rejects.toMatchObject({ message, status: { code } });
  });

  test("stops the agent and keeps the servers", async () => {
    await start();
    await create({ containers: [game("exec sleep 100")] });
    await phase("Running");
    const pid = await gamePid();
    await agent.client.stop("servers");
    await agent.done;
    expect(process.kill(pid, 0)).toBe(true);
    expect(await agent.client.identity()).toBeUndefined();
  });

  test("stops the agent and the servers with it", async () => {
    await start({ stopGraceMs: 300 });
    await create({ containers: [game('trap "" TERM; echo up; while :; do sleep 0.05; done')] });
    await eventually(async () => expect(await log()).toBe("up\n"));
    await agent.client.stop("none");
    await agent.done;
    await eventually(async () => expect(await mine()).toEqual([]));
  });

  test("is taken over when nobody answers at it", async () => {
    writeFileSync(join(folder, "agent.sock"), "");
    await start();
    expect(await agent.client.identity()).toMatchObject({ ready: true });
  });
});
