import { describe, expect, it } from "vitest";
import { invalidObject, statusError } from "#api/meta/status.ts";
import { SDK_WRITE_ANNOTATION } from "./decide-write.ts";
import { FakeGameServerApi, gameServer, NAME } from "./fake-gameserver-api.ts";
import { startSession } from "./session-fixture.ts";

describe("the write queue", () => {
  it("merges a burst of all kinds into one patch, the newest state and values", async () => {
    const { api, clock, session, state, events } = startSession();
    session.ready();
    session.setLabel("map", "one");
    session.allocate();
    session.setLabel("map", "two");
    session.setAnnotation("note", "any / value");
    await clock.advance(0);
    expect(api.patches).toHaveLength(1);
    expect(state()).toBe("Allocated");
    expect(api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-map": "two" });
    expect(api.stored?.metadata.annotations?.["agones.dev/sdk-note"]).toBe("any / value");
    expect(events()).toEqual(["Normal Allocated: SDK state change"]);
  });

  it("writes at once when idle, then at most once an interval", async () => {
    const { api, clock, session } = startSession();
    session.setLabel("n", "0");
    await clock.advance(0);
    expect(api.patches).toHaveLength(1);
    for (let n = 1; n <= 9; n++) {
      session.setLabel("n", String(n));
      await clock.advance(100);
    }
    expect(api.patches).toHaveLength(2);
    await clock.advance(500);
    expect(api.patches).toHaveLength(3);
    expect(api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-n": "9" });
    await clock.advance(60_000);
    session.setLabel("n", "10");
    await clock.advance(0);
    expect(api.patches).toHaveLength(4);
  });

  it("does not lose to its own writes when the watch lags behind", async () => {
    const { api, clock, session, state } = startSession();
    api.live = false;
    session.ready();
    await clock.advance(500);
    session.allocate();
    await clock.advance(500);
    expect(api.patches).toHaveLength(2);
    expect(state()).toBe("Allocated");
  });

  it("writes again at once after a lost race, on the newer object", async () => {
    const { api, clock, session, state, events } = startSession();
    api.faults.push("overtaken", "overtaken");
    session.ready();
    await clock.advance(0);
    expect(state()).toBe("RequestReady");
    expect(api.patches).toHaveLength(3);
    expect(api.stored?.metadata.generation).toBe(2);
    expect(events()).toHaveLength(1);
  });

  it("waits for the newer object after a lost race instead of running the same race again", async () => {
    const { api, clock, session, state } = startSession();
    api.live = false;
    api.faults.push("overtaken");
    session.ready();
    await clock.advance(300);
    expect(api.patches).toHaveLength(1);
    api.show();
    await clock.advance(0);
    expect(state()).toBe("RequestReady");
    expect(api.patches).toHaveLength(2);
  });

  it("tries later and later while the API cannot be reached, and keeps the newest", async () => {
    const { api, clock, session, state, events } = startSession();
    api.faults.push(...Array<"unreachable">(8).fill("unreachable"));
    session.ready();
    await clock.advance(0);
    const tries: number[] = [];
    for (let second = 0; second < 30; second++) {
      await clock.advance(1000);
      tries.push(api.patches.length);
    }
    session.allocate();
    await clock.advance(10_000);
    expect(tries.slice(0, 4)).toEqual([2, 3, 3, 4]);
    expect(tries.at(-1)).toBeLessThanOrEqual(9);
    expect(state()).toBe("Allocated");
    expect(events().filter((event) => event.includes("Allocated"))).toHaveLength(1);
  });

  it("does not repeat a write whose answer was lost, even when the state went on since", async () => {
    const { api, clock, session, state, events } = startSession();
    api.live = false;
    api.faults.push("lost-answer");
    session.ready();
    await clock.advance(0);
    api.write({ status: { state: "Ready" } });
    api.write({ status: { state: "Allocated" } });
    api.show();
    await clock.advance(20_000);
    expect(state()).toBe("Allocated");
    expect(api.effects).toHaveLength(1);
    expect(events()).toEqual(["Normal RequestReady: SDK state change"]);
  });

  it("repeats a write that was lost on its way, although another wrote meanwhile", async () => {
    const { api, clock, session, state, events } = startSession();
    api.faults.push("unreachable");
    session.ready();
    await clock.advance(0);
    api.write({ metadata: { generation: 7 } });
    await clock.advance(1000);
    expect(state()).toBe("RequestReady");
    expect(events()).toEqual(["Normal RequestReady: SDK state change"]);
  });

  it("drops what the API refuses, alone, and goes on with the rest", async () => {
    const { api, clock, session, state } = startSession();
    api.faults.push(
      invalidObject("agones.dev", "GameServer", NAME, [
        { field: "metadata.annotations", reason: "FieldValueTooLong", body: "Too long" } as never,
      ]),
    );
    session.setAnnotation("big", "x");
    session.setLabel("good", "y");
    session.ready();
    await clock.advance(0);
    expect(state()).toBe("RequestReady");
    expect(api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-good": "y" });
    expect(Object.keys(api.stored?.metadata.annotations ?? {})).toEqual([SDK_WRITE_ANNOTATION]);
    await clock.advance(60_000);
    expect(api.patches).toHaveLength(2);
  });

  it("keeps trying while it may not write", async () => {
    const { api, clock, session, state } = startSession();
    api.faults.push(statusError("Forbidden", "no"), statusError("TooManyRequests", "slow"));
    session.ready();
    await clock.advance(10_000);
    expect(state()).toBe("RequestReady");
  });

  it("stops when the server is gone, or another took its name", async () => {
    for (const successor of [undefined, { ...gameServer(), metadata: { ...gameServer().metadata, uid: "uid-2" } }]) {
      const { api, clock, session } = startSession();
      if (successor) api.create(successor);
      else api.write(undefined);
      session.allocate();
      await clock.advance(60_000);
      expect(api.patches).toEqual([]);
      expect(clock.pending).toBe(0);
      expect(api.listeners).toBe(0);
    }
  });

  it("stops at the first answer that the server is not found", async () => {
    const { api, clock, session } = startSession();
    api.live = false;
    api.write(undefined);
    session.allocate();
    await clock.advance(60_000);
    expect(api.patches).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it("writes what waits when it stops, without waiting out the interval", async () => {
    const { clock, session, state } = startSession();
    session.ready();
    await clock.advance(0);
    session.shutdown();
    const stopped = session.stop(1000);
    await clock.advance(1);
    await stopped;
    expect(state()).toBe("Shutdown");
    expect(clock.pending).toBe(0);
  });

  it("gives up a stop after its budget", async () => {
    const { api, clock, session } = startSession();
    api.faults.push(...Array<"unreachable">(100).fill("unreachable"));
    session.shutdown();
    const stopped = session.stop(1000);
    await clock.advance(1000);
    await stopped;
    const tried = api.patches.length;
    expect(tried).toBeGreaterThan(1);
    await clock.advance(60_000);
    expect(api.patches).toHaveLength(tried);
    expect(clock.pending).toBe(0);
  });

  it("keeps what was asked for before the server was seen", async () => {
    const api = new FakeGameServerApi();
    api.write(undefined);
    const { clock, session, state } = startSession(api, { uid: "uid-1" });
    session.ready();
    session.setLabel("a", "b");
    await clock.advance(3000);
    api.create(gameServer());
    await clock.advance(0);
    expect(state()).toBe("RequestReady");
    expect(api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-a": "b" });
  });
});
