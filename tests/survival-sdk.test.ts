/** What a game asked for and was told to be kept, while those who keep it die. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import AgonesSDKModule from "@google-cloud/agones-sdk";
import { expect, it, vi } from "vitest";
import { useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { gameServer } from "./harness/manifests.ts";
import { isAlive, killAll, readProcess } from "./harness/processes.ts";

// The types that the package publishes do not fit what it exports.
const AgonesSDK = AgonesSDKModule as unknown as typeof AgonesSDKModule.default;

const cluster = useCluster("--no-quick-start", "--keep-servers");

/** A game server that leaves all calls to the test, its process, and the published client of its SDK server. */
async function quietGame(name: string) {
  await cluster.stadion("apply -f -", { input: gameServer(name, { args: ["--ready=false"] }) });
  await cluster.server(name, "Scheduled");
  const pid = await eventually(() => cluster.pid(name));
  vi.stubEnv("AGONES_SDK_GRPC_PORT", readProcess(pid)?.environment.AGONES_SDK_GRPC_PORT);
  const sdk = new AgonesSDK();
  vi.unstubAllEnvs();
  await sdk.connect();
  return { pid, sdk };
}

/** Ends all but the node agent and the game servers, in one stroke, and for good. */
async function killControlPlane(): Promise<void> {
  killAll([cluster.supervisor, cluster.part("control-plane")]);
  await cluster.supervisor.ended;
  expect(() => cluster.part("control-plane")).toThrow("no control-plane");
}

/** What the node agent keeps of the SDK server of the only game, as it was last written. */
const keptFile = () => join(cluster.dataDir, "node/state");
const kept = () =>
  readFileSync(keptFile(), "utf8")
    .split("\n")
    .findLast((line) => line.includes("@agones-gameserver-sidecar"));

it("Ready and a label, acknowledged while there is no control plane, outlive the node agent as well", async () => {
  const { pid, sdk } = await quietGame("faithful");
  await killControlPlane();
  await sdk.ready();
  await sdk.setLabel("mode", "duel");
  await sdk.setAnnotation("map", "dust");
  expect(statSync(keptFile()).mode & 0o777).toBe(0o600);
  expect(kept()).toContain('"agones.dev/sdk-mode"');
  killAll([cluster.part("node-agent")]);
  sdk.close();

  await cluster.start();
  const server = await cluster.server("faithful", "Ready");
  expect(server.metadata.labels).toMatchObject({ "agones.dev/sdk-mode": "duel" });
  expect(server.metadata.annotations).toMatchObject({ "agones.dev/sdk-map": "dust" });
  expect(await eventually(() => cluster.pid("faithful"))).toBe(pid);
  await eventually(() => expect(kept()).not.toContain("duel"));

  await cluster.stadion("delete gameserver faithful");
  await eventually(() => expect(kept()).toMatch(/^\["[^"]+"\]$/));
});

it("a Ready from before a match does not end the match, when both the node agent and the control plane die between", async () => {
  const { pid, sdk } = await quietGame("steadfast");
  await sdk.ready();
  await cluster.server("steadfast", "Ready");
  await killControlPlane();
  await sdk.ready();
  killAll([cluster.part("node-agent")]);
  sdk.close();

  // The next node agent comes to write what was kept only after the server was allocated.
  const start = cluster.launch();
  const agent = await eventually(() => cluster.part("node-agent"), { every: 5 });
  process.kill(agent.pid, "SIGSTOP");
  try {
    // By hand: no server is allocated that its node agent has not said to run.
    const annotations = { "agones.dev/last-allocated": new Date().toISOString() };
    const match = JSON.stringify({ metadata: { annotations }, status: { state: "Allocated" } });
    await eventually(() => cluster.kubectl(["patch", "gameserver", "steadfast", "--type=merge", "-p", match]));
  } finally {
    process.kill(agent.pid, "SIGCONT");
  }
  await start.prints(/Ctrl-C stops it/);
  await eventually(() => expect(kept()).toContain('"changes":[]'));
  await cluster.server("steadfast", "Allocated");
  expect(isAlive(pid)).toBe(true);
  await cluster.stadion("delete gameserver steadfast");
});
