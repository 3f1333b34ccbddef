import { describe, expect, it } from "vitest";
import { startCounts } from "./counts-fixture.ts";

const MAX = 2n ** 63n - 1n;
const start = (count = 10n, capacity = 50n) => startCounts({ counters: { rooms: { count, capacity } } });
const update = (rest: object) => ({ counterUpdateRequest: { name: "rooms", ...rest } });
const range = (count: bigint, capacity: bigint) =>
  `Unknown: out of range. Count must be within range [0,Capacity]. Found Count: ${count}, Capacity: ${capacity}`;

describe("a counter", () => {
  it.each([
    ["is counted up", { countDiff: 3n }, 13n, 50n],
    ["is counted up to its capacity", { countDiff: 40n }, 50n, 50n],
    ["is counted down", { countDiff: -3n }, 7n, 50n],
    ["is counted down to zero", { countDiff: -10n }, 0n, 50n],
    ["is set", { count: 42n }, 42n, 50n],
    ["is set to zero", { count: 0n }, 0n, 50n],
    ["is set, then counted", { count: 20n, countDiff: 5n }, 25n, 50n],
    ["gets another capacity", { capacity: 100n }, 10n, 100n],
    ["is cut to a lower capacity", { capacity: 4n }, 4n, 4n],
    ["is cut to a capacity of zero", { capacity: 0n }, 0n, 0n],
    [
      "gets the capacity first, then the count, then the difference",
      { capacity: 60n, count: 60n, countDiff: -1n },
      59n,
      60n,
    ],
    ["is counted down to a lower capacity in one call", { capacity: 5n, countDiff: -6n }, 4n, 5n],
    ["takes the largest numbers", { capacity: MAX, count: MAX }, MAX, MAX],
  ])("%s", async (_, request, count, capacity) => {
    const { call, status } = start();
    expect(await call("updateCounter", update(request))).toEqual({ name: "rooms", count, capacity });
    expect(await call("getCounter", { name: "rooms" })).toEqual({ name: "rooms", count, capacity });
    expect(status()?.counters).toEqual({ rooms: { count, capacity } });
  });

  it.each([
    ["nothing to do", {}, 'Unknown: invalid argument. Malformed CounterUpdateRequest: name:"rooms"'],
    [
      "a difference of zero",
      { countDiff: 0n },
      'Unknown: invalid argument. Malformed CounterUpdateRequest: name:"rooms"',
    ],
    [
      "a capacity below zero",
      { capacity: -42n },
      "Unknown: out of range. Capacity must be greater than or equal to 0. Found Capacity: -42",
    ],
    ["a count below zero", { count: -1n }, range(-1n, 50n)],
    ["a count above the capacity", { count: 51n }, range(51n, 50n)],
    ["a count above the capacity that comes along", { count: 50n, capacity: 49n }, range(50n, 49n)],
    ["a difference that leads above the capacity", { countDiff: 41n }, range(51n, 50n)],
    ["a difference that leads below zero", { countDiff: -11n }, range(-1n, 50n)],
    ["a difference above a lower capacity in one call", { capacity: 5n, countDiff: -4n }, range(6n, 5n)],
    ["a difference beyond 64 bits", { countDiff: MAX }, range(MAX + 10n, 50n)],
  ])("takes no call with %s, and none of it", async (_, request, text) => {
    const { call, api } = start();
    const before = api.stored;
    expect(await call("updateCounter", update(request))).toBe(text);
    expect(await call("getCounter", { name: "rooms" })).toEqual({ name: "rooms", count: 10n, capacity: 50n });
    expect(api.stored).toBe(before);
  });

  it("of a capacity of zero can be counted neither up nor down", async () => {
    const { call } = start(10n);
    await call("updateCounter", update({ capacity: 0n }));
    expect(await call("updateCounter", update({ countDiff: 1n }))).toBe(range(1n, 0n));
    expect(await call("updateCounter", update({ countDiff: -1n }))).toBe(range(-1n, 0n));
  });

  it("that the server does not have is not made", async () => {
    for (const { call, api } of [start(), startCounts({})]) {
      expect(await call("getCounter", { name: "same" })).toBe("Unknown: counter not found: same");
      for (const name of ["same", "constructor", "__proto__", ""])
        expect(await call("updateCounter", { counterUpdateRequest: { name, countDiff: 1n } })).toBe(
          `Unknown: counter not found: ${name}`,
        );
      expect(await call("updateCounter")).toBe("Unknown: invalid argument. CounterUpdateRequest: <nil> cannot be nil");
      expect(api.patches).toEqual([]);
    }
  });

  it("of any name is counted", async () => {
    const counters = JSON.parse('{"__proto__":{},"a/b ~1":{}}');
    for (const name of Object.keys(counters)) counters[name] = { count: 1n, capacity: 9n };
    const { call, status } = startCounts({ counters });
    for (const name of Object.keys(counters))
      await call("updateCounter", { counterUpdateRequest: { name, countDiff: 1n } });
    expect(await call("getCounter", { name: "__proto__" })).toMatchObject({ count: 2n });
    await call("updateCounter", { counterUpdateRequest: { name: "a/b ~1", countDiff: 1n } });
    expect(Object.entries(status()?.counters ?? {})).toContainEqual(["__proto__", { count: 2n, capacity: 9n }]);
  });

  it("is refused, read and written, while the gate is off", async () => {
    const { call, api } = startCounts({ counters: { rooms: { count: 1n } } }, { gates: { CountsAndLists: false } });
    expect(await call("getCounter", { name: "rooms" })).toBe("Unknown: CountsAndLists not enabled");
    expect(await call("updateCounter", update({ countDiff: 1n }))).toBe("Unknown: CountsAndLists not enabled");
    expect(api.patches).toEqual([]);
  });
});

