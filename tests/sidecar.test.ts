/** The SDK server beside a game on Kubernetes, as a process of its own, with the published client. */

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { EVENTS } from "#api/core/resources.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { kubeconfigAccess } from "#kube/kubeconfig.ts";
import type { HttpTransport } from "#kube/transport-http.ts";
import { httpsTransport } from "#kube/transport-https.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import packageJson from "../package.json" with { type: "json" };
import { CutProxy } from "./harness/cut-proxy.ts";
import { eventually } from "./harness/eventually.ts";
import { MEMORY_ENVIRONMENT, MEMORY_FLAGS } from "./harness/memory-flags.ts";
import { SdkServerProgram } from "./harness/sdk-server.ts";
import { type EmbeddedServer, startEmbedded } from "./kubernetes/rig/embedded.ts";

let folder: string;
let api: EmbeddedServer;
let transport: HttpTransport;
let client: Client;
let proxy: CutProxy;
let kubeconfig: string;

beforeAll(async () => {
  folder = mkdtempSync(join(inject("runFolder"), "sidecar-"));
  api = await startEmbedded(folder, packageJson.version);
  const access = await kubeconfigAccess(api.kubeconfig, { clock });
  transport = httpsTransport(access);
  client = createClient(transport);
  proxy = await CutProxy.open(Number(new URL(access.server).port));
  kubeconfig = join(folder, "through-proxy");
  writeFileSync(
    kubeconfig,
    readFileSync(api.kubeconfig, "utf8").replace(access.server, `https://127.0.0.1:${proxy.port}`),
  );
});

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await transport?.close();
  await api?.stop();
});

/** A GameServer as its controller leaves it: the Pod runs, the game has not said anything. */
async function scheduled(name: string, health: object = { disabled: true }): Promise<void> {
  await client.create(GAMESERVERS, {
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: { name, namespace: "default" },
    spec: { health, template: { spec: { containers: [{ name: "game", image: "game:1" }] } } },
  });
  await setState(name, "Scheduled");
}

const server = (name: string): Promise<GameServer> => client.get(GAMESERVERS, "default", name);

async function setState(name: string, state: GameServerState): Promise<void> {
  const stored = await server(name);
  await client.update(GAMESERVERS, { ...stored, status: { ...stored.status, state } });
}

const hasState = (name: string, state: GameServerState): Promise<void> =>
  eventually(async () => expect((await server(name)).status?.state).toBe(state));

const sidecar = (name: string, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  new SdkServerProgram(["--grpc-port=0", "--http-port=0", "--health-port=0", ...flags], {
    GAMESERVER_NAME: name,
    POD_NAMESPACE: "default",
    KUBECONFIG: kubeconfig,
    ...env,
  });

const WITHOUT_SIDECARS = { FEATURE_GATES: "SidecarContainers=false" };

async function ask(port: number | undefined, path: string): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  get({ port, path }, async (response) => resolve({ status: response.statusCode ?? 0, body: await text(response) })).on(
    "error",
    reject,
  );
  return promise;
}

test("it is started as the documentation says", () => {
  const page = readFileSync(new URL("../docs/reference/sdk-server.md", import.meta.url), "utf8");
  const variables = Object.entries(MEMORY_ENVIRONMENT).map((entry) => entry.join("="));
  expect(page).toContain(`    ${[...variables, "node", ...MEMORY_FLAGS, "dist/sdk-server.mjs"].join(" ")}\n`);
});

test("what a game asks for is written, with an event, and shown to it", async () => {
  await scheduled("plain");
  await using program = sidecar("plain");
  const sdk = await program.client();
  const seen: string[] = [];
  sdk.watchGameServer(
    ({ status }) => seen.push(status?.state ?? ""),
    () => {},
  );
  await sdk.ready();
  await hasState("plain", "RequestReady");
  await setState("plain", "Ready");
  await sdk.setLabel("mode", "duel");
  await sdk.setAnnotation("map", "dust");
  await sdk.allocate();
  await hasState("plain", "Allocated");
  await eventually(async () => {
    const { metadata } = await server("plain");
    expect(metadata.labels).toMatchObject({ "agones.dev/sdk-mode": "duel" });
    expect(metadata.annotations).toMatchObject({
      "agones.dev/sdk-map": "dust",
      "agones.dev/last-allocated": expect.any(String),
    });
    expect(seen.filter((state, at) => state !== seen[at - 1])).toEqual([
      "Scheduled",
      "RequestReady",
      "Ready",
      "Allocated",
    ]);
  });
  await eventually(async () => {
    const { items } = await client.list(EVENTS, { namespace: "default" });
    const own = items.filter(({ involvedObject }) => involvedObject.name === "plain");
    expect(own.map(({ reason, source }) => `${source?.component} ${reason}`)).toEqual(
      expect.arrayContaining(["gameserver-sidecar RequestReady", "gameserver-sidecar Allocated"]),
    );
  });
});

