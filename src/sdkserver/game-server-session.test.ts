import { describe, expect, it, vi } from "vitest";
import { statusError } from "#api/meta/status.ts";
import { silentLogger } from "#runtime/logger.ts";
import { SDK_WRITE_ANNOTATION } from "./decide-write.ts";
import { FakeGameServerApi, gameServer, NAME, NAMESPACE } from "./fake-gameserver-api.ts";
import { startSession } from "./session-fixture.ts";

const never = new AbortController().signal;

describe("state changes", () => {
  it.each([
    ["ready", "RequestReady"],
    ["allocate", "Allocated"],
    ["shutdown", "Shutdown"],
  ] as const)("%s writes %s and records it", async (call, wanted) => {
    const { clock, session, state, events } = startSession();
    session[call]();
    await clock.advance(0);
    expect(state()).toBe(wanted);
    expect(events()).toEqual([`Normal ${wanted}: SDK state change`]);
  });

  it("are guarded by the version they were decided on", async () => {
    const { api, clock, session } = startSession();
    session.ready();
    await clock.advance(0);
    expect(api.patches[0]).toMatchObject({
      type: "json",
      operations: [
        { op: "test", path: "/metadata/resourceVersion", value: "100" },
        { op: "add", path: "/metadata/annotations", value: { [SDK_WRITE_ANNOTATION]: "life.1" } },
        { op: "replace", path: "/status/state", value: "RequestReady" },
      ],
    });
  });

  it("stamp last-allocated, again when already Allocated", async () => {
    const { api, clock, session } = startSession();
    session.allocate();
    await clock.advance(500);
    expect(api.stored?.metadata.annotations?.["agones.dev/last-allocated"]).toBe("2030-01-01T00:00:00.000Z");
    session.allocate();
    await clock.advance(500);
    expect(api.stored?.metadata.annotations?.["agones.dev/last-allocated"]).toBe("2030-01-01T00:00:00.500Z");
    expect(api.patches).toHaveLength(2);
  });

  it("are skipped, and labels are not, while the server is being deleted, Shutdown or Unhealthy", async () => {
    for (const status of [{ state: "Shutdown" }, { state: "Unhealthy" }] as const) {
      const { api, clock, session, state, events } = startSession(new FakeGameServerApi(gameServer(status)));
      session.allocate();
      session.setLabel("a", "b");
      await clock.advance(0);
      expect(state()).toBe(status.state);
      expect(api.stored?.metadata.labels).toEqual({ "agones.dev/sdk-a": "b" });
      expect(api.stored?.metadata.annotations?.["agones.dev/last-allocated"]).toBeUndefined();
      expect(events()).toEqual([]);
    }
    const { api, clock, session } = startSession();
    api.write({ metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } });
    session.ready();
    await clock.advance(5000);
    expect(api.patches).toEqual([]);
  });

  it("say in the log when the server keeps another state", async () => {
    const log = { ...silentLogger, info: vi.fn() };
    const { clock, session } = startSession(new FakeGameServerApi(gameServer({ state: "Unhealthy" })), { log });
    session.ready();
    await clock.advance(0);
    expect(log.info.mock.calls).toEqual([
      [{ asked: "RequestReady", state: "Unhealthy" }, "GameServer keeps its state"],
    ]);
  });

  it("that change nothing are not sent", async () => {
    const { api, clock, session, events } = startSession(new FakeGameServerApi(gameServer({ state: "RequestReady" })));
    session.ready();
    await clock.advance(5000);
    expect(api.patches).toEqual([]);
    expect(events()).toEqual([]);
  });
});

