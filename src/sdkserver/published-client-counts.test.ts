import { describe, expect, it } from "vitest";
import { type JsonObject, parseJson, stringifyJson } from "#api/meta/json.ts";
import { FakeGameServerApi, gameServer } from "./fake-gameserver-api.ts";
import { connect, serve } from "./shared-server-fixture.ts";

const api = () =>
  new FakeGameServerApi(
    gameServer({
      state: "Ready",
      counters: { rooms: { count: 1n, capacity: 10n } },
      lists: { players: { capacity: 100n, values: ["test0", "test1", "test2"] } },
      players: { count: 0n, capacity: 0n, ids: [] },
    }),
  );

describe("the published Node client", () => {
  it("walks through counters and lists, reading back each step", async () => {
    const { api: stored, server } = await serve({ api: api() });
    const { beta } = (await connect(server)) as unknown as { beta: Beta };
    expect(await beta.getCounterCount("rooms")).toBe(1);
    await beta.incrementCounter("rooms", 9);
    expect(await beta.getCounterCount("rooms")).toBe(10);
    await beta.decrementCounter("rooms", 10);
    await beta.setCounterCount("rooms", 10);
    expect(await beta.getCounterCapacity("rooms")).toBe(10);
    await beta.setCounterCapacity("rooms", 1);
    expect(await beta.getCounterCount("rooms")).toBe(1);

    expect(await beta.listContains("players", "test1")).toBe(true);
    expect(await beta.getListLength("players")).toBe(3);
    expect(await beta.getListValues("players")).toEqual(["test0", "test1", "test2"]);
    await beta.appendListValue("players", "test3");
    await beta.deleteListValue("players", "test2");
    expect(await beta.getListValues("players")).toEqual(["test0", "test1", "test3"]);
    expect(await beta.getListCapacity("players")).toBe(100);
    await beta.setListCapacity("players", 2);
    expect(await beta.getListValues("players")).toEqual(["test0", "test1"]);
    await expect
      .poll(() => stored.stored?.status)
      .toMatchObject({
        counters: { rooms: { count: 1n, capacity: 1n } },
        lists: { players: { capacity: 2n, values: ["test0", "test1"] } },
      });
  });

  it("walks through players", async () => {
    const { api: stored, server } = await serve({ api: api(), environment: { FEATURE_GATES: "PlayerTracking=true" } });
    const { alpha } = (await connect(server)) as unknown as { alpha: Alpha };
    await alpha.setPlayerCapacity(10);
    expect(await alpha.getPlayerCapacity()).toBe(10);
    expect(await alpha.playerConnect("1234")).toBe(true);
    expect(await alpha.isPlayerConnected("1234")).toBe(true);
    expect(await alpha.getConnectedPlayers()).toEqual(["1234"]);
    expect(await alpha.getPlayerCount()).toBe(1);
    expect(await alpha.playerDisconnect("1234")).toBe(true);
    expect(await alpha.getPlayerCount()).toBe(0);
    await expect.poll(() => stored.stored?.status?.players).toEqual({ count: 0n, capacity: 10n, ids: [] });
  });

  it("is told what it may not do in the words that clients match", async () => {
    const { server } = await serve({ api: api() });
    const { beta } = (await connect(server)) as unknown as { beta: Beta };
    for (const [call, details] of [
      [
        () => beta.incrementCounter("rooms", 10),
        "out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10",
      ],
      [() => beta.incrementCounter("same", 1), "counter not found: same"],
      [() => beta.appendListValue("players", "test0"), "already exists. Value: test0 already in List: players"],
      [
        () => beta.setListCapacity("players", 1001),
        "out of range. Capacity must be within range [0,1000]. Found Capacity: 1001",
      ],
    ] as const)
      await expect(call()).rejects.toMatchObject({ code: 2, details });
    expect(await beta.getCounterCount("rooms")).toBe(1);
  });

  it("sees its own counts and those of others by its watch", async () => {
    const { api: stored, server } = await serve({ api: api() });
    const sdk = await connect(server);
    const seen: (number | undefined)[] = [];
    sdk.watchGameServer(
      ({ status }) => {
        const counters = new Map((status as unknown as { countersMap: [string, { count: number }][] }).countersMap);
        seen.push(counters.get("rooms")?.count);
      },
      () => {},
    );
    await expect.poll(() => seen).toEqual([1]);
    await (sdk as unknown as { beta: Beta }).beta.incrementCounter("rooms", 2);
    await expect.poll(() => seen).toEqual([1, 3]);
    stored.write({ status: { counters: { rooms: { count: 7n, capacity: 10n } } } });
    await expect.poll(() => seen).toEqual([1, 3, 7]);
  });
});

