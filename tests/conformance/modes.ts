/** The three ways to run our SDK server, each with a GameServer as every sequence expects it. */

import { expect } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { stringifyJson } from "#api/meta/json.ts";
import type { Cluster } from "#tests/harness/cluster.ts";
import { eventually } from "#tests/harness/eventually.ts";
import { freePort } from "#tests/harness/free-port.ts";
import { gameServer } from "#tests/harness/manifests.ts";
import { readProcess } from "#tests/harness/processes.ts";
import type { Program } from "#tests/harness/program.ts";
import { SdkServerProgram } from "#tests/harness/sdk-server.ts";
import type { Outcome, Sequence, Subject } from "./sequences.ts";

/** How a cluster, and each SDK server that is no part of it, is started. */
export const GATES = "PlayerTracking=true";

const COUNTERS = { rooms: { count: 1, capacity: 10 } };
const LISTS = { players: { capacity: 100, values: ["test0", "test1", "test2"] } };

/** One client at one sequence. */
export interface Play {
  /** Of the GameServer, where it has one of its own. */
  readonly name: string;
  readonly sequence: (subject: Subject) => Sequence;
  /** Starts the client, which finds its SDK server by these variables. */
  readonly start: (env: Readonly<Record<string, string>>) => Program;
}

/** A mode lets a client play to its end, and checks what that left behind. */
export type Mode = (cluster: Cluster, play: Play) => Promise<void>;

export const MODES: Readonly<Record<string, Mode>> = {
  "local mode": localMode,
  "node agent": nodeAgent,
  sidecar,
};

/** Records the requests; its exit code says whether they were the expected ones. */
async function localMode(_: Cluster, { sequence, start }: Play): Promise<void> {
  const ports = await twoPorts();
  await using client = start(variables(ports));
  const { recorded } = sequence({ name: "", uid: "", created: 0 });
  await using server = sdkServer(ports, { TEST: recorded, SDK_NAME: "conformance", TIMEOUT: "300" });
  await server.ports();
  const answer = await fetch(`http://localhost:${ports.http}/gameserver`);
  const { object_meta } = (await answer.json()) as Record<"object_meta", Readonly<Record<string, string>>>;
  const { name = "", uid = "", creation_timestamp } = object_meta;
  await plays(client, sequence({ name, uid, created: Number(creation_timestamp) }));
  server.signal("SIGTERM");
  const { code, out } = await server.ended;
  expect(code, out).toBe(0);
}

/** The game's port of the shared SDK server, as the process of a game that says nothing itself was told. */
async function nodeAgent(cluster: Cluster, { name, sequence, start }: Play): Promise<void> {
  const manifest = gameServer(name, { args: ["--ready=false"], counters: COUNTERS, lists: LISTS });
  await cluster.stadion("apply -f -", { input: manifest });
  const stored = await cluster.server(name, "Scheduled");
  const ports = await eventually(async () => {
    const { AGONES_SDK_GRPC_PORT, AGONES_SDK_HTTP_PORT } = readProcess(await cluster.pid(name))?.environment ?? {};
    // A process that is just becoming its program shows none.
    if (!AGONES_SDK_GRPC_PORT || !AGONES_SDK_HTTP_PORT) throw new Error(`game ${name} was told no ports yet`);
    return { AGONES_SDK_GRPC_PORT, AGONES_SDK_HTTP_PORT };
  });
  const played = sequence(subjectOf(stored));
  await using client = start(ports);
  await plays(client, played);
  await leaves(cluster, name, played.outcome);
}

/** The program that stands beside a game, over the cluster's HTTPS door. */
async function sidecar(cluster: Cluster, { name, sequence, start }: Play): Promise<void> {
  await cluster.stadion("apply -f -", { input: stringifyJson(withoutPod(name)) });
  const played = sequence(subjectOf(await cluster.server(name, "Scheduled")));
  const ports = await twoPorts();
  await using client = start(variables(ports));
  await using server = sdkServer(ports, {
    GAMESERVER_NAME: name,
    POD_NAMESPACE: "default",
    KUBECONFIG: cluster.kubeconfig,
  });
  await plays(client, played);
  await leaves(cluster, name, played.outcome);
  server.signal("SIGTERM");
  expect((await server.ended).code, server.err).toBe(0);
}

/** A development server: the control plane starts nothing for it, and does all else. */
const withoutPod = (name: string): object => ({
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  metadata: { name, annotations: { "agones.dev/dev-address": "127.0.0.1" } },
  spec: {
    ports: [{ name: "default", portPolicy: "Static", hostPort: 7777, containerPort: 7777 }],
    counters: COUNTERS,
    lists: LISTS,
    health: { disabled: true },
    template: { spec: { containers: [{ name: "game", image: "stadion.local/conformance" }] } },
  },
  status: { state: "Scheduled", address: "127.0.0.1", ports: [{ name: "default", port: 7777 }] },
});

async function plays(client: Program, { steps }: Sequence): Promise<void> {
  const { code, out, err } = await client.ended;
  const answers = out.trimEnd().split("\n");
  // Each with the step that it answers; the last with what there is to say of an early end.
  expect(steps.map(([call], at) => `${call}: ${answers[at]}`)).toEqual(steps.map((step) => step.join(": ")));
  expect({ code, err }).toEqual({ code: 0, err: "" });
}

async function leaves(cluster: Cluster, name: string, { state, ...counts }: Outcome): Promise<void> {
  await eventually(async () => {
    const stored = (await cluster.gameServers()).find(({ metadata }) => metadata.name === name);
    expect(stored?.status?.state).toBe(state);
    if (stored) expect(stored.status).toMatchObject(counts);
  });
  if (state !== undefined) await cluster.stadion(`delete gameserver ${name}`);
}

function subjectOf({ metadata }: GameServer): Subject {
  const { name = "", uid = "", creationTimestamp } = metadata;
  return { name, uid, created: Date.parse(creationTimestamp ?? "") / 1000 };
}

interface DoorPorts {
  readonly grpc: number;
  readonly http: number;
}

const variables = ({ grpc, http }: DoorPorts): Readonly<Record<string, string>> => ({
  AGONES_SDK_GRPC_PORT: String(grpc),
  AGONES_SDK_HTTP_PORT: String(http),
});

const sdkServer = ({ grpc, http }: DoorPorts, env: Readonly<Record<string, string>>): SdkServerProgram =>
  new SdkServerProgram(
    [`--grpc-port=${grpc}`, `--http-port=${http}`, "--health-port=0", `--feature-gates=${GATES}`],
    env,
  );

/** Known before the server starts, so that a client can be there first. */
const twoPorts = async (): Promise<DoorPorts> => ({ grpc: await freePort(), http: await freePort() });