describe("after Shutdown", () => {
  it.each(["Shutdown", "Unhealthy"] as const)(
    "a server that is %s still counts, and keeps its state",
    async (state) => {
      const { call, clock, session, status } = startCounts({ state, counters: { rooms: { count: 1n, capacity: 5n } } });
      void session.ready();
      void session.reserve(10n);
      expect(await call("updateCounter", update({ countDiff: 1n }))).toMatchObject({ count: 2n });
      await clock.advance(60_000);
      expect(status()).toEqual({ state, counters: { rooms: { count: 2n, capacity: 5n } } });
    },
  );

  it("a server that has gone takes calls, and nothing is sent", async () => {
    const { api, call, clock } = start();
    api.write(undefined);
    expect(await call("updateCounter", update({ countDiff: 1n }))).toMatchObject({ count: 11n });
    await clock.advance(60_000);
    expect(api.patches).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("an SDK server that stops takes no more calls", async () => {
    const { call, clock, session } = start();
    const stopped = session.stop(1000);
    expect(await call("updateCounter", update({ countDiff: 1n }))).toBe("Unavailable: the SDK server is stopping");
    await clock.advance(1000);
    await stopped;
  });
});

describe("counts that wait", () => {
  it("are read by the next call, and shown to nobody else before they are written", async () => {
    const { begin, session, clock, status } = start();
    const signal = new AbortController().signal;
    const calls = [1n, 2n, 3n].map((countDiff) => begin("updateCounter", update({ countDiff })));
    expect(await begin("getCounter", { name: "rooms" })).toMatchObject({ count: 16n });
    expect((await session.read(signal)).status?.counters?.rooms?.count).toBe(10n);
    await clock.advance(0);
    expect(await Promise.all(calls)).toMatchObject([{ count: 11n }, { count: 13n }, { count: 16n }]);
    expect(status()?.counters?.rooms?.count).toBe(16n);
  });

  it("go into one patch with a state, a label and a list, and each is told in an event", async () => {
    const { api, begin, session, clock, events } = startCounts({
      counters: { rooms: { count: 1n, capacity: 10n }, other: { count: 5n, capacity: 5n } },
      lists: { players: { capacity: 10n, values: [] } },
    });
    void begin("updateCounter", update({ countDiff: 2n }));
    void begin("updateCounter", update({ capacity: 20n }));
    void begin("addListValue", { name: "players", value: "one" });
    void session.allocate();
    void session.setLabel("map", "dust");
    await clock.advance(0);
    expect(api.patches).toHaveLength(1);
    expect(api.stored?.status).toEqual({
      state: "Allocated",
      counters: { rooms: { count: 3n, capacity: 20n }, other: { count: 5n, capacity: 5n } },
      lists: { players: { capacity: 10n, values: ["one"] } },
    });
    expect(events()).toEqual([
      "Normal Allocated: SDK state change",
      "Normal UpdateCounter: Counter rooms updated to Count:3 Capacity:20",
      "Normal UpdateList: List players updated",
    ]);
  });

  it("do what the calls do one after the other, also when the capacity cuts between them", async () => {
    const { begin, clock, status } = start(10n, 50n);
    void begin("updateCounter", update({ countDiff: 20n }));
    void begin("updateCounter", update({ capacity: 5n }));
    void begin("updateCounter", update({ countDiff: -2n }));
    void begin("updateCounter", update({ capacity: 100n }));
    expect(await begin("getCounter", { name: "rooms" })).toMatchObject({ count: 3n, capacity: 100n });
    void begin("updateCounter", update({ countDiff: 7n }));
    await clock.advance(0);
    expect(status()?.counters?.rooms).toEqual({ count: 10n, capacity: 100n });
  });

  it("are neither sent nor told when they come to nothing", async () => {
    const { api, begin, clock, events } = start();
    void begin("updateCounter", update({ countDiff: 2n }));
    void begin("updateCounter", update({ countDiff: -2n }));
    await clock.advance(5000);
    expect(api.patches).toEqual([]);
    expect(events()).toEqual([]);
  });

  it("are told of a dozen times, and then rarely, so that events of states are not held back by them", async () => {
    const { begin, clock, events } = start(0n, 1000n);
    const countedFor = async (times: number) => {
      for (let n = 0; n < times; n++)
        await Promise.all([begin("updateCounter", update({ countDiff: 1n })), clock.advance(500)]);
      return events().length;
    };
    expect(await countedFor(40)).toBe(12);
    await clock.advance(600_000);
    expect(await countedFor(40)).toBe(13);
  });

  it("are counted anew, once, on what another has written meanwhile", async () => {
    const { api, begin, clock, status } = start();
    api.faults.push("held");
    void begin("updateCounter", update({ countDiff: 5n }));
    await clock.advance(0);
    api.write({ status: { state: "Allocated", counters: { rooms: { count: 11n, capacity: 50n } } } });
    api.arrive();
    await clock.advance(500);
    expect(status()).toMatchObject({ state: "Allocated", counters: { rooms: { count: 16n } } });
  });

  it("are cut to the capacity when another has used it up meanwhile", async () => {
    const { api, begin, clock, status } = start(45n);
    api.faults.push("held");
    void begin("updateCounter", update({ countDiff: 5n }));
    await clock.advance(0);
    api.write({ status: { counters: { rooms: { count: 48n, capacity: 50n } } } });
    api.arrive();
    await clock.advance(500);
    expect(status()?.counters?.rooms?.count).toBe(50n);
  });

  it("of a counter that another has taken away are dropped, alone", async () => {
    const { api, begin, session, clock } = start();
    api.faults.push("held");
    void begin("updateCounter", update({ countDiff: 5n }));
    void session.setLabel("a", "b");
    await clock.advance(0);
    api.write({ status: { counters: {} } });
    api.arrive();
    await clock.advance(500);
    expect(api.stored?.status?.counters).toEqual({});
    expect(api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-a": "b" });
  });

  it("are not counted twice, whichever of several writes without an answer has come", async () => {
    for (const came of [0, 1, 2]) {
      const { api, begin, clock, status } = start(0n);
      api.live = false;
      api.faults.push(...[0, 1, 2].map((n) => (n === came ? "lost-answer" : "unreachable")));
      for (const countDiff of [1n, 10n, 2n, 20n, 3n]) {
        void begin("updateCounter", update({ countDiff }));
        await clock.advance(1200);
      }
      api.live = true;
      api.show();
      await clock.advance(60_000);
      expect(status()?.counters?.rooms?.count, `write ${came}`).toBe(36n);
    }
  });

  it("are not counted twice when a lost race is followed by a lost answer", async () => {
    const { api, begin, clock, status } = start(0n, 1000n);
    const increment = (countDiff: bigint) => void begin("updateCounter", update({ countDiff }));
    api.live = false;
    api.faults.push("held", "lost-answer");
    increment(1n);
    await clock.advance(0);
    api.write({ status: { state: "Allocated" } });
    api.arrive();
    await clock.advance(1);
    increment(10n);
    api.show();
    await clock.advance(0);
    expect(status()?.counters?.rooms?.count).toBe(11n);
    increment(100n);
    await clock.advance(1);
    api.show();
    await clock.advance(60_000);
    expect(status()?.counters?.rooms?.count).toBe(111n);
  });

  it("of a day without the API are one change, and one patch", async () => {
    const { api, begin, clock, status } = start(0n, 1_000_000n);
    api.faults.push(...Array<"unreachable">(20).fill("unreachable"));
    for (let n = 0; n < 1000; n++) {
      void begin("updateCounter", update({ countDiff: 1n }));
      await clock.advance(100);
    }
    await clock.advance(60_000);
    expect(status()?.counters?.rooms?.count).toBe(1000n);
    expect(JSON.stringify(api.patches.at(-1), (_key, value) => String(value) && value?.toString()).length).toBeLessThan(
      1000,
    );
  });
});
