/** Logs over the end of one node agent and the start of the next, of a real process. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { PODS } from "#api/core/resources.ts";
import { systemClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { killAll } from "#tests/harness/processes.ts";
import { createNodeAgent } from "./agent.ts";
import { createAgentClient } from "./agent-client.ts";
import { rotateLog } from "./container-log.ts";
import { openEnduringLog } from "./enduring-log.ts";
import { createLinuxProcessHost } from "./linux-process-host.ts";
import { processesWith } from "./proc-files.ts";
import { FakeCluster } from "./testing/fake-cluster.ts";
import { container, podOf } from "./testing/worker-harness.ts";

const QUERY = { namespace: "ns", pod: "a", container: "game" };
const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 15_000, interval: 20 });

/** A node whose agent comes and goes, with one pod that runs a script until there is a file `go` in the state folder's parent. */
async function openNode(script: string) {
  const folder = mkdtempSync(join(tmpdir(), "stadion-node-"));
  const cluster = new FakeCluster(() => Date.now());
  const socketPath = join(folder, "agent.sock");
  let end = async () => {};
  const start = async (prepared?: () => Promise<void>) => {
    const abort = new AbortController();
    const agent = createNodeAgent({
      client: cluster,
      nodeName: "node",
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      capacity: { cpu: "1", memory: "1Gi", pods: "10" },
      stateFolder: join(folder, "state"),
      images: { resolve: () => ({ command: ["sh", "-c"] }) },
      handlers: new Map(),
      baseEnvironment: { PATH: process.env.PATH ?? "", GO: join(folder, "go") },
      host: createLinuxProcessHost({ clock: systemClock }),
      clock: systemClock,
      log: silentLogger,
      version: "0.1.0",
      onStop: () => {},
      socketPath,
      prepared,
    });
    const done = agent.run(abort.signal);
    end = async () => {
      abort.abort();
      await done;
    };
    await agent.ready();
  };
  onTestFinished(async () => {
    await end();
    killAll((await processesWith("STADION_RUN")).filter(({ value }) => value.startsWith(folder)));
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  await cluster.create(
    PODS,
    podOf({ restartPolicy: "Never", containers: [container("game", { args: [script] })] }, "a"),
  );
  await eventually(() => expect(cluster.find(PODS, "ns/a")?.status?.phase).toBe("Running"));
  return {
    client: createAgentClient(socketPath),
    start,
    stop: () => end(),
    go: () => writeFileSync(join(folder, "go"), ""),
  };
}

const linesOf = (file: string) => readFileSync(file, "utf8").split("\n").length;

describe.skipIf(process.platform !== "linux")("a log", () => {
  test("that is followed goes on with the next agent, every line once, also when it was moved aside", async () => {
    const { client, start, stop, go } = await openNode(
      'i=0; while ! [ -e "$GO" ]; do echo line $i; i=$((i+1)); sleep 0.01; done; echo line $i',
    );
    const { logFile, pid } = await eventually(async () => {
      const [info] = await client.containers();
      if (info?.pid === undefined) throw new Error("no process yet");
      return { logFile: info.logFile, pid: info.pid };
    });
    let text = "";
    const chunks = await openEnduringLog(client, { ...QUERY, follow: true, timestamps: true }, { clock: systemClock });
    const following = (async () => {
      for await (const chunk of chunks) text += Buffer.from(chunk).toString();
    })();
    const seen = () => text.split("\n").length;
    await eventually(() => expect(seen()).toBeGreaterThan(5));
    await stop();
    const before = seen();
    await eventually(() => expect(linesOf(logFile)).toBeGreaterThan(before + 10));
    // What is written in the instant of a rotation may be lost.
    process.kill(pid, "SIGSTOP");
    await rotateLog(logFile, 0);
    process.kill(pid, "SIGCONT");
    await start();
    await eventually(() => expect(seen()).toBeGreaterThan(before + 10));
    go();
    await following;
    const lines = text.trimEnd().split("\n");
    const numbered = lines.map((_, index) => expect.stringMatching(new RegExp(`^[-\\dT:.]+Z line ${index}$`)));
    expect(lines).toEqual(numbered);
  });

  test("is unavailable without an agent, and until the next one knows its pods", async () => {
    const { client, start, stop } = await openNode("echo up; exec sleep 100");
    const log = async () => {
      const pieces = await Array.fromAsync(await client.logs(QUERY));
      return pieces.map(({ bytes }) => bytes.toString()).join("");
    };
    await eventually(async () => expect(await log()).toBe("up\n"));
    await stop();
    const unavailable = (message: string) => ({ status: { code: 503 }, message });
    await expect(log()).rejects.toMatchObject(unavailable("the node agent does not answer yet"));
    const prepared = Promise.withResolvers<void>();
    const starting = start(() => prepared.promise);
    const early = "the node agent does not answer for its pods yet: it has just been started";
    await eventually(() => expect(log()).rejects.toMatchObject(unavailable(early)));
    prepared.resolve();
    await starting;
    expect(await log()).toBe("up\n");
  });
});
