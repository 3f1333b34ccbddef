import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { PODS } from "#api/core/resources.ts";
import { statusError } from "#api/meta/status.ts";
import { gameServer, openCommandLine, startCommand } from "#tests/command-line/command-line.ts";

/** A data folder whose API socket leads to that of another, and can be cut. */
async function relay(socketPath: string): Promise<{ readonly dataDir: string; cut(): void }> {
  const dataDir = mkdtempSync(join(tmpdir(), "stadion-relay-"));
  const open = new Set<Socket>();
  const server = createServer((here) => {
    const there = connect(socketPath);
    for (const [from, to] of [
      [here, there],
      [there, here],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on("error", () => {});
      from.on("close", () => to.destroy());
    }
  });
  const cut = () => {
    for (const socket of open) socket.destroy();
    open.clear();
  };
  onTestFinished(() => {
    server.close();
    cut();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await new Promise<void>((done) => server.listen(join(dataDir, "api.sock"), done));
  return { dataDir, cut };
}

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "default" },
  spec: { nodeName: "n", containers: [{ name: "game", image: "i" }] },
};

const BROKEN = "The connection to the cluster broke off; trying again …";

test("watch rides over a broken connection: it shows what is there, and goes on", async () => {
  const { client, dataDir: cluster } = await openCommandLine();
  await client.create(GAMESERVERS, gameServer("a"));
  const { dataDir, cut } = await relay(join(cluster, "api.sock"));
  const watching = startCommand(`--data-dir ${dataDir} watch gs -o name`);
  await expect.poll(() => watching.out.length).toBe(1);
  await client.create(GAMESERVERS, gameServer("b"));
  await expect.poll(() => watching.out.length).toBe(2);
  cut();
  await expect.poll(() => watching.out.length, { timeout: 10_000 }).toBe(4);
  await client.create(GAMESERVERS, gameServer("c"));
  await expect.poll(() => watching.out.length).toBe(5);
  watching.ctrlC();
  expect((await watching.ended).code).toBe(0);
  expect(watching.out.map((line) => line.split("/")[1])).toEqual(["a", "b", "a", "b", "c"]);
  expect(watching.err).toEqual([BROKEN]);
});

test("logs -f rides over a broken connection, and says what it does not show", async () => {
  const asked: (number | undefined)[] = [];
  const { client, dataDir: cluster } = await openCommandLine({
    podLogs: {
      open: async ({ tailLines, signal }) => {
        asked.push(tailLines);
        return asked.length === 1 ? untilCut("first\n", signal) : untilCut("later\n", AbortSignal.abort());
      },
    },
  });
  await client.create(PODS, pod);
  const { dataDir, cut } = await relay(join(cluster, "api.sock"));
  const following = startCommand(`--data-dir ${dataDir} logs a -f`);
  await expect.poll(() => following.out).toEqual(["first"]);
  cut();
  expect(await following.ended).toEqual({
    code: 0,
    out: "first\nlater",
    err: `${BROKEN}\nThe log of a goes on; what was written meanwhile is not shown.`,
  });
  expect(asked).toEqual([undefined, 0]);
});

test.each(["logs a", "logs a -f"])("%s waits for a node agent that is just being started", async (command) => {
  let asked = 0;
  const { client, run } = await openCommandLine({
    podLogs: {
      open: async () => {
        if (++asked < 3) throw statusError("ServiceUnavailable", "the node agent does not answer yet");
        return untilCut("first\n", AbortSignal.abort());
      },
    },
  });
  await client.create(PODS, pod);
  const err = "the node agent does not answer yet; trying again …";
  expect(await run(command)).toEqual({ code: 0, out: "first", err });
});

async function* untilCut(text: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  if (!signal?.aborted) await new Promise((done) => signal?.addEventListener("abort", done, { once: true }));
}