describe("REST", () => {
  it("answers with what came of it, and a read straight after agrees", async () => {
    const { post } = await serve({ api: api() });
    const ask = async (method: string, path: string, body?: object) => {
      const { status, text } = await post(path, body && JSON.stringify(body), method);
      return { status, body: JSON.parse(text) };
    };
    const rooms = "/v1beta1/counters/rooms";
    const players = "/v1beta1/lists/players";
    for (const [method, path, body, answer] of [
      ["PATCH", rooms, { countDiff: "-1", capacity: "42" }, { name: "rooms", count: "0", capacity: "42" }],
      ["PATCH", rooms, { count: "40", capacity: 42 }, { name: "rooms", count: "40", capacity: "42" }],
      [
        "PATCH",
        players,
        { capacity: "10", values: ["test123", "test456"] },
        { name: "players", capacity: "10", values: ["test123", "test456"] },
      ],
      [
        "POST",
        `${players}:addValue`,
        { value: "test789" },
        { name: "players", capacity: "10", values: ["test123", "test456", "test789"] },
      ],
      [
        "POST",
        `${players}:removeValue`,
        { value: "test456" },
        { name: "players", capacity: "10", values: ["test123", "test789"] },
      ],
    ] as const) {
      expect(await ask(method, path, body)).toEqual({ status: 200, body: answer });
      expect(await ask("GET", path.replace(/:.*/, ""))).toEqual({ status: 200, body: answer });
    }
  });

  it("refuses with 500 and the code of the original, and does nothing by halves", async () => {
    const { api: stored, post } = await serve({ api: api() });
    const before = stored.stored;
    for (const [method, path, body, message] of [
      ["GET", "/v1beta1/counters/none", "", "counter not found: none"],
      ["PATCH", "/v1beta1/counters/rooms", "", 'invalid argument. Malformed CounterUpdateRequest: name:"rooms"'],
      [
        "PATCH",
        "/v1beta1/counters/rooms",
        '{"capacity":"20","count":"21"}',
        "out of range. Count must be within range [0,Capacity]. Found Count: 21, Capacity: 20",
      ],
      [
        "PATCH",
        "/v1beta1/lists/players",
        '{"capacity":"1001","values":["x"]}',
        "out of range. Capacity must be within range [0,1000]. Found Capacity: 1001",
      ],
      ["POST", "/v1beta1/lists/players:removeValue", '{"value":"x"}', "not found: value x not in list players"],
      ["GET", "/alpha/player/count", "", "PlayerTracking not enabled"],
    ] as const)
      expect(await post(path, body, method)).toEqual({
        status: 500,
        text: JSON.stringify({ code: 2, message, details: [] }),
      });
    expect(stored.stored).toBe(before);
  });

  it("keeps 64 bits exactly, to the object and back, and over the death of the SDK server", async () => {
    const most = 2n ** 63n - 1n;
    const stored = api();
    stored.faults.push(...Array<"unreachable">(100).fill("unreachable"));
    const { server, saves, post } = await serve({ api: stored });
    await post("/v1beta1/counters/rooms", `{"capacity":${most},"count":"${most - 1n}"}`, "PATCH");
    expect((await post("/v1beta1/counters/rooms", '{"countDiff":"1"}', "PATCH")).text).toContain(`"count":"${most}"`);
    await post("/v1beta1/lists/players:addValue", '{"value":"ä\\n"}');
    // Through text, as a disk gives it back.
    const saved = parseJson(stringifyJson(saves.at(-1) ?? {})) as JsonObject;
    await server.stop();
    stored.faults.length = 0;
    const again = await serve({ api: stored, saved });
    await expect
      .poll(() => stored.stored?.status)
      .toMatchObject({
        counters: { rooms: { count: most, capacity: most } },
        lists: { players: { values: ["test0", "test1", "test2", "ä\n"] } },
      });
    expect((await again.post("/gameserver", "", "GET")).text).toContain(
      `"rooms":{"count":"${most}","capacity":"${most}"}`,
    );
  });
});

it("a WebSocket shows a reservation and a count as they come, each in a text", async () => {
  const { post, url } = await serve({ api: api() });
  const socket = new WebSocket(`${url.replace("http", "ws")}/watch/gameserver`);
  const seen: string[] = [];
  socket.addEventListener("message", ({ data }) => {
    const { status } = JSON.parse(data).result;
    seen.push(`${status.state} ${status.counters.rooms.count}`);
  });
  await expect.poll(() => seen).toEqual(["Ready 1"]);
  await post("/reserve");
  await expect.poll(() => seen.at(-1)).toBe("Reserved 1");
  await post("/v1beta1/counters/rooms", '{"countDiff":2}', "PATCH");
  await expect.poll(() => seen.at(-1)).toBe("Reserved 3");
  socket.close();
});

/** The published types lack these. */
interface Beta {
  getCounterCount(key: string): Promise<number>;
  getCounterCapacity(key: string): Promise<number>;
  incrementCounter(key: string, amount: number): Promise<void>;
  decrementCounter(key: string, amount: number): Promise<void>;
  setCounterCount(key: string, amount: number): Promise<void>;
  setCounterCapacity(key: string, amount: number): Promise<void>;
  listContains(key: string, value: string): Promise<boolean>;
  getListLength(key: string): Promise<number>;
  getListValues(key: string): Promise<string[]>;
  getListCapacity(key: string): Promise<number>;
  setListCapacity(key: string, amount: number): Promise<void>;
  appendListValue(key: string, value: string): Promise<void>;
  deleteListValue(key: string, value: string): Promise<void>;
}

interface Alpha {
  getPlayerCapacity(): Promise<number>;
  setPlayerCapacity(capacity: number): Promise<unknown>;
  playerConnect(id: string): Promise<boolean>;
  playerDisconnect(id: string): Promise<boolean>;
  isPlayerConnected(id: string): Promise<boolean>;
  getPlayerCount(): Promise<number>;
  getConnectedPlayers(): Promise<string[]>;
}
