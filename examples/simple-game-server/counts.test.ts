import { createSocket } from "node:dgram";
import { describe, expect, it, onTestFinished } from "vitest";
import { play, ready, sayTcp } from "./game.fixture.ts";

const MOST = 2n ** 63n - 1n;

const status = {
  counters: { rooms: { count: 1n, capacity: 10n }, huge: { count: 0n, capacity: MOST } },
  lists: { players: { capacity: 3n, values: ["a", "b"] }, empty: { capacity: 10n, values: [] } },
};

const UNKNOWN = "rpc error: code = Unknown desc =";
const range = (count: number, capacity: number) =>
  `${UNKNOWN} out of range. Count must be within range [0,Capacity]. Found Count: ${count}, Capacity: ${capacity}`;

describe("a counter", () => {
  it.each<readonly [title: string, dialogue: readonly (readonly [say: string, reply: string])[]]>([
    [
      "counts up and down, exactly at once",
      [
        ["GET_COUNTER_COUNT rooms", "COUNTER: 1"],
        ["INCREMENT_COUNTER rooms 9", "SUCCESS"],
        ["GET_COUNTER_COUNT rooms", "COUNTER: 10"],
        ["DECREMENT_COUNTER rooms 4", "SUCCESS"],
        ["GET_COUNTER_COUNT rooms", "COUNTER: 6"],
        ["SET_COUNTER_COUNT rooms 3", "SUCCESS"],
        ["GET_COUNTER_COUNT rooms", "COUNTER: 3"],
        ["GET_COUNTER_CAPACITY rooms", "CAPACITY: 10"],
        ["SET_COUNTER_CAPACITY rooms 0", "SUCCESS"],
        ["GET_COUNTER_CAPACITY rooms", "CAPACITY: 0"],
        ["GET_COUNTER_COUNT rooms", "COUNTER: 0"],
      ],
    ],
    [
      "stays as it is when it is refused",
      [
        ["INCREMENT_COUNTER rooms 50", `ERROR: could not increment Counter rooms by amount 50: ${range(51, 10)}`],
        ["DECREMENT_COUNTER rooms 2", `ERROR: could not decrement Counter rooms by amount 2: ${range(-1, 10)}`],
        ["SET_COUNTER_COUNT rooms 11", `ERROR: could not set Counter rooms count to amount 11: ${range(11, 10)}`],
        [
          "SET_COUNTER_CAPACITY rooms -42",
          `ERROR: could not set Counter rooms capacity to amount -42: ${UNKNOWN} out of range. Capacity must be greater than or equal to 0. Found Capacity: -42`,
        ],
        ["INCREMENT_COUNTER rooms -1", "ERROR: amount must be a positive int64, found -1"],
        ["DECREMENT_COUNTER rooms -1", "ERROR: amount must be a positive int64, found -1"],
        ["INCREMENT_COUNTER rooms many", 'ERROR: strconv.ParseInt: parsing "many": invalid syntax'],
        [
          "SET_COUNTER_COUNT rooms 9223372036854775808",
          'ERROR: strconv.ParseInt: parsing "9223372036854775808": value out of range',
        ],
        ["GET_COUNTER_COUNT rooms", "COUNTER: 1"],
        ["GET_COUNTER_CAPACITY rooms", "CAPACITY: 10"],
      ],
    ],
    [
      "is exact beyond what a number holds",
      [
        [`SET_COUNTER_COUNT huge ${MOST - 1n}`, "SUCCESS"],
        ["INCREMENT_COUNTER huge 1", "SUCCESS"],
        ["GET_COUNTER_COUNT huge", `COUNTER: ${MOST}`],
        ["GET_COUNTER_CAPACITY huge", `CAPACITY: ${MOST}`],
      ],
    ],
    [
      "must be there, and be told enough",
      [
        ["GET_COUNTER_COUNT same", "ERROR: -1"],
        ["GET_COUNTER_CAPACITY same", "ERROR: -1"],
        ["GET_COUNTER_COUNT a/b", "ERROR: -1"],
        [
          "INCREMENT_COUNTER same 1",
          `ERROR: could not increment Counter same by amount 1: ${UNKNOWN} counter not found: same`,
        ],
        ["GET_COUNTER_COUNT", "ERROR: Invalid GET_COUNTER_COUNT, should have 1 argument"],
        ["INCREMENT_COUNTER rooms", "ERROR: Invalid INCREMENT_COUNTER, should have 2 arguments"],
        ["GET_COUNTER_COUNT rooms and more", "COUNTER: 1"],
      ],
    ],
  ])("%s", async (_title, dialogue) => {
    const { say } = await play([], {}, { status });
    for (const [text, reply] of dialogue) expect([text, await say(text)]).toEqual([text, `${reply}\n`]);
  });

  it("is written to the object, and answers over TCP as well", async () => {
    const { say, api, port } = await play(["--tcp"], {}, { status });
    expect(await say("GET_COUNTER_COUNT rooms")).toBe("COUNTER: 1\n");
    await say("INCREMENT_COUNTER rooms 2");
    await expect.poll(() => api.stored?.status?.counters?.rooms, ready).toEqual({ count: 3n, capacity: 10n });
    expect(await sayTcp(port, "GET_COUNTER_COUNT rooms\n")).toBe("COUNTER: 3\n\n");
    expect(await sayTcp(port, "GET_COUNTER_COUNT none\n")).toBe("ERROR: -1\n\n");
  });
});

