import { describe, expect, onTestFinished, test } from "vitest";
import { AllocationEngine } from "#allocation/engine/engine.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { GameServerAllocation } from "#api/allocation/gameserverallocation.ts";
import type { ApiHandler, ApiResponse, Method } from "#api/meta/exchange.ts";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import type { Client } from "#kube/client.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { withFaults } from "#kube/fault-injection.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { serverOf } from "#tests/world/allocation.ts";
import { gates, openTestApi } from "#tests/world/embedded-api.ts";
import { NodeCounts } from "#views/node-counts.ts";
import { allocationGroup } from "./allocation-group.ts";

const PATH = "/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations";

const duel = serverOf("duel-1");

interface Door {
  readonly client: Client;
  send(
    method: Method,
    target: string,
    body?: JsonValue,
  ): Promise<{ status: number; body: JsonObject; warning: string | undefined }>;
}

/** The API server with the group plugged in, as in the control plane, and these servers. */
async function open(
  servers: readonly GameServer[],
  { disturb = (client: Client) => client, signal = new AbortController().signal } = {},
): Promise<Door> {
  const clock = new FakeClock();
  let group: ReturnType<typeof allocationGroup> | undefined;
  const late = {
    ...allocationGroup({ engine: {} as AllocationEngine, gates, clock }),
    handle: (request: Parameters<ApiHandler>[0]): Promise<ApiResponse> => {
      if (!group) throw new Error("not yet");
      return group.handle(request);
    },
  };
  const api = await openTestApi({ clock, random: () => 0.5, groups: [late] });
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    await api.close();
  });
  for (const server of servers) await api.client.create(GAMESERVERS, server);
  const gameServers = createInformer(api.client, GAMESERVERS, { clock, log: silentLogger, freeze: true });
  const recorder = new FakeEventRecorder();
  const nodeCounts = new NodeCounts();
  const client = disturb(api.client);
  const engine = new AllocationEngine({ client, gameServers, nodeCounts, gates, recorder, clock });
  group = allocationGroup({ engine, gates, clock });
  // After the engine: a request that comes before the servers are known waits for them.
  void gameServers.run(stop.signal);
  return {
    client: api.client,
    send: async (method, target, body) => {
      const [path = "", query = ""] = target.split("?", 2);
      const response = await api.handler({
        method,
        path,
        query: new URLSearchParams(query),
        headers: { ...(body !== undefined && { "content-type": "application/json" }) },
        body,
        user: { username: "admin", groups: ["system:masters"] },
        signal,
      });
      if (response.type === "watch") throw new Error(`${method} ${target} was answered with a watch`);
      const { status, headers } = response;
      return { status, body: response.type === "json" ? response.value : {}, warning: headers?.warning };
    },
  };
}

const request = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "allocation.agones.dev/v1",
  kind: "GameServerAllocation",
  metadata,
  spec,
});
const arena = { selectors: [{ matchLabels: { "agones.dev/fleet": "arena" } }] };
const stateOf = ({ body }: { body: JsonObject }) => (body as unknown as GameServerAllocation).status?.state;