describe("reservations", () => {
  it("set reservedUntil and go back to ready after the duration", async () => {
    const { api, clock, session, state, events } = startSession();
    session.reserve(10n);
    await clock.advance(0);
    expect(api.stored?.status).toMatchObject({ state: "Reserved", reservedUntil: "2030-01-01T00:00:10Z" });
    await clock.advance(9_999);
    expect(state()).toBe("Reserved");
    await clock.advance(1);
    expect(state()).toBe("RequestReady");
    expect(api.stored?.status?.reservedUntil).toBeUndefined();
    expect(events()).toEqual(["Normal Reserved: SDK state change, for 10s", "Normal RequestReady: SDK state change"]);
  });

  it.each([0n, -5n])("of %d seconds have no end", async (seconds) => {
    const { clock, session, state, events, api } = startSession();
    session.reserve(seconds);
    await clock.advance(3_600_000);
    expect(state()).toBe("Reserved");
    expect(api.stored?.status?.reservedUntil).toBeUndefined();
    expect(events()).toEqual(["Normal Reserved: SDK state change"]);
  });

  it.each(["ready", "allocate", "shutdown"] as const)("are ended by %s", async (call) => {
    const { clock, session, state } = startSession();
    session.reserve(10n);
    await clock.advance(500);
    session[call]();
    await clock.advance(500);
    const then = state();
    await clock.advance(60_000);
    expect(state()).toBe(then);
    expect(then).not.toBe("Reserved");
  });

  it("forget an older duration", async () => {
    const { clock, session, state } = startSession();
    session.reserve(10n);
    await clock.advance(5000);
    session.reserve(60n);
    await clock.advance(30_000);
    expect(state()).toBe("Reserved");
    await clock.advance(30_000);
    expect(state()).toBe("RequestReady");
  });

  it("that another ended are not brought back", async () => {
    const { api, clock, session, state } = startSession();
    session.reserve(10n);
    await clock.advance(500);
    api.write({ status: { state: "Allocated" } });
    await clock.advance(60_000);
    expect(state()).toBe("Allocated");
  });

  it.each([
    ["2030-01-01T00:00:10Z", 10_000],
    ["2029-12-31T00:00:00Z", 0],
  ])("until %s run on across a restart", async (reservedUntil, left) => {
    const api = new FakeGameServerApi(gameServer({ state: "Reserved", reservedUntil }));
    const { clock, state } = startSession(api, { resumed: true });
    if (left) await clock.advance(left - 1);
    expect(state()).toBe("Reserved");
    await clock.advance(1);
    expect(state()).toBe("RequestReady");
  });

  it("of any length do not end at once", async () => {
    const { clock, session, state, api } = startSession();
    session.reserve(2n ** 63n - 1n);
    await clock.advance(60 * 86_400_000);
    expect(state()).toBe("Reserved");
    expect(api.stored?.status?.reservedUntil).toMatch(/^2322-/);
  });
});

describe("health", () => {
  it("is not counted before the first probe, and then makes the server Unhealthy for good", async () => {
    const { clock, session, state, events } = startSession();
    await clock.advance(600_000);
    expect(session.probe()).toBe(true);
    await clock.advance(19_999);
    expect(session.probe()).toBe(true);
    await clock.advance(1);
    expect(session.probe()).toBe(false);
    expect(state()).toBe("Unhealthy");
    session.ready();
    session.shutdown();
    await clock.advance(60_000);
    expect(state()).toBe("Unhealthy");
    expect(events()).toEqual(["Warning Unhealthy: Health check failure"]);
  });

  it("that failed is written again when another writes over it, or the API refuses it, until pings come again", async () => {
    const { api, clock, session, state, events } = startSession();
    session.probe();
    api.faults.push(statusError("BadRequest", "not now"));
    await clock.advance(20_000);
    expect(state()).toBe("Scheduled");
    await clock.advance(5000);
    expect(state()).toBe("Unhealthy");
    await clock.advance(60_000);
    expect(events()).toHaveLength(1);
    api.write({ status: { state: "Ready" } });
    await clock.advance(5000);
    expect(state()).toBe("Unhealthy");
    session.ping();
    api.write({ status: { state: "Ready" } });
    await clock.advance(5000);
    expect(state()).toBe("Ready");
  });

  it.each([
    [false, "Unhealthy"],
    [true, "Scheduled"],
  ])("counts as the spec said at the first probe (disabled: %s), whatever it says later", async (disabled, wanted) => {
    const { api, clock, session, state } = startSession(
      new FakeGameServerApi(gameServer(undefined, { health: { disabled } })),
    );
    session.probe();
    api.create({ ...api.stored!, spec: { ...api.stored!.spec, health: { disabled: !disabled } } });
    session.probe();
    await clock.advance(20_000);
    expect(state()).toBe(wanted);
  });

  it("that fails does not touch a server that is ending", async () => {
    for (const ending of [
      { status: { state: "Shutdown" } } as const,
      { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } },
    ]) {
      const { api, clock, session } = startSession();
      session.probe();
      api.write(ending);
      await clock.advance(600_000);
      expect(session.probe()).toBe(false);
      expect(api.patches).toEqual([]);
    }
  });

  it("keeps Unhealthy over a state asked for before it is written", async () => {
    const { api, clock, session, state } = startSession();
    session.probe();
    await clock.advance(19_000);
    api.faults.push("unreachable");
    session.allocate();
    await clock.advance(1000);
    session.shutdown();
    await clock.advance(10_000);
    expect(state()).toBe("Unhealthy");
  });

  it("is kept by pings, and a ping clears the count", async () => {
    const { clock, session, state } = startSession();
    session.probe();
    for (let n = 0; n < 20; n++) {
      await clock.advance(14_000);
      session.ping();
    }
    expect(session.probe()).toBe(true);
    expect(state()).toBe("Scheduled");
  });

  it("is never counted when it is disabled", async () => {
    const api = new FakeGameServerApi(gameServer({ state: "Ready" }, { health: { disabled: true } }));
    const { clock, session, state } = startSession(api);
    session.probe();
    await clock.advance(600_000);
    expect(session.probe()).toBe(true);
    expect(state()).toBe("Ready");
  });

  it("after a restart of the SDK server counts only from the first new ping, and an event says so", async () => {
    const { clock, session, state, events } = startSession(new FakeGameServerApi(gameServer({ state: "Ready" })), {
      resumed: true,
    });
    session.probe();
    await clock.advance(600_000);
    expect(state()).toBe("Ready");
    expect(events()).toEqual([
      "Normal HealthSuspended: SDK server restarted: missed health counts from the next ping on",
    ]);
    session.ping();
    await clock.advance(60_000);
    expect(state()).toBe("Unhealthy");
  });
});

