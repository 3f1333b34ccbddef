/** What players, matchmakers and games see. */

import { join } from "node:path";
import AgonesSDKModule from "@google-cloud/agones-sdk";
import { describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import type { GameServer } from "#api/agones/gameserver.ts";
import { askTcp, askUdp, type GameAddress } from "./harness/ask.ts";
import { ROOT, useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { hasKubectl } from "./harness/kubectl.ts";
import { fleet, gameServer } from "./harness/manifests.ts";
import { readProcess } from "./harness/processes.ts";

// The types that the package publishes do not fit what it exports.
const AgonesSDK = AgonesSDKModule as unknown as typeof AgonesSDKModule.default;

const cluster = useCluster("--no-quick-start");
const apply = (input: string) => cluster.stadion("apply -f -", { input });
const addressOf = ({ status }: GameServer): GameAddress => ({
  address: status?.address ?? "",
  port: status?.ports?.[0]?.port ?? 0,
});

describe.skipIf(!hasKubectl)("the quick-start manifests with the well-known image", () => {
  const example = (file: string) => join(ROOT, "examples/simple-game-server", file);

  it("make a fleet, a game server and an allocation that says address, port and state", async () => {
    await cluster.kubectl(`apply -f ${example("fleet.yaml")}`);
    const ready = await cluster.servers("simple-game-server", 3);
    const allocation = parse(await cluster.kubectl(`create -f ${example("gameserverallocation.yaml")} -o yaml`));
    expect(allocation).toMatchObject({
      kind: "GameServerAllocation",
      status: { state: "Allocated", address: "127.0.0.1", ports: [{ name: "default", port: expect.any(Number) }] },
    });
    const { gameServerName, address, ports } = allocation.status;
    expect(ready.map(({ metadata }) => metadata.name)).toContain(gameServerName);
    expect(await askUdp({ address, port: ports[0].port }, "GAMESERVER")).toBe(`NAME: ${gameServerName}\n`);
    await cluster.server(gameServerName, "Allocated");

    const names = new Set([gameServerName]);
    for (const _ of ready.slice(1))
      names.add(
        await cluster.kubectl(`create -f ${example("gameserverallocation.yaml")} -o jsonpath={.status.gameServerName}`),
      );
    expect([...names].sort()).toEqual(ready.map(({ metadata }) => metadata.name).sort());
    const none = parse(await cluster.kubectl(`create -f ${example("gameserverallocation.yaml")} -o yaml`));
    expect(none.status.state).toBe("UnAllocated");
    await cluster.kubectl("delete fleet simple-game-server");
  });
});

describe("a game server", () => {
  it("answers its commands on one port over UDP and TCP", async () => {
    await apply(fleet("both", { protocol: "TCPUDP", env: [{ name: "TCP", value: "true" }] }));
    const [server] = await cluster.servers("both", 1);
    if (!server) throw new Error("no server");
    const name = server.metadata.name ?? "";
    expect(server.status?.ports?.map(({ name }) => name)).toEqual(["default-tcp", "default-udp"]);
    expect(new Set(server.status?.ports?.map(({ port }) => port)).size).toBe(1);
    const game = addressOf(server);
    expect(await askUdp(game, "hello")).toBe("ACK: hello\n");
    expect(await askTcp(game, "hello")).toBe("ACK TCP: hello\n\n");
    expect(await askUdp(game, "GAMESERVER")).toBe(`NAME: ${name}\n`);
    expect(await askTcp(game, "GAMESERVER")).toBe(`NAME: ${name}\n\n`);
    expect(await askUdp(game, "LABEL mode duel")).toBe("ACK: LABEL mode duel\n");
    expect(await askUdp(game, "ANNOTATION map dust")).toBe("ACK: ANNOTATION map dust\n");
    expect(await askUdp(game, "LABEL one")).toBe("ERROR: Invalid LABEL command, must use zero or 2 arguments\n");
    await eventually(async () => {
      const { metadata } = await cluster.server(name);
      expect(metadata.labels).toMatchObject({ "agones.dev/sdk-mode": "duel" });
      expect(metadata.annotations).toMatchObject({ "agones.dev/sdk-map": "dust" });
    });
    expect(await askUdp(game, "WATCH")).toBe("ACK: WATCH\n");
    await askUdp(game, "ALLOCATE");
    await cluster.server(name, "Allocated");
    await askUdp(game, "READY");
    await cluster.server(name, "Ready");
    expect(await askUdp(game, "RESERVE 1s")).toBe("ACK: RESERVE 1s\n");
    await cluster.server(name, "Reserved");
    await cluster.server(name, "Ready");
    expect(await cluster.stadion(`logs ${name}`)).toMatch(/GameServer Event: \{.*"Reserved"/);
    await cluster.stadion("delete fleet both");
  });

  it("counts rooms and players exactly, in its answers at once and then in its status", async () => {
    const counts = {
      counters: { rooms: { count: 1, capacity: 10 } },
      lists: { players: { capacity: 2, values: ["ann"] } },
    };
    await apply(gameServer("counting", counts));
    const game = addressOf(await cluster.server("counting"));
    for (const [text, reply] of [
      ["INCREMENT_COUNTER rooms 4", "SUCCESS"],
      ["GET_COUNTER_COUNT rooms", "COUNTER: 5"],
      [
        "INCREMENT_COUNTER rooms 6",
        "ERROR: could not increment Counter rooms by amount 6: rpc error: code = Unknown desc = out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10",
      ],
      ["SET_COUNTER_CAPACITY rooms 20", "SUCCESS"],
      ["APPEND_LIST_VALUE players bob", "SUCCESS"],
      ["GET_LIST_VALUES players", "VALUES: ann,bob"],
      ["DELETE_LIST_VALUE players ann", "SUCCESS"],
      ["GET_LIST_LENGTH players", "LENGTH: 1"],
    ] as const)
      expect([text, await askUdp(game, text)]).toEqual([text, `${reply}\n`]);
    await eventually(async () =>
      expect((await cluster.server("counting")).status).toMatchObject({
        counters: { rooms: { count: 5, capacity: 20 } },
        lists: { players: { capacity: 2, values: ["bob"] } },
      }),
    );
    await cluster.stadion("delete gameserver counting");
  });

  it.each([
    ["says EXIT, and calls Shutdown", "EXIT"],
    ["crashes", "CRASH 3"],
    ["says no more that it is healthy", "UNHEALTHY"],
  ])("is replaced when it %s", async (_, command) => {
    const name = command.toLowerCase().replace(" ", "-");
    // The game pings every two seconds.
    await apply(fleet(name, { health: { periodSeconds: 3, failureThreshold: 1, initialDelaySeconds: 1 } }));
    const [server] = await cluster.servers(name, 1);
    if (!server) throw new Error("no server");
    const pid = await cluster.pid(server.metadata.name);
    askUdp(addressOf(server), command).catch(() => "CRASH is not answered");
    const replacement = await eventually(async () => {
      const [other] = await cluster.servers(name, 1);
      expect(other?.metadata.name).not.toBe(server.metadata.name);
      return other;
    });
    expect(readProcess(pid)).toBeUndefined();
    expect(await cluster.pid(replacement?.metadata.name)).not.toBe(pid);
    await eventually(async () => {
      const events = await cluster.get<{ items: { reason: string; involvedObject: { name: string } }[] }>(
        `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D${server.metadata.name}`,
      );
      const reasons = events.items.map(({ reason }) => reason);
      expect(reasons).toContain(command === "EXIT" ? "Shutdown" : "Unhealthy");
    });
    await cluster.stadion(`delete fleet ${name}`);
  });
});

describe("a game's SDK", () => {
  /** A game server that leaves all calls to the test, and what it was told of its SDK server. */
  async function quietGame(name: string) {
    await apply(gameServer(name, { args: ["--ready=false"] }));
    const server = await cluster.server(name, "Scheduled");
    const pid = await eventually(() => cluster.pid(name));
    const { environment = {} } = readProcess(pid) ?? {};
    const { AGONES_SDK_GRPC_PORT = "", AGONES_SDK_HTTP_PORT = "" } = environment;
    const port = String(addressOf(server).port);
    expect(environment).toMatchObject({ PORT: port, STADION_PORT_DEFAULT: port });
    return { grpc: AGONES_SDK_GRPC_PORT, rest: `http://localhost:${AGONES_SDK_HTTP_PORT}` };
  }

  it("is the published Node client, unchanged, over gRPC", async () => {
    const { grpc } = await quietGame("published");
    vi.stubEnv("AGONES_SDK_GRPC_PORT", grpc);
    const sdk = new AgonesSDK();
    vi.unstubAllEnvs();
    await sdk.connect();
    const seen: string[] = [];
    sdk.watchGameServer(
      ({ status }) => seen.push(status.state),
      () => seen.push("end"),
    );
    sdk.health((error) => seen.push(String(error)));

    await sdk.ready();
    await cluster.server("published", "Ready");
    await sdk.allocate();
    await cluster.server("published", "Allocated");
    await sdk.reserve(1);
    await cluster.server("published", "Reserved");
    await cluster.server("published", "Ready");
    await sdk.setLabel("mode", "duel");
    await sdk.setAnnotation("map", "dust");
    await eventually(async () => {
      const { objectMeta, status } = await sdk.getGameServer();
      expect(objectMeta.name).toBe("published");
      expect(Object.fromEntries(objectMeta.labelsMap)).toMatchObject({ "agones.dev/sdk-mode": "duel" });
      expect(Object.fromEntries(objectMeta.annotationsMap)).toMatchObject({ "agones.dev/sdk-map": "dust" });
      expect(status).toMatchObject({ state: "Ready", address: "127.0.0.1" });
    });
    await sdk.shutdown();
    await eventually(async () => expect(await cluster.gameServers()).not.toContainEqual(named("published")));
    expect(seen).toEqual(expect.arrayContaining(["Scheduled", "Ready", "Allocated", "Reserved"]));
    sdk.close();
  });

  it("is curl, over the REST port", async () => {
    const { rest } = await quietGame("curled");
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(rest + path, { method, body: body && JSON.stringify(body) });
      return { code: response.status, body: await response.json() };
    };
    expect(await call("GET", "/gameserver")).toMatchObject({
      code: 200,
      body: { object_meta: { name: "curled" }, status: { state: "Scheduled", ports: [{ name: "default" }] } },
    });
    const stop = new AbortController();
    const watch = await fetch(`${rest}/watch/gameserver`, { signal: stop.signal });
    expect(watch.headers.get("content-type")).toContain("application/json");
    expect(await call("POST", "/health", {})).toEqual({ code: 200, body: {} });
    expect(await call("POST", "/ready", {})).toEqual({ code: 200, body: {} });
    await cluster.server("curled", "Ready");
    await call("POST", "/allocate", {});
    await cluster.server("curled", "Allocated");
    await call("POST", "/reserve", { seconds: "1" });
    await cluster.server("curled", "Reserved");
    await cluster.server("curled", "Ready");
    await call("PUT", "/metadata/label", { key: "mode", value: "duel" });
    await call("PUT", "/metadata/annotation", { key: "map", value: "dust" });
    await eventually(async () => {
      const { metadata } = await cluster.server("curled");
      expect(metadata.labels).toMatchObject({ "agones.dev/sdk-mode": "duel" });
      expect(metadata.annotations).toMatchObject({ "agones.dev/sdk-map": "dust" });
    });
    let lines = "";
    for await (const chunk of watch.body ?? []) {
      lines += new TextDecoder().decode(chunk);
      if (lines.includes("agones.dev/sdk-map")) break;
    }
    expect(
      lines
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).result.status.state),
    ).toContain("Allocated");
    stop.abort();
    expect((await call("POST", "/nothing", {})).code).toBe(404);
    await call("POST", "/shutdown", {});
    await eventually(async () => expect(await cluster.gameServers()).not.toContainEqual(named("curled")));
  });
});

const named = (name: string) => expect.objectContaining({ metadata: expect.objectContaining({ name }) });
