import { describe, expect, it } from "vitest";
import { type Clock, FakeClock } from "#runtime/clock.ts";
import { FakeGameServerApi, gameServer } from "./fake-gameserver-api.ts";
import { startSession } from "./session-fixture.ts";

const YEAR = 365 * 86_400_000;

/** A session on a machine whose wall clock is set to another time now and then; what passes stays the same. */
function start(api = new FakeGameServerApi(gameServer({ state: "Ready" }))) {
  const passing = new FakeClock();
  let offset = 0;
  const clock: Clock = {
    now: () => passing.now() + offset,
    monotonic: () => passing.monotonic(),
    sleep: (ms, signal) => passing.sleep(ms, signal),
    after: (ms, run) => passing.after(ms, run),
  };
  const { session, state } = startSession(api, { clock });
  const jump = (ms: number) => {
    offset += ms;
  };
  return { api, session, state, jump, pass: (ms: number) => passing.advance(ms) };
}

describe.each([
  ["forward", YEAR],
  ["backward", -YEAR],
])("a clock that jumps %s", (_, ms) => {
  it("loses no health that is there", async () => {
    const { session, state, jump, pass } = start();
    session.probe();
    for (let n = 0; n < 10; n++) {
      jump(n % 3 ? 0 : ms);
      session.ping();
      await pass(14_000);
    }
    expect(session.probe()).toBe(true);
    expect(state()).toBe("Ready");
  });

  it("keeps no health that is not there", async () => {
    const { session, state, jump, pass } = start();
    session.probe();
    await pass(10_000);
    jump(ms);
    await pass(9_999);
    expect(state()).toBe("Ready");
    await pass(1);
    expect(state()).toBe("Unhealthy");
  });

  it("changes no reservation that runs", async () => {
    const { session, state, jump, pass } = start();
    void session.reserve(60n);
    await pass(1000);
    jump(ms);
    await pass(58_999);
    expect(state()).toBe("Reserved");
    await pass(1);
    expect(state()).toBe("RequestReady");
  });

  it("holds back no write, and hastens none", async () => {
    const { api, session, jump, pass } = start();
    void session.setLabel("n", "0");
    await pass(0);
    jump(ms);
    void session.setLabel("n", "1");
    await pass(499);
    expect(api.patches).toHaveLength(1);
    await pass(1);
    expect(api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-n": "1" });
  });

  it("ends no match that the game has seen: Ready after it is written", async () => {
    const { api, session, state, jump, pass } = start();
    api.write({
      metadata: { annotations: { "agones.dev/last-allocated": "2030-01-01T00:00:00Z" } },
      status: { state: "Allocated" },
    });
    jump(ms);
    void session.ready();
    await pass(0);
    expect(state()).toBe("RequestReady");
  });
});
