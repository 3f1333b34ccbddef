/** The ends that a terminal, a shell or an init system gives to a cluster: none leaves a process behind that nobody looks after. */
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Cluster, ORDERLY_END, ROOT } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { fleet } from "./harness/manifests.ts";
import { killAll } from "./harness/processes.ts";
import { Program } from "./harness/program.ts";

let cluster: Cluster;
beforeEach(() => {
  cluster = new Cluster();
});
afterEach(async () => {
  expect(await cluster.end()).toEqual([]);
});

/** With game servers that need a moment to end. */
async function startWithServers(): Promise<void> {
  await cluster.start("--no-quick-start");
  await cluster.stadion("apply -f -", { input: fleet("arena", { replicas: 2 }) });
  await cluster.servers("arena", 2);
}

describe("the end of a cluster", () => {
  it.each(["SIGTERM", "SIGHUP"] as const)("comes in order at %s", async (signal) => {
    await startWithServers();
    const path = "/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations";
    await cluster.ask({ method: "POST", path, body: {} });
    cluster.supervisor.signal(signal);
    const { code, err } = await cluster.supervisor.ended;
    expect([code, err]).toEqual([0, expect.stringMatching(ORDERLY_END)]);
    expect(err).toContain(", which ends 1 match (an Allocated game server) …");
    expect(cluster.processes()).toEqual([]);
  });

  it("comes also when the terminal is gone before anything of it can be told", async () => {
    await startWithServers();
    cluster.supervisor.closeOutput();
    cluster.supervisor.signal("SIGHUP");
    expect((await cluster.supervisor.ended).code).toBe(0);
    expect(cluster.processes()).toEqual([]);
  });

  it("does not wait after a second Ctrl-C, and still ends the game servers", async () => {
    await startWithServers();
    // A control plane that does not hear keeps the first Ctrl-C waiting.
    process.kill(cluster.part("control-plane").pid, "SIGSTOP");
    const controlPlane = cluster.part("control-plane");
    cluster.supervisor.ctrlC();
    await cluster.supervisor.prints(/Stopping the game servers/);
    await eventually(() => {
      if (cluster.supervisor.isRunning) cluster.supervisor.ctrlC();
      expect(cluster.supervisor.isRunning).toBe(false);
    });
    expect((await cluster.supervisor.ended).code).toBe(130);
    killAll([controlPlane]);
    await eventually(() => expect(cluster.processes()).toEqual([]));
  });
});

it("a cluster goes on when nobody reads what it prints any more", async () => {
  await startWithServers();
  cluster.supervisor.closeOutput();
  const { pid } = cluster.part("control-plane");
  // Its end, and the agent's, are told to nobody.
  killAll([{ pid }, cluster.part("node-agent")]);
  await eventually(() => expect(cluster.part("control-plane").pid).not.toBe(pid));
  await eventually(() => cluster.stadion("status"));
  expect(cluster.supervisor.isRunning).toBe(true);
  await cluster.stadion("scale fleet arena --replicas 3");
  await cluster.servers("arena", 3);
  cluster.supervisor.signal("SIGTERM");
  expect((await cluster.supervisor.ended).code).toBe(0);
});

describe.skipIf(!isInstalled())("npm start", () => {
  const start = () => {
    const words = ["start", "--", "--data-dir", cluster.dataDir, "--api-port=0"];
    return new Program("npm", words, { cwd: ROOT, env: withOtherNode() });
  };

  it("is all it takes, and Ctrl-C in its terminal ends it in order; games get the PATH of the person", async () => {
    await using npm = start();
    await npm.prints(/Ctrl-C stops it/);
    const [game] = cluster.processes().filter(({ environment }) => environment.AGONES_SDK_HTTP_PORT);
    expect(game?.environment.PATH).toBe(withOtherNode().PATH);
    expect(Object.keys(game?.environment ?? {}).filter((name) => /^(npm|NODE)_/.test(name))).toEqual([]);
    npm.ctrlC();
    expect((await npm.ended).err).toMatch(ORDERLY_END);
    expect(cluster.processes()).toEqual([]);
  });

  it("ends in order when its own process alone is told to end", async () => {
    await using npm = start();
    await npm.prints(/Ctrl-C stops it/);
    npm.signal("SIGTERM");
    expect((await npm.ended).err).toMatch(ORDERLY_END);
    expect(cluster.processes()).toEqual([]);
  });
});

/** Whether `npm start` has nothing to install: a test may not replace the packages it runs on. */
function isInstalled(): boolean {
  try {
    const { lock } = JSON.parse(readFileSync(join(ROOT, "node_modules/.stadion-install.json"), "utf8"));
    return lock === readFileSync(join(ROOT, "package-lock.json"), "utf8");
  } catch {
    return false;
  }
}

/** A PATH without the packages of this project: the machine's own Node, which may be an older one, runs npm and what it starts. */
function withOtherNode(): { readonly PATH: string } {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return { PATH: folders.filter((folder) => !folder.endsWith("node_modules/.bin")).join(delimiter) };
}
