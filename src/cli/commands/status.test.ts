import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { CUSTOM_RESOURCE_DEFINITIONS, NODES } from "#api/core/resources.ts";
import { parseJson } from "#api/meta/json.ts";
import type { Client } from "#kube/client.ts";
import {
  FakeAgent,
  fleetManifest,
  gameServer,
  openCommandLine,
  startCommand,
} from "#tests/command-line/command-line.ts";

const FLEETS = "/apis/agones.dev/v1/namespaces/default/fleets";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-status-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const node = (client: Client, ready: boolean) =>
  client.create(NODES, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n" },
    spec: {},
    status: {
      conditions: [{ type: "Ready", status: ready ? "True" : "Unknown" }],
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      allocatable: { cpu: "2", memory: "24684096Ki" },
    },
  } as Parameters<typeof client.create>[1]);

test("tells what runs", async () => {
  const { run, client, server, agent } = await openCommandLine();
  agent.running = { pid: 42, version: "1", ready: true };
  await node(client, true);
  await server.make(FLEETS, fleetManifest("arena", 3));
  await client.create(GAMESERVERS, gameServer("a"));
  const { code, out } = await run("status");
  expect(code).toBe(0);
  for (const part of [
    /running \(process 42\)/,
    /1 PortAllocation/,
    /n +true +127.0.0.1 +2 +23.5Gi/,
    /default +arena +3 +0 +0/,
  ])
    expect(out).toMatch(part);
  expect(parseJson((await run("status -o json")).out)).toMatchObject({
    nodes: [{ name: "n", ready: true, memory: "24684096Ki" }],
    gameServers: { PortAllocation: 1 },
  });
});

test("tells of the game servers that outlived their cluster, and of their processes", async () => {
  const agent = new FakeAgent();
  const status = () => startCommand(["--data-dir", folder, "status"], agent).ended;
  expect((await status()).err.split("\n")).toHaveLength(1);
  agent.running = { pid: 42, version: "1", ready: true };
  const server = { namespace: "default", container: "game", logFile: "" };
  agent.processes = [
    { ...server, pod: "a", pid: 50 },
    { ...server, pod: "b", pid: 51 },
    { ...server, pod: "c" },
  ];
  const { code, err } = await status();
  expect(code).toBe(3);
  expect(err).toMatch(
    /agent runs on \(process 42\), and 2 game servers \(processes 50, 51\)\.\nUnless a Ctrl-C is just ending them, the next start finds them; to end them, start/,
  );
});

test.skipIf(!existsSync("/proc/self"))("tells of game servers whose node agent is gone, too", async () => {
  const { run, dataDir } = await openCommandLine();
  for (const home of [folder, dataDir]) mkdirSync(join(home, "node"));
  const start = (home: string) => {
    const env = { STADION_RUN: join(realpathSync(home), "node/pods/u/game.0") };
    const script = "console.log(); setInterval(() => {}, 1000)";
    const game = spawn(process.execPath, ["-e", script], { env, stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void game.kill("SIGKILL"));
    return once(game.stdout, "data").then(() => game.pid);
  };
  const [left, other] = [await start(folder), await start(dataDir)];
  const { code, err } = await startCommand(["--data-dir", folder, "status"]).ended;
  expect(code).toBe(3);
  expect(err).toContain(
    `No node agent runs; nobody looks after 1 game server (process ${left}).\nThe next start finds`,
  );
  expect((await run("status")).err).toBe(
    `error: the node agent is not running: no game server is started or watched, nor 1 game server (process ${other}) that runs on`,
  );
});

test("fails when the agent is gone or a node is silent, after telling all", async () => {
  const { run, client, agent } = await openCommandLine();
  expect(await run("status")).toMatchObject({
    code: 1,
    err: expect.stringContaining("the node agent is not running"),
  });
  agent.running = { pid: 42, version: "1", ready: true };
  await node(client, false);
  const { code, out, err } = await run("status");
  expect({ code, err }).toEqual({ code: 1, err: "error: not ready: node n" });
  expect(out).toContain("false");
});

test("says that the agent hangs, also where nothing else answers", async () => {
  const { run, agent, dataDir } = await openCommandLine();
  agent.isSilent = true;
  const { code, out, err } = await run("status");
  expect({ code, err }).toEqual({
    code: 1,
    err: "error: the node agent does not answer: no game server is started or watched",
  });
  expect(out).toContain("Node agent     not answering");
  rmSync(join(dataDir, "api.sock"));
  expect((await run("status")).err).toMatch(/^The node agent does not answer; it has 0 game servers\./);
});

test("says which kinds are gone, after telling the rest", async () => {
  const { run, client, agent } = await openCommandLine();
  agent.running = { pid: 42, version: "1", ready: true };
  await node(client, true);
  for (const kind of ["fleets", "gameservers"])
    await client.delete(CUSTOM_RESOURCE_DEFINITIONS, "", `${kind}.agones.dev`);
  await expect
    .poll(() => run("status"))
    .toEqual({
      code: 1,
      out: expect.stringContaining("running (process 42)"),
      err: "error: the cluster does not know fleets.agones.dev, gameservers.agones.dev any more: end it with Ctrl-C and start it again, which defines what is missing anew",
    });
});