describe("a list", () => {
  it.each<readonly [title: string, dialogue: readonly (readonly [say: string, reply: string])[]]>([
    [
      "takes values and gives them back, exactly at once",
      [
        ["GET_LIST_CAPACITY players", "CAPACITY: 3"],
        ["GET_LIST_LENGTH players", "LENGTH: 2"],
        ["GET_LIST_VALUES players", "VALUES: a,b"],
        ["APPEND_LIST_VALUE players c", "SUCCESS"],
        ["LIST_CONTAINS players c", "FOUND: true"],
        ["LIST_CONTAINS players C", "FOUND: false"],
        ["GET_LIST_LENGTH players", "LENGTH: 3"],
        ["DELETE_LIST_VALUE players a", "SUCCESS"],
        ["GET_LIST_VALUES players", "VALUES: b,c"],
        ["SET_LIST_CAPACITY players 1", "SUCCESS"],
        ["GET_LIST_VALUES players", "VALUES: b"],
        ["SET_LIST_CAPACITY players 1000", "SUCCESS"],
        ["GET_LIST_VALUES empty", "VALUES: <none>"],
      ],
    ],
    [
      "stays as it is when it is refused",
      [
        ["APPEND_LIST_VALUE players c", "SUCCESS"],
        [
          "APPEND_LIST_VALUE players d",
          `ERROR: could not get List players: ${UNKNOWN} out of range. No available capacity. Current Capacity: 3, List Size: 3`,
        ],
        [
          "DELETE_LIST_VALUE players d",
          `ERROR: could not get List players: ${UNKNOWN} not found: value d not in list players`,
        ],
        ...[1001, -1].map(
          (capacity) =>
            [
              `SET_LIST_CAPACITY players ${capacity}`,
              `ERROR: could not set List players capacity to amount ${capacity}: ${UNKNOWN} out of range. Capacity must be within range [0,1000]. Found Capacity: ${capacity}`,
            ] as const,
        ),
        ["SET_LIST_CAPACITY players x", 'ERROR: strconv.ParseInt: parsing "x": invalid syntax'],
        ["GET_LIST_VALUES players", "VALUES: a,b,c"],
      ],
    ],
    [
      "must be there, and be told enough",
      [
        ["GET_LIST_CAPACITY none", "ERROR: -1"],
        ["GET_LIST_LENGTH none", "ERROR: -1"],
        ["GET_LIST_VALUES none", "ERROR: INVALID LIST NAME"],
        ["LIST_CONTAINS none v", "ERROR: false"],
        ["APPEND_LIST_VALUE none v", `ERROR: could not get List none: ${UNKNOWN} list not found: none`],
        ["LIST_CONTAINS players", "ERROR: Invalid LIST_CONTAINS, should have 2 arguments"],
        ["GET_LIST_LENGTH", "ERROR: Invalid GET_LIST_LENGTH, should have 1 argument"],
      ],
    ],
  ])("%s", async (_title, dialogue) => {
    const { say } = await play([], {}, { status });
    for (const [text, reply] of dialogue) expect([text, await say(text)]).toEqual([text, `${reply}\n`]);
  });
});

describe("players", () => {
  const tracked = {
    status: { players: { count: 0n, capacity: 2n, ids: [] } },
    gates: "PlayerTracking=true",
  };

  it("connect and disconnect, and are counted exactly at once", async () => {
    const { say, api } = await play([], {}, tracked);
    for (const [text, reply] of [
      ["PLAYER_CAPACITY", "2"],
      ["PLAYER_CAPACITY 3", "ACK: PLAYER_CAPACITY 3"],
      ["PLAYER_CAPACITY", "3"],
      ["PLAYER_CAPACITY many", 'ERROR: strconv.Atoi: parsing "many": invalid syntax'],
      ["PLAYER_CAPACITY 1 2", "ERROR: Invalid PLAYER_CAPACITY, should have 0 or 1 arguments"],
      ["PLAYER_CONNECT a/1", "ACK: PLAYER_CONNECT a/1"],
      ["PLAYER_CONNECT a/1", "ACK: PLAYER_CONNECT a/1"],
      ["PLAYER_CONNECT 2", "ACK: PLAYER_CONNECT 2"],
      ["PLAYER_CONNECT", "ERROR: Invalid PLAYER_CONNECT, should have 1 argument"],
      ["PLAYER_CONNECTED a/1", "true"],
      ["PLAYER_CONNECTED 3", "false"],
      ["PLAYER_COUNT", "2"],
      ["GET_PLAYERS", "a/1,2"],
      ["PLAYER_DISCONNECT a/1", "ACK: PLAYER_DISCONNECT a/1"],
      ["PLAYER_DISCONNECT a/1", "ACK: PLAYER_DISCONNECT a/1"],
      ["GET_PLAYERS", "2"],
    ] as const)
      expect([text, await say(text)]).toEqual([text, `${reply}\n`]);
    await expect.poll(() => api.stored?.status?.players, ready).toEqual({ count: 1n, capacity: 3n, ids: ["2"] });
  });

  it.each([
    [
      "at capacity",
      { ...tracked, status: { players: { count: 0n, capacity: 0n, ids: [] } } },
      "players are already at capacity",
    ],
    ["that are not tracked", {}, "PlayerTracking not enabled"],
  ])("%s end the game server without a reply", async (_title, rest, why) => {
    const { port, state, game } = await play([], {}, rest);
    await expect.poll(state, ready).toBe("RequestReady");
    const socket = createSocket("udp4");
    onTestFinished(() => void socket.close());
    let replies = 0;
    socket.on("message", () => replies++);
    socket.send("PLAYER_CONNECT 1", port, "127.0.0.1");
    expect(await game.exit).toBe(1);
    expect(game.output()).toContain(`could not register connected player: ${UNKNOWN} ${why}`);
    expect(replies).toBe(0);
  });
});