describe("POST of a GameServerAllocation", () => {
  test("answers 201 with the completed document of the server", async () => {
    const door = await open([duel]);
    const { status, body } = await door.send(
      "POST",
      PATH,
      request(arena, { namespace: "ignored", labels: { a: "b" } }),
    );
    expect(status).toBe(201);
    expect(body).toEqual({
      apiVersion: "allocation.agones.dev/v1",
      kind: "GameServerAllocation",
      metadata: {
        name: "duel-1",
        namespace: "default",
        creationTimestamp: "2030-01-01T00:00:00Z",
        labels: { a: "b" },
      },
      spec: {
        multiClusterSetting: { policySelector: {} },
        required: {},
        selectors: [{ matchLabels: { "agones.dev/fleet": "arena" }, gameServerState: "Ready" }],
        scheduling: "Packed",
        metadata: {},
      },
      status: {
        state: "Allocated",
        gameServerName: "duel-1",
        ports: [{ name: "play", port: 7000 }],
        address: "10.0.0.1",
        nodeName: "node-1",
        source: "local",
        metadata: {
          labels: { "agones.dev/fleet": "arena" },
          annotations: expect.objectContaining({ "agones.dev/last-allocated": "2030-01-01T00:00:00.000Z" }),
        },
      },
    });
    expect((await door.client.get(GAMESERVERS, "default", "duel-1")).status?.state).toBe("Allocated");
  });

  test("a misspelt member is refused under Strict, warned of otherwise, and passed over when asked to be", async () => {
    const door = await open([duel, serverOf("duel-2"), serverOf("duel-3")]);
    const misspelt = {
      ...request({
        selector: [],
        selectors: [{ matchLabels: { any: "key" }, gameServerstate: "Ready" }],
        priorities: [{ kez: "a" }],
      }),
      sped: {},
    };
    const words = [
      'unknown field "sped"',
      'unknown field "spec.selector"',
      'unknown field "spec.selectors[0].gameServerstate"',
      'unknown field "spec.priorities[0].kez"',
    ];
    const strict = await door.send("POST", `${PATH}?fieldValidation=Strict`, misspelt);
    expect(strict.status).toBe(400);
    expect(strict.body.message).toBe(
      `GameServerAllocation in version "v1" cannot be handled as a GameServerAllocation: strict decoding error: ${words.join(", ")}`,
    );
    expect((await door.client.list(GAMESERVERS)).items.map(({ status }) => status?.state)).toEqual([
      "Ready",
      "Ready",
      "Ready",
    ]);

    const slip = request({ ...arena, bogus: 1 });
    const warned = await door.send("POST", PATH, slip);
    expect([stateOf(warned), warned.warning]).toEqual(["Allocated", '299 - "unknown field \\"spec.bogus\\""']);
    const ignored = await door.send("POST", `${PATH}?fieldValidation=Ignore`, slip);
    expect([stateOf(ignored), ignored.warning]).toEqual(["Allocated", undefined]);
    const known = await door.send("POST", `${PATH}?fieldValidation=Strict`, request(arena));
    expect([stateOf(known), known.warning]).toEqual(["Allocated", undefined]);
  });

  test("answers 201 with UnAllocated when no server matches, and in the older form as in the newer", async () => {
    const door = await open([duel]);
    const old = request({ required: { matchLabels: { "agones.dev/fleet": "arena" } } });
    expect(stateOf(await door.send("POST", PATH, old))).toBe("Allocated");
    const { status, body } = await door.send("POST", `${PATH}/`, old);
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: { state: "UnAllocated", gameServerName: "", source: "" } });
    expect(body.metadata).not.toHaveProperty("name");
  });

  test("answers 201 with Contention when others took what matched", async () => {
    const taken = await open([duel], {
      disturb: (client) => ({
        ...client,
        update: async (type, object) => {
          await client.update(type, { ...object, metadata: { ...object.metadata, labels: { other: "one" } } });
          return client.update(type, object);
        },
      }),
    });
    const answer = await taken.send("POST", PATH, request(arena));
    expect([answer.status, stateOf(answer)]).toEqual([201, "Contention"]);
  });

  test("allocates in the namespace of the path alone, and drops a status that was sent along", async () => {
    const door = await open([duel]);
    const elsewhere = PATH.replace("default", "elsewhere");
    const sent = { ...request(arena, { namespace: "default" }), status: { state: "Allocated", gameServerName: "old" } };
    const { body } = await door.send("POST", elsewhere, sent);
    expect(body).toMatchObject({
      metadata: { namespace: "elsewhere" },
      status: { state: "UnAllocated", gameServerName: "" },
    });
  });

  test("with dryRun=All takes nothing", async () => {
    const door = await open([duel]);
    expect(stateOf(await door.send("POST", `${PATH}?dryRun=All`, request(arena)))).toBe("Allocated");
    expect((await door.client.get(GAMESERVERS, "default", "duel-1")).status?.state).toBe("Ready");
  });

  test("takes no kind and no spec for any Ready server", async () => {
    const door = await open([duel]);
    const { body } = await door.send("POST", PATH, {});
    expect(body).toMatchObject({
      apiVersion: "allocation.agones.dev/v1",
      kind: "GameServerAllocation",
      status: { gameServerName: "duel-1" },
    });
  });

  test("keeps counts beyond 2^53 exact", async () => {
    const door = await open([serverOf("big", { counters: { rooms: { count: 0n, capacity: 2n ** 63n - 1n } } })]);
    const spec = { ...arena, counters: { rooms: { action: "Increment", amount: 9007199254740993n } } };
    const { body } = await door.send("POST", PATH, request(spec));
    expect(body).toMatchObject({
      status: { counters: { rooms: { count: 9007199254740993n, capacity: 2n ** 63n - 1n } } },
    });
  });
});

