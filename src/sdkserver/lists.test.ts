import { describe, expect, it } from "vitest";
import { statusError } from "#api/meta/status.ts";
import { startCounts } from "./counts-fixture.ts";
import { decideAddition, decideRemoval } from "./decide-list.ts";
import { SdkServerLives } from "./lives-fixture.ts";

const start = (values: readonly string[] = ["a", "b", "c"], capacity = 5n) =>
  startCounts({ lists: { players: { capacity, values } } });
const value = (value: string) => ({ name: "players", value });
const update = (list: object, ...paths: string[]) => ({ list: { name: "players", ...list }, updateMask: { paths } });
const INVALID = (paths: string) =>
  `Unknown: invalid argument. Field Mask Path(s): [${paths}] are invalid for List. Use valid field name(s): name, capacity, values`;
const CAPACITY = (found: bigint) =>
  `Unknown: out of range. Capacity must be within range [0,1000]. Found Capacity: ${found}`;

describe("a list", () => {
  it.each([
    ["takes a value at its end", "addListValue", value("d"), 5n, ["a", "b", "c", "d"]],
    ["takes an empty value", "addListValue", value(""), 5n, ["a", "b", "c", ""]],
    ["tells letters' cases apart", "addListValue", value("A"), 5n, ["a", "b", "c", "A"]],
    ["gives a value up, and keeps the order of the others", "removeListValue", value("b"), 5n, ["a", "c"]],
    ["gets another capacity", "updateList", update({ capacity: 1000n }, "capacity"), 1000n, ["a", "b", "c"]],
    ["is cut from its end to a lower capacity", "updateList", update({ capacity: 2n }, "capacity"), 2n, ["a", "b"]],
    ["is emptied by a capacity of zero", "updateList", update({}, "capacity"), 0n, []],
    [
      "gets other values; those that stay keep their places",
      "updateList",
      update({ values: ["d", "c", "a"] }, "values"),
      5n,
      ["a", "c", "d"],
    ],
    ["takes each value once", "updateList", update({ values: ["d", "d", "a", "a"] }, "values"), 5n, ["a", "d"]],
    ["is emptied by values of none", "updateList", update({}, "values"), 5n, []],
    [
      "is cut when it gets more values than it holds",
      "updateList",
      update({ values: [..."abcdefgh"] }, "values"),
      5n,
      [..."abcde"],
    ],
    [
      "gets capacity and values, the capacity first",
      "updateList",
      update({ capacity: 2n, values: ["c", "x", "y"] }, "values", "capacity"),
      2n,
      ["c", "x"],
    ],
    [
      "keeps what the mask does not name",
      "updateList",
      update({ capacity: 9n, values: ["x"] }, "capacity"),
      9n,
      ["a", "b", "c"],
    ],
    [
      "gets what the request sets when the mask is empty, as a published client sends it",
      "updateList",
      update({ capacity: 9n }),
      9n,
      ["a", "b", "c"],
    ],
    [
      "stays as it is when the mask names its name",
      "updateList",
      update({ capacity: 9n, values: ["x"] }, "name"),
      5n,
      ["a", "b", "c"],
    ],
    ["stays as it is when nothing is set", "updateList", update({}), 5n, ["a", "b", "c"]],
  ])("%s", async (_, name, request, capacity, values) => {
    const { call, status } = start();
    expect(await call(name, request)).toEqual({ name: "players", capacity, values });
    expect(await call("getList", { name: "players" })).toEqual({ name: "players", capacity, values });
    expect(status()?.lists).toEqual({ players: { capacity, values } });
  });

  it.each([
    ["a value that is there", "addListValue", value("a"), "Unknown: already exists. Value: a already in List: players"],
    [
      "a value that is not there to be removed",
      "removeListValue",
      value("x"),
      "Unknown: not found: value x not in list players",
    ],
    [
      "no list",
      "updateList",
      { updateMask: { paths: ["values"] } },
      'Unknown: invalid argument. List: <nil> and UpdateMask paths:"values" cannot be nil',
    ],
    [
      "no mask",
      "updateList",
      { list: { name: "players", capacity: 2n, values: ["x"] } },
      'Unknown: invalid argument. List: name:"players" capacity:2 values:"x" and UpdateMask <nil> cannot be nil',
    ],
    ["a mask of another type", "updateList", update({}, "capacity", "count"), INVALID("capacity count")],
    ["a mask that is empty text", "updateList", update({}, ""), INVALID("")],
    ["a mask for all", "updateList", update({}, "*"), INVALID("*")],
    ["a capacity above the limit", "updateList", update({ capacity: 1001n }, "capacity"), CAPACITY(1001n)],
    ["a capacity below zero", "updateList", update({ capacity: -1n }, "capacity"), CAPACITY(-1n)],
    [
      "a capacity above the limit that the mask does not name",
      "updateList",
      update({ capacity: 1001n, values: [] }, "values"),
      CAPACITY(1001n),
    ],
  ])("takes no call with %s, and none of it", async (_, name, request, text) => {
    const { call, api } = start();
    const before = api.stored;
    expect(await call(name, request)).toBe(text);
    expect(await call("getList", { name: "players" })).toMatchObject({ capacity: 5n, values: ["a", "b", "c"] });
    expect(api.stored).toBe(before);
  });

  it("that is full says so, also of a value that is there", async () => {
    const { call } = start(["a", "b"], 2n);
    for (const each of ["a", "x"])
      expect(await call("addListValue", value(each))).toBe(
        "Unknown: out of range. No available capacity. Current Capacity: 2, List Size: 2",
      );
  });

  it("that the server does not have is not made", async () => {
    const { call, api } = start();
    const name = "none";
    for (const [method, request] of [
      ["getList", { name }],
      ["addListValue", { name, value: "x" }],
      ["removeListValue", { name, value: "x" }],
      ["updateList", { list: { name, capacity: 5n }, updateMask: { paths: ["capacity"] } }],
      ["updateList", { list: { name }, updateMask: { paths: [] } }],
    ] as const)
      expect(await call(method, request)).toBe("Unknown: list not found: none");
    expect(api.patches).toEqual([]);
  });

  it("is refused, read and written, while the gate is off", async () => {
    const { call, api } = startCounts({ lists: { players: {} } }, { gates: { CountsAndLists: false } });
    for (const [method, request] of [
      ["getList", { name: "players" }],
      ["addListValue", value("x")],
      ["removeListValue", value("x")],
      ["updateList", update({ capacity: 5n }, "capacity")],
    ] as const)
      expect(await call(method, request)).toBe("Unknown: CountsAndLists not enabled");
    expect(api.patches).toEqual([]);
  });
});

