import { once } from "node:events";
import { createServer, connect as dialTo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type JsonObject, parseJson, stringifyJson } from "#api/meta/json.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { FakeClock, systemClock } from "#runtime/clock.ts";
import { MOST_CONNECTIONS } from "#runtime/grpc/door.ts";
import { createLogger, silentLogger } from "#runtime/logger.ts";
import { FakeGameServerApi, gameServer } from "./fake-gameserver-api.ts";
import { createSdkServers, type SdkServersOptions } from "./shared-server.ts";
import { connect, ENVIRONMENT, pod, serve } from "./shared-server-fixture.ts";

/** SDK servers that choose ports as told, over an API with one object. */
const serversAt = (ports: Pick<SdkServersOptions, "portRange" | "random">) => {
  const api = new FakeGameServerApi();
  return createSdkServers({
    source: api,
    client: api as SdkServersOptions["client"],
    recorder: new FakeEventRecorder(),
    clock: systemClock,
    log: silentLogger,
    ...ports,
  });
};
/** The first start of a server. */
const first = { pod, environment: ENVIRONMENT, args: [], saved: undefined, save: async () => {} };

const noError = (error: unknown) => expect.unreachable(String(error));

describe("the published Node client", () => {
  it("walks through states, metadata and reservation", async () => {
    const { api, server, state } = await serve();
    const sdk = await connect(server);
    await sdk.ready();
    await expect.poll(state).toBe("RequestReady");
    await sdk.reserve(1);
    await expect.poll(state).toBe("Reserved");
    await expect.poll(state).toBe("RequestReady");
    await sdk.allocate();
    await expect.poll(state).toBe("Allocated");
    await sdk.setLabel("map", "one");
    await sdk.setAnnotation("note", "text");
    await expect.poll(() => api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-map": "one" });
    await expect.poll(() => api.stored?.metadata.annotations?.["agones.dev/sdk-note"]).toBe("text");
    await sdk.shutdown();
    await expect.poll(state).toBe("Shutdown");
  });

  it("reads and watches the server, every change of it", async () => {
    const { api, server } = await serve();
    const sdk = await connect(server);
    api.write({ status: { state: "Ready", address: "127.0.0.1", ports: [{ name: "default", port: 7777 }] } });
    const seen: string[] = [];
    sdk.watchGameServer((gameServer) => {
      seen.push(gameServer.status?.state ?? "");
    }, noError);
    const read = await sdk.getGameServer();
    expect(read).toMatchObject({
      objectMeta: { name: "simple", uid: "uid-1" },
      spec: { health: { periodSeconds: 5 } },
      status: { state: "Ready", portsList: [{ name: "default", port: 7777 }] },
    });
    await expect.poll(() => seen).toEqual(["Ready"]);
    await sdk.allocate();
    await expect.poll(() => seen).toEqual(["Ready", "Allocated"]);
  });

  it("is told at the call what cannot be stored", async () => {
    const { server } = await serve();
    const sdk = await connect(server);
    await expect(sdk.setLabel("a b", "c")).rejects.toMatchObject({
      code: 3,
      details: expect.stringMatching(/^invalid label key "a b": name part must consist of alphanumeric/),
    });
    await expect(sdk.alpha.getPlayerCount()).rejects.toMatchObject({ code: 2, details: "PlayerTracking not enabled" });
  });

  it("loses its connection, which alone is no failure of health, and goes on with a new one", async () => {
    const health = { periodSeconds: 1, failureThreshold: 1 };
    const clock = new FakeClock();
    const { server, state } = await serve({
      api: new FakeGameServerApi(gameServer({ state: "Ready" }, { health })),
      clock,
    });
    expect(await server.probe(8080, "/gshealthz")).toEqual({ status: 200, body: "ok" });
    for (let n = 0; n < 3; n++) {
      const sdk = await connect(server);
      sdk.health(noError);
      await sdk.getGameServer();
      sdk.close();
      await clock.advance(900);
    }
    expect(state()).toBe("Ready");
    expect(await server.probe(8080, "/gshealthz")).toEqual({ status: 200, body: "ok" });
  });

  it("keeps the server healthy with its pings", async () => {
    const health = { periodSeconds: 1, failureThreshold: 1 };
    const clock = new FakeClock();
    const { server, state } = await serve({
      api: new FakeGameServerApi(gameServer({ state: "Ready" }, { health })),
      clock,
    });
    const sdk = await connect(server);
    expect(await server.probe(8080, "/gshealthz")).toEqual({ status: 200, body: "ok" });
    for (let n = 0; n < 10; n++) {
      sdk.health(noError);
      // What follows on the same connection is answered after the ping was read.
      await sdk.getGameServer();
      await clock.advance(900);
    }
    expect(state()).toBe("Ready");
    await clock.advance(2000);
    expect(state()).toBe("Unhealthy");
    expect(await server.probe(8080, "/gshealthz")).toEqual({ status: 500, body: "" });
  });
});

describe("REST", () => {
  it("walks through the same calls", async () => {
    const { api, post, state } = await serve();
    expect(await post("/ready")).toEqual({ status: 200, text: "{}" });
    await expect.poll(state).toBe("RequestReady");
    expect((await post("/health", "{}")).status).toBe(200);
    expect((await post("/metadata/label", '{"key":"a","value":"b"}', "PUT")).status).toBe(200);
    expect((await post("/metadata/annotation", '{"key":"a","value":"b"}', "PUT")).status).toBe(200);
    expect((await post("/reserve", '{"seconds":"60"}')).status).toBe(200);
    await expect.poll(state).toBe("Reserved");
    expect(api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-a": "b" });
    expect(JSON.parse((await post("/gameserver", "", "GET")).text)).toMatchObject({
      object_meta: { name: "simple", generation: "1" },
      status: { state: "Reserved" },
    });
    expect((await post("/allocate", "{}")).status).toBe(200);
    await expect.poll(state).toBe("Allocated");
    expect((await post("/shutdown")).status).toBe(200);
    await expect.poll(state).toBe("Shutdown");
  });

  it("answers what a game may not do", async () => {
    const { post } = await serve();
    expect(await post("/metadata/label", '{"key":"a/b","value":"c"}', "PUT")).toMatchObject({ status: 400 });
    expect(await post("/v1beta1/counters/rooms", "", "GET")).toEqual({
      status: 500,
      text: '{"code":2,"message":"counter not found: rooms","details":[]}',
    });
  });
});

describe("a server", () => {
  it("says where it listens, keeps its ports, and binds them again in its next life", async () => {
    const { server, saves } = await serve();
    const grpcPort = Number(server.environment.AGONES_SDK_GRPC_PORT);
    const httpPort = Number(server.environment.AGONES_SDK_HTTP_PORT);
    expect(saves).toEqual([{ grpcPort, httpPort, id: expect.any(String), serial: 0, changes: [] }]);
    await server.stop();
    const again = await serve({ saved: saves[0] });
    expect(again.server.environment).toEqual(server.environment);
    await (await connect(again.server)).ready();
    await expect.poll(again.state).toBe("RequestReady");
  });

  it("says before it writes anything that it lives again, so that its marks are its own", async () => {
    const { server, saves } = await serve();
    await server.stop();
    const again = await serve({ saved: saves[0] });
    expect(again.saves).toEqual([{ ...saves[0], serial: expect.any(Number) }]);
    expect(again.saves[0]?.serial).toBeGreaterThan(0);
    const { text } = await again.post("/ready");
    expect(text).toBe("{}");
    const serial = Number(again.saves[0]?.serial) + 1;
    expect(again.api.stored?.metadata.annotations?.["stadion.dev/sdk-write"]).toBe(`${saves[0]?.id}.${serial}`);
  });

  it("does in its next life what it had acknowledged", async () => {
    const api = new FakeGameServerApi();
    api.faults.push(...Array<"unreachable">(100).fill("unreachable"));
    const { server, saves, post } = await serve({ api });
    expect((await post("/reserve", '{"seconds":"3600"}')).status).toBe(200);
    expect((await post("/metadata/annotation", '{"key":"a","value":"ä\\n 9007199254740993"}', "PUT")).status).toBe(200);
    // Through text, as a disk gives it back.
    const saved = parseJson(stringifyJson(saves.at(-1) ?? {})) as JsonObject;
    await server.stop();
    api.faults.length = 0;
    await serve({ api, saved });
    await expect.poll(() => api.stored?.status?.state).toBe("Reserved");
    expect(api.stored?.status?.reservedUntil).toMatch(/Z$/);
    expect(api.stored?.metadata.annotations?.["agones.dev/sdk-a"]).toBe("ä\n 9007199254740993");
  });

  it.each([
    ["no identity", { id: 7 }],
    ["no serial", { serial: -1 }],
    ["no list", { changes: {} }],
    ["a change of no kind", { changes: [{ serial: 1, type: "mood" }] }],
    ["a counter without a difference", { changes: [{ serial: 1, type: "counter", key: "a", count: 5 }] }],
    ["a counter that is no integer", { changes: [{ serial: 1, type: "counter", key: "a", diff: 1.5 }] }],
    ["a list without values", { changes: [{ serial: 1, type: "list", key: "a", add: ["x"] }] }],
    ["players that are no texts", { changes: [{ serial: 1, type: "players", add: [1], remove: [] }] }],
    ["a change without a serial", { changes: [{ type: "label", key: "a", value: "b" }] }],
    ["a label without a value", { changes: [{ serial: 1, type: "label", key: "a" }] }],
    ["a state of no server", { changes: [{ serial: 1, type: "state", state: "Ready", at: 1 }] }],
    ["a state without a time", { changes: [{ serial: 1, type: "state", state: "Shutdown", at: 1e300 }] }],
  ])("says so and goes on when what was kept has %s", async (_, damage) => {
    const { server, saves } = await serve();
    await server.stop();
    const log = { ...silentLogger, error: vi.fn(), child: () => log };
    const again = await serve({ saved: { ...saves[0], ...damage }, log });
    expect(log.error.mock.calls.map(([, message]) => message)).toEqual([
      "changes that an earlier SDK server kept are damaged and lost",
    ]);
    expect(again.server.environment).toEqual(server.environment);
    expect((await again.post("/ready")).status).toBe(200);
    expect(again.state()).toBe("RequestReady");
  });

  it("serves its game although its disk takes nothing any more", async () => {
    const { server, saves } = await serve();
    await server.stop();
    const log = { ...silentLogger, error: vi.fn(), child: () => log };
    const full = async () => {
      throw new Error("ENOSPC");
    };
    const again = await serve({ saved: saves[0], log, save: full });
    expect((await again.post("/ready")).status).toBe(200);
    expect(again.state()).toBe("RequestReady");
    expect(log.error).toHaveBeenCalledOnce();
  });

  it.each(["grpcPort", "httpPort"])(
    "fails to start when its kept %s is taken, and leaves nothing open",
    async (which) => {
      const other = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => other.once("listening", resolve));
      onTestFinished(() => void other.close());
      const { port } = other.address() as { port: number };
      const { server, saves } = await serve();
      await server.stop();
      await expect(serve({ saved: { ...saves[0], [which]: port } })).rejects.toMatchObject({
        code: "SdkPortsLost",
        message: `the SDK server of default/simple cannot be reached by its game any more: port ${port} on 127.0.0.1 is in use by another process`,
      });
      await serve({ saved: saves[0] });
    },
  );

  it("chooses free ports of its range", async () => {
    const { server } = await serve();
    const taken = Number(server.environment.AGONES_SDK_GRPC_PORT);
    const servers = serversAt({
      portRange: { first: taken, last: taken },
    });
    await expect(servers.start(first)).rejects.toMatchObject({ code: "PortInUse", port: taken });
  });

  it("gives a port that came back to nobody else soon: the game that had it may still call", async () => {
    const servers = serversAt({
      // Below the ports that the system gives to connections, above those that a cluster's API chooses.
      portRange: { first: 32_100, last: 32_139 },
    });
    const given = new Set<string>();
    for (let life = 0; life < 10; life++) {
      const server = await servers.start(first);
      await server.stop();
      for (const port of Object.values(server.environment)) given.add(port);
    }
    expect(given.size).toBe(20);
  });

  it("finds a free port beyond many that somebody else has", async () => {
    const others = Array.from({ length: 150 }, (_, at) => createServer().listen(32_200 + at, "127.0.0.1"));
    onTestFinished(async () => {
      await Promise.all(others.map((other) => new Promise((resolve) => other.close(resolve))));
    });
    await Promise.all(others.map((other) => once(other, "listening").catch(() => {})));
    let drawn = 0;
    const servers = serversAt({
      portRange: { first: 32_200, last: 32_499 },
      random: () => (drawn++ === 0 ? 0 : 0.9),
    });
    const server = await servers.start(first);
    await server.stop();
    expect(Number(server.environment.AGONES_SDK_GRPC_PORT)).toBeGreaterThanOrEqual(32_350);
  });

  it.each([
    [{ GAMESERVER_NAME: "" }, "GAMESERVER_NAME and POD_NAMESPACE must name the game server to serve"],
    [{ FEATURE_GATES: "Nope=true" }, 'Feature Gate "Nope" is not a valid Feature Gate'],
    [{ REQUEST_RATE_LIMIT: "soon" }, 'time: invalid duration "soon"'],
  ])("refuses to start with %j", async (environment, message) => {
    await expect(serve({ environment })).rejects.toThrow(message);
  });

  it("answers probes without a socket", async () => {
    const { server } = await serve();
    expect(await server.probe(8080, "/healthz")).toEqual({ status: 200, body: "ok" });
    expect((await server.probe(8080, "/other")).status).toBe(404);
  });

  it("writes what was acknowledged before it stops, and ends every stream", async () => {
    const { server, url, post, state } = await serve({ environment: { REQUESTS_RATE_LIMIT: "1h" } });
    await post("/ready");
    await expect.poll(state).toBe("RequestReady");
    const watch = await fetch(`${url}/watch/gameserver`);
    await post("/allocate");
    await server.stop();
    expect(state()).toBe("Allocated");
    expect((await watch.text()).trim().split("\n")).toHaveLength(2);
  });

  it("ends a watch without an error when it stops: clients that expect none would die of it", async () => {
    const { server } = await serve();
    const sdk = await connect(server);
    const watched = Promise.withResolvers<unknown>();
    const errors: unknown[] = [];
    sdk.watchGameServer(watched.resolve, (error) => errors.push(error));
    await watched.promise;
    const { streams } = sdk as unknown as { streams: NodeJS.ReadableStream[] };
    const ended = new Promise((resolve) => streams[0]?.once("end", () => resolve("ended")));
    await server.stop();
    expect(await ended).toBe("ended");
    expect(errors).toEqual([]);
  });
});

it("says once in its log that a game opens too many connections", async () => {
  const lines: string[] = [];
  const { url } = await serve({
    log: createLogger({ source: "test", destination: { write: (line) => lines.push(line) } }),
  });
  const { hostname, port } = new URL(url);
  const dial = () => {
    const socket = dialTo(Number(port), hostname).on("error", () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  for (const _crowd of ["the first", "one more"]) {
    for (let count = 0; count < MOST_CONNECTIONS; count++) await once(dial(), "connect");
    await once(dial(), "close");
  }
  expect(lines.filter((line) => line.includes("too many connections"))).toEqual([
    expect.stringContaining('"gsKey":"default/simple"'),
  ]);
});