test("a game that falls silent is Unhealthy, counted from the kubelet's first probe on", async () => {
  await scheduled("silent", { periodSeconds: 1, failureThreshold: 2 });
  await using program = sidecar("silent");
  const { healthPort } = await program.ports();
  expect(await ask(healthPort, "/healthz")).toEqual({ status: 200, body: "ok" });
  expect(await ask(healthPort, "/elsewhere")).toMatchObject({ status: 404 });
  await eventually(async () => expect(await ask(healthPort, "/gshealthz")).toEqual({ status: 500, body: "" }));
  await hasState("silent", "Unhealthy");
});

test("what is asked for while the API server is away is written when it is back", async () => {
  await scheduled("away");
  await using program = sidecar("away");
  const sdk = await program.client();
  await eventually(async () => expect((await sdk.getGameServer()).objectMeta.name).toBe("away"));
  proxy.cut();
  try {
    await sdk.ready();
    await sdk.setLabel("while", "away");
  } finally {
    proxy.mend();
  }
  await hasState("away", "RequestReady");
  await eventually(async () =>
    expect((await server("away")).metadata.labels).toMatchObject({ "agones.dev/sdk-while": "away" }),
  );
});

test("a start without an API server waits for it, while the game may call already", async () => {
  await scheduled("early");
  proxy.cut();
  await using program = sidecar("early");
  try {
    const sdk = await program.client();
    await sdk.ready();
    expect(await ask((await program.ports()).healthPort, "/gshealthz")).toMatchObject({ status: 200 });
  } finally {
    proxy.mend();
  }
  await hasState("early", "RequestReady");
});

test("told to end it writes what waits, and ends", async () => {
  await scheduled("ending");
  await using program = sidecar("ending", ["--request-rate-limit=1m"]);
  const sdk = await program.client();
  await eventually(async () => expect((await sdk.getGameServer()).objectMeta.name).toBe("ending"));
  await sdk.setLabel("first", "1");
  await sdk.ready();
  program.signal("SIGTERM");
  expect((await program.ended).code).toBe(0);
  expect((await server("ending")).status?.state).toBe("RequestReady");
});

test("without sidecar containers it serves on after being told, until the game has asked for Shutdown", async () => {
  await scheduled("graceful");
  await using program = sidecar("graceful", [], WITHOUT_SIDECARS);
  const sdk = await program.client();
  await sdk.ready();
  await hasState("graceful", "RequestReady");
  program.signal("SIGTERM");
  await program.prints(/serving on/);
  expect((await sdk.getGameServer()).objectMeta.name).toBe("graceful");
  await sdk.shutdown();
  expect((await program.ended).code).toBe(0);
  expect((await server("graceful")).status?.state).toBe("Shutdown");
});

test.each([
  ["when the game never asked for a state", WITHOUT_SIDECARS, []],
  ["with --graceful-termination=false", WITHOUT_SIDECARS, ["--graceful-termination=false"]],
])("without sidecar containers it ends at once %s", async (why, env, flags) => {
  const name = `at-once-${flags.length}`;
  await scheduled(name);
  await using program = sidecar(name, flags, env);
  const sdk = await program.client();
  await sdk.setLabel("why", "any");
  if (flags.length > 0) await sdk.ready();
  await program.prints(/GameServer is known/);
  program.signal("SIGTERM");
  expect((await program.ended).code, why).toBe(0);
});

test("a restart counts health from the game's next ping on, and takes a reservation up", async () => {
  await scheduled("again", { periodSeconds: 1, failureThreshold: 1 });
  {
    await using program = sidecar("again");
    const sdk = await program.client();
    await sdk.reserve(6);
    await hasState("again", "Reserved");
    program.signal("SIGKILL");
    await program.ended;
  }
  await using program = sidecar("again");
  const { healthPort } = await program.ports();
  await program.prints(/GameServer is known/);
  await ask(healthPort, "/gshealthz");
  await hasState("again", "RequestReady");
  expect(await ask(healthPort, "/gshealthz")).toMatchObject({ status: 200 });
  (await program.client()).health(() => {});
  await hasState("again", "Unhealthy");
});

test("with a state file, what a game was told to be kept outlives the sidecar", async () => {
  await scheduled("kept");
  const flags = [`--state-file=${join(folder, "kept.json")}`];
  {
    await using program = sidecar("kept", flags);
    const sdk = await program.client();
    await eventually(async () => expect((await sdk.getGameServer()).objectMeta.name).toBe("kept"));
    proxy.cut();
    await sdk.ready();
    program.signal("SIGKILL");
    await program.ended;
  }
  proxy.mend();
  await using _program = sidecar("kept", flags);
  await hasState("kept", "RequestReady");
});

test("without its GameServer, or before it knows of it, it fails", async () => {
  await using missing = sidecar("missing");
  expect(await missing.ended).toMatchObject({
    code: 1,
    err: expect.stringContaining("there is no GameServer default/missing"),
  });
  proxy.cut();
  try {
    await using early = sidecar("missing");
    await early.ports();
    early.signal("SIGTERM");
    expect((await early.ended).code).toBe(1);
  } finally {
    proxy.mend();
  }
  await using unnamed = new SdkServerProgram([], { GAMESERVER_NAME: "" });
  expect(await unnamed.ended).toMatchObject({ code: 1, err: expect.stringContaining("--local") });
});