describe("values that wait for the next life", () => {
  it("are removed although the write that adds them was still under way, and an earlier one is seen first", async () => {
    const lives = new SdkServerLives({ status: { state: "Ready", lists: { players: { capacity: 5n, values: [] } } } });
    const signal = new AbortController().signal;
    lives.api.live = false;
    lives.api.faults.push(undefined, "held");
    await lives.make((session) => session.ready());
    await lives.make((session) => session.count(signal, (seen) => decideAddition(seen, "players", "a")));
    await lives.clock.advance(500);
    lives.restart();
    const removed = lives.session.count(signal, (seen) => decideRemoval(seen, "players", "a"));
    await lives.clock.advance(1);
    lives.api.show();
    await lives.clock.advance(0);
    lives.api.live = true;
    lives.api.arrive();
    await lives.clock.advance(60_000);
    await removed;
    expect(lives.api.stored?.status?.lists?.players?.values).toEqual([]);
  });
});

describe("values that wait", () => {
  it("are read by the next call, and written in one patch with one event", async () => {
    const { api, begin, clock, events, status } = start();
    const calls = ["d", "e"].map((each) => begin("addListValue", value(each)));
    calls.push(begin("removeListValue", value("a")));
    expect(await begin("getList", { name: "players" })).toMatchObject({ values: ["b", "c", "d", "e"] });
    await expect(begin("addListValue", value("d"))).rejects.toThrow(
      "already exists. Value: d already in List: players",
    );
    await clock.advance(0);
    expect(await Promise.all(calls)).toMatchObject([
      { values: ["a", "b", "c", "d"] },
      { values: ["a", "b", "c", "d", "e"] },
      { values: ["b", "c", "d", "e"] },
    ]);
    expect(api.patches).toHaveLength(1);
    expect(status()?.lists?.players?.values).toEqual(["b", "c", "d", "e"]);
    expect(events()).toEqual(["Normal UpdateList: List players updated"]);
  });

  it.each([
    ["a value removed and added again is the last", ["removeListValue", "a"], ["addListValue", "a"], ["b", "c", "a"]],
    [
      "a value added and removed again leaves no trace",
      ["addListValue", "x"],
      ["removeListValue", "x"],
      ["a", "b", "c"],
    ],
  ])("%s", async (_, first, second, wanted) => {
    const { begin, clock, status } = start();
    for (const [method = "", each = ""] of [first, second]) void begin(method, value(each));
    await clock.advance(0);
    expect(status()?.lists?.players?.values).toEqual(wanted);
  });

  it("are not lost to an update of the list", async () => {
    const { begin, clock, status } = start();
    void begin("addListValue", value("d"));
    void begin("removeListValue", value("b"));
    void begin("updateList", update({ capacity: 10n }, "capacity"));
    void begin("updateList", update({ values: ["d", "x", "a"] }, "values"));
    await clock.advance(0);
    expect(status()?.lists?.players).toEqual({ capacity: 10n, values: ["a", "d", "x"] });
  });

  it("that a lower capacity cut do not come back with a higher one", async () => {
    const { begin, clock, status } = start();
    void begin("addListValue", value("d"));
    void begin("updateList", update({ capacity: 2n }, "capacity"));
    void begin("updateList", update({ capacity: 5n }, "capacity"));
    void begin("addListValue", value("c"));
    expect(await begin("getList", { name: "players" })).toMatchObject({ values: ["a", "b", "c"] });
    await clock.advance(0);
    expect(status()?.lists?.players).toEqual({ capacity: 5n, values: ["a", "b", "c"] });
  });

  it("join what another has added meanwhile, and are cut from the end where both do not fit", async () => {
    const { api, begin, clock, status } = start();
    api.faults.push("held");
    void begin("addListValue", value("d"));
    void begin("addListValue", value("e"));
    void begin("removeListValue", value("a"));
    await clock.advance(0);
    api.write({ status: { lists: { players: { capacity: 4n, values: ["a", "b", "c", "z"] } } } });
    api.arrive();
    await clock.advance(500);
    expect(status()?.lists?.players).toEqual({ capacity: 4n, values: ["b", "c", "z", "d"] });
  });

  it("do not come again when another removed them after a write without an answer", async () => {
    const { api, begin, clock, status } = start();
    api.live = false;
    api.faults.push("lost-answer");
    void begin("addListValue", value("d"));
    await clock.advance(0);
    api.write({ status: { lists: { players: { capacity: 5n, values: ["a"] } } } });
    void begin("addListValue", value("e"));
    api.show();
    await clock.advance(60_000);
    expect(status()?.lists?.players?.values).toEqual(["a", "e"]);
  });

  it("are refused beyond what an object can hold, whole and at once", async () => {
    const { api, begin, clock, status } = start([], 1000n);
    api.faults.push(...Array<"unreachable">(1000).fill("unreachable"));
    const big = "x".repeat(400_000);
    for (let n = 0; n < 3; n++) void begin("addListValue", value(big + n));
    await clock.advance(0);
    await expect(begin("addListValue", value(big))).rejects.toMatchObject({ code: "ResourceExhausted" });
    expect(await begin("getList", { name: "players" })).toMatchObject({ values: { length: 3 } });
    await begin("addListValue", value("small"));
    api.faults.length = 0;
    await clock.advance(60_000);
    await begin("addListValue", value(big));
    await clock.advance(500);
    expect(status()?.lists?.players?.values).toHaveLength(5);
  });

  it("are dropped alone when the API refuses them by their name", async () => {
    const { api, begin, session, clock, status, state } = startCounts({
      counters: { rooms: { count: 1n, capacity: 5n } },
      lists: { players: { capacity: 5n, values: [] }, other: { capacity: 5n, values: [] } },
    });
    const cause = { field: "status.lists.players.capacity", reason: "FieldValueInvalid", message: "too much" };
    api.faults.push(statusError("Invalid", "refused", { causes: [cause] }));
    void begin("updateList", update({ capacity: 900n }, "capacity"));
    void begin("addListValue", { name: "other", value: "x" });
    void begin("updateCounter", { counterUpdateRequest: { name: "rooms", countDiff: 1n } });
    void session.allocate();
    await clock.advance(0);
    expect(state()).toBe("Allocated");
    expect(status()).toMatchObject({
      counters: { rooms: { count: 2n } },
      lists: { players: { capacity: 5n }, other: { values: ["x"] } },
    });
  });

  it("are dropped for want of room, and not the state that was asked for with them", async () => {
    const { api, begin, session, clock, status, state } = start();
    api.faults.push(statusError("RequestEntityTooLarge", "too large"));
    void begin("addListValue", value("x".repeat(1_000_000)));
    void session.shutdown();
    await clock.advance(0);
    expect(state()).toBe("Shutdown");
    expect(status()?.lists?.players?.values).toEqual(["a", "b", "c"]);
  });
});