describe("reads", () => {
  it("show what is stored, never what waits", async () => {
    const { clock, session } = startSession();
    session.allocate();
    expect((await session.read(never)).status?.state).toBe("Scheduled");
    await clock.advance(0);
    expect((await session.read(never)).status?.state).toBe("Allocated");
  });

  it("wait for the first sight of the server, and say when there is none", async () => {
    const api = new FakeGameServerApi();
    const created = api.stored!;
    api.write(undefined);
    const { clock, session } = startSession(api, { uid: "uid-1" });
    const first = session.read(never);
    await clock.advance(5000);
    api.create(created);
    expect((await first).metadata.name).toBe(NAME);

    const none = new FakeGameServerApi();
    none.write(undefined);
    const other = startSession(none);
    const refused = expect(other.session.read(never)).rejects.toMatchObject({
      code: "Unknown",
      message: `could not retrieve GameServer ${NAMESPACE}/${NAME}: not found`,
    });
    await other.clock.advance(10_000);
    await refused;
  });
});

describe("watches", () => {
  it("begin with the present object and follow every change", async () => {
    const { api, clock, session } = startSession();
    const watch = session.watch(never);
    expect((await watch.next()).value?.status?.state).toBe("Scheduled");
    session.allocate();
    await clock.advance(0);
    expect((await watch.next()).value?.status?.state).toBe("Allocated");
    api.write({ metadata: { labels: { a: "b" } } });
    expect((await watch.next()).value?.metadata.labels).toEqual({ a: "b" });
  });

  it("miss nothing between the first object and the second", async () => {
    const { api, session } = startSession();
    const watch = session.watch(never);
    const first = watch.next();
    api.write({ status: { state: "Ready" } });
    expect((await first).value?.status?.state).toBe("Scheduled");
    expect((await watch.next()).value?.status?.state).toBe("Ready");
  });

  it("keep a bounded number of versions for a slow reader, and always the newest", async () => {
    const { api, session } = startSession();
    const watch = session.watch(never);
    await watch.next();
    for (let n = 1; n <= 1000; n++) api.write({ metadata: { generation: n } });
    const seen: (number | undefined)[] = [];
    while (seen.at(-1) !== 1000) seen.push((await watch.next()).value?.metadata.generation);
    expect(seen.length).toBeLessThanOrEqual(16);
    expect(seen).toEqual(seen.toSorted((a, b) => (a ?? 0) - (b ?? 0)));
  });

  it("end with their call and with the session, and leave nothing behind", async () => {
    const { session, api } = startSession();
    const call = new AbortController();
    const cancelled = session.watch(call.signal);
    const running = session.watch(never);
    await Promise.all([cancelled.next(), running.next()]);
    call.abort();
    expect((await cancelled.next()).done).toBe(true);
    await session.stop(0);
    expect((await running.next()).done).toBe(true);
    expect(api.listeners).toBe(0);
  });
});

describe("metadata", () => {
  const long = (length: number) => "x".repeat(length);
  it.each([
    ["", "name part must be non-empty, name part must consist of"],
    ["a/b", "a qualified name must consist of"],
    [long(60), "name part must be no more than 63 characters"],
    ["ä", "name part must consist of alphanumeric characters"],
  ])("refuses key %j at the call", async (key, why) => {
    const { session, clock } = startSession();
    for (const kind of ["label", "annotation"] as const) {
      const call = () => (kind === "label" ? session.setLabel(key, "v") : session.setAnnotation(key, "v"));
      await expect(call()).rejects.toThrow(`invalid ${kind} key "${key}": ${why}`);
      await expect(call()).rejects.toMatchObject({ code: "InvalidArgument" });
    }
    expect(clock.pending).toBe(0);
  });

  it("refuses a label value at the call, and takes any annotation", async () => {
    const { session, clock, api } = startSession();
    await expect(session.setLabel("k", "a b")).rejects.toThrow(
      'invalid label value "a b" for key "k": a valid label must be',
    );
    await expect(session.setLabel("k", long(64))).rejects.toThrow("must be no more than 63 characters");
    session.setAnnotation("k", "ä b\n");
    session.setLabel(long(59), "");
    await clock.advance(0);
    expect(api.stored?.metadata).toMatchObject({
      labels: { [`agones.dev/sdk-${long(59)}`]: "" },
      annotations: { "agones.dev/sdk-k": "ä b\n" },
    });
  });
});