describe("what is refused", () => {
  test("is invalid with 422: every fault as a cause, and the name in the message", async () => {
    const door = await open([]);
    const { status, body } = await door.send("POST", PATH, request({ scheduling: "wrong" }));
    expect([status, body.code]).toEqual([422, 422]);
    const message = 'Unsupported value: "wrong": supported values: "Packed", "Distributed"';
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `GameServerAllocation.allocation.agones.dev "" is invalid: spec.scheduling: ${message}`,
      reason: "Invalid",
      details: {
        group: "allocation.agones.dev",
        kind: "GameServerAllocation",
        causes: [{ reason: "FieldValueNotSupported", message, field: "spec.scheduling" }],
      },
      code: 422,
    });
    const label = request({ metadata: { labels: { $$$$$$$: "v" } } }, { name: "mine" });
    const named = await door.send("POST", PATH, label);
    expect(named.body.message).toContain(
      'GameServerAllocation.allocation.agones.dev "mine" is invalid: spec.metadata.labels',
    );
  });

  test.each<[what: string, body: JsonValue | undefined, message: RegExp]>([
    ["no body", undefined, /is required in the body/],
    ["a list", [], /must be a GameServerAllocation object/],
    ["another kind", { apiVersion: "v1", kind: "Pod" }, /found Pod of v1/],
    ["another version", { ...request(), apiVersion: "allocation.agones.dev/v2" }, /v2/],
    ["a spec that is none", { ...request(), spec: "Packed" }, /error decoding body: .*spec/],
    ["a member of the wrong type", request({ selectors: "all" }), /error decoding body: .*spec\.selectors/],
  ])("is %s with 400, saying why", async (_, body, message) => {
    const door = await open([]);
    const answer = await door.send("POST", PATH, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { reason: "BadRequest", message: expect.stringMatching(message) },
    });
  });

  test.each<Method>(["GET", "PUT", "PATCH", "DELETE"])("is %s with 405", async (method) => {
    const door = await open([]);
    const answer = await door.send(method, PATH, method === "GET" || method === "DELETE" ? undefined : request());
    expect(answer).toMatchObject({ status: 405, body: { reason: "MethodNotAllowed" } });
  });

  test.each([
    `${PATH}/duel-1`,
    "/apis/allocation.agones.dev/v1/gameserverallocations",
    PATH.replace("ations", "ators"),
  ])("is the path %s with 404", async (path) => {
    const door = await open([]);
    expect((await door.send("POST", path, request())).status).toBe(404);
  });

  test("is a write that failed with 500 and the text clients match", async () => {
    const door = await open([duel], {
      disturb: (client) => withFaults(client, ({ verb }) => (verb === "update" ? { type: "refuse" } : undefined)),
    });
    const { status, body } = await door.send("POST", PATH, request(arena));
    expect([status, body.message]).toEqual([500, "could not update the selected GameServer"]);
  });

  test("is a request whose caller has gone, and nothing is taken", async () => {
    const door = await open([duel], { signal: AbortSignal.abort() });
    expect((await door.send("POST", PATH, request(arena))).body).toMatchObject({ reason: "Timeout" });
    expect((await door.client.get(GAMESERVERS, "default", "duel-1")).status?.state).toBe("Ready");
  });
});

test("discovery tells of one resource that can only be created", async () => {
  const door = await open([]);
  expect((await door.send("GET", "/apis/allocation.agones.dev/v1")).body).toMatchObject({
    kind: "APIResourceList",
    groupVersion: "allocation.agones.dev/v1",
    resources: [
      {
        name: "gameserverallocations",
        singularName: "gameserverallocation",
        namespaced: true,
        kind: "GameServerAllocation",
        verbs: ["create"],
        shortNames: ["gsa"],
      },
    ],
  });
});
