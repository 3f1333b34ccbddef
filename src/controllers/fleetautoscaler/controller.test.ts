import { describe, expect, test } from "vitest";
import { FLEETS } from "#api/agones/resources.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { statusError } from "#api/meta/status.ts";
import { Bench, never } from "#tests/world/autoscaler-bench.ts";
import { changeObject } from "#tests/world/changes.ts";

const start = (workers?: number) => new Bench().start(workers);
const buffer = (bufferSize: number, maxReplicas = 100) =>
  ({ type: "Buffer", buffer: { bufferSize, maxReplicas } }) as const;
const webhook = (url: string) => ({ type: "Webhook", webhook: { url } }) as const;

describe("an autoscaler", () => {
  test("sets the size at once, and again every interval; in between it writes nothing", async () => {
    const bench = await start();
    await bench.fleet("arena", 1);
    await bench.autoscaler("auto", buffer(3));
    await bench.pass(500);
    expect(await bench.sizeOf("arena")).toBe(3);
    expect(await bench.shown("auto")).toMatchObject({
      desiredReplicas: 3,
      ableToScale: true,
      lastAppliedPolicy: "Buffer",
      lastScaleTime: "2030-01-01T00:00:00Z",
    });
    expect(bench.writes).toEqual(["raw arena", "updateStatus auto"]);

    await bench.allocated("arena", 4);
    await bench.pass(8000);
    expect(await bench.sizeOf("arena")).toBe(3);
    await bench.pass(2000);
    expect(await bench.sizeOf("arena")).toBe(7);
    bench.writes.length = 0;
    await bench.pass(60_000);
    expect(bench.writes).toEqual([]);
    expect(bench.events).toEqual(["default/auto Normal AutoScalingFleet", "default/auto Normal AutoScalingFleet"]);
  });

  test("that is changed acts at once, by its new interval", async () => {
    const bench = await start();
    await bench.fleet("arena", 1);
    await bench.autoscaler("auto", buffer(3), { seconds: 3600 });
    await bench.pass(500);
    await bench.change("auto", buffer(5), 5);
    await bench.pass(500);
    expect(await bench.sizeOf("arena")).toBe(5);
    await bench.allocated("arena", 1);
    await bench.pass(5000);
    expect(await bench.sizeOf("arena")).toBe(6);
  });

  test("whose interval becomes longer keeps to the longer one", async () => {
    const bench = await start();
    await bench.fleet("arena", 1);
    bench.webhooks.answers = { a: async () => 2 };
    await bench.autoscaler("auto", webhook("a"), { seconds: 5 });
    await bench.pass(500);
    await bench.change("auto", webhook("a"), 60);
    await bench.pass(500);
    expect(bench.webhooks.count("ask a")).toBe(2);
    await bench.pass(55_000);
    expect(bench.webhooks.count("ask a")).toBe(2);
    await bench.pass(5000);
    expect(bench.webhooks.count("ask a")).toBe(3);
  });

  test("waits for its fleet, and acts as soon as it is there", async () => {
    const bench = await start();
    await bench.autoscaler("auto", buffer(3), { seconds: 3600 });
    await bench.pass(500);
    expect((await bench.shown("auto")).reasons).toEqual(["FleetNotFound"]);
    await bench.fleet("arena", 1);
    await bench.pass(500);
    expect(await bench.sizeOf("arena")).toBe(3);
    expect(bench.events).toEqual(["default/auto Warning FailedGetFleet", "default/auto Normal AutoScalingFleet"]);
  });

  test("leaves a fleet alone that is being deleted", async () => {
    const bench = await start();
    const fleet = await bench.fleet("arena", 1);
    await bench.client.update(FLEETS, { ...fleet, metadata: { ...fleet.metadata, finalizers: ["studio/keep"] } });
    await bench.client.delete(FLEETS, "default", "arena");
    await bench.autoscaler("auto", buffer(3));
    await bench.pass(30_000);
    expect(await bench.sizeOf("arena")).toBe(1);
    expect((await bench.shown("auto")).reasons).toEqual(["FleetBeingDeleted"]);
  });

  test("that is deleted acts no more", async () => {
    const bench = await start();
    await bench.fleet("arena", 1);
    bench.webhooks.answers = { a: async () => 2 };
    await bench.autoscaler("auto", webhook("a"));
    await bench.pass(500);
    await bench.client.delete(FLEETAUTOSCALERS, "default", "auto");
    await bench.pass(60_000);
    expect(bench.webhooks.calls).toEqual(["open a", "ask a", "close a"]);
  });

  test("of the same name in another namespace has its own fleet, and its end disturbs nobody", async () => {
    const bench = await start();
    await bench.fleet("arena", 1);
    await bench.namespace("other");
    await bench.fleet("arena", 1, "other");
    bench.webhooks.answers = { a: async () => 3 };
    await bench.autoscaler("auto", webhook("a"));
    await bench.autoscaler("auto", buffer(5), { namespace: "other" });
    await bench.pass(500);
    expect([await bench.sizeOf("arena"), await bench.sizeOf("arena", "other")]).toEqual([3, 5]);
    bench.webhooks.answers = { a: async () => 4 };
    await bench.client.delete(FLEETAUTOSCALERS, "other", "auto");
    await bench.pass(10_000);
    expect([await bench.sizeOf("arena"), await bench.sizeOf("arena", "other")]).toEqual([4, 5]);
    expect(bench.webhooks.calls).toEqual(["open a", "ask a", "ask a"]);
  });

  test.each([
    ["goes", (bench: Bench) => bench.client.delete(FLEETAUTOSCALERS, "default", "zeus")],
    [
      "turns to another fleet",
      (bench: Bench) =>
        changeObject(bench.client, FLEETAUTOSCALERS, "zeus", (zeus) => ({
          ...zeus,
          spec: { ...zeus.spec, fleetName: "other" },
        })),
    ],
  ])("beside an older one of the same fleet does nothing, until the older one %s", async (_how, leave) => {
    const bench = await start();
    await bench.fleet("arena", 1);
    await bench.autoscaler("zeus", buffer(2));
    await bench.pass(1500);
    await bench.autoscaler("ares", buffer(5));
    await bench.pass(60_000);
    expect(await bench.sizeOf("arena")).toBe(2);
    expect((await bench.shown("ares")).reasons).toEqual(["FleetTaken"]);
    expect(bench.events).toEqual(["default/zeus Normal AutoScalingFleet", "default/ares Warning FleetTaken"]);
    await leave(bench);
    await bench.pass(500);
    expect(await bench.sizeOf("arena")).toBe(5);
  });
});

describe("a policy that asks", () => {
  test("and gets no answer delays no other autoscaler, though there are more of them than workers", async () => {
    const bench = await start(2);
    bench.webhooks.answers = { slow: never };
    for (let at = 0; at < 20; at++) {
      await bench.fleet(`slow-${at}`, 1);
      await bench.autoscaler(`slow-${at}`, webhook("slow"), { fleet: `slow-${at}` });
    }
    await bench.pass(1000);
    expect(bench.webhooks.count("ask slow")).toBe(20);
    await bench.fleet("arena", 1);
    await bench.autoscaler("auto", buffer(3));
    await bench.pass(300);
    expect(await bench.sizeOf("arena")).toBe(3);
    await bench.allocated("arena", 1);
    await bench.pass(10_000);
    expect(await bench.sizeOf("arena")).toBe(4);
    // One question at a time, however many intervals pass.
    expect(bench.webhooks.count("ask slow")).toBe(20);
  });

  test("is abandoned when the autoscaler changes or goes, with what it held", async () => {
    const bench = await start();
    bench.webhooks.answers = { a: never, b: never };
    await bench.fleet("arena", 1);
    await bench.autoscaler("auto", webhook("a"));
    await bench.pass(500);
    await bench.change("auto", webhook("b"));
    await bench.pass(500);
    await bench.client.delete(FLEETAUTOSCALERS, "default", "auto");
    await bench.pass(30_000);
    expect(bench.webhooks.calls).toEqual(["open a", "ask a", "close a", "open b", "ask b", "close b"]);
    expect(bench.events).toEqual([]);
  });

  test("keeps its connection from one interval to the next, each entry of a chain its own", async () => {
    const bench = await start();
    bench.webhooks.answers = { b: async () => 2 };
    await bench.fleet("arena", 1);
    const chain = [
      { id: "1", ...webhook("a") },
      { id: "2", ...webhook("b") },
    ];
    await bench.autoscaler("auto", { type: "Chain", chain });
    await bench.pass(20_500);
    expect(bench.webhooks.calls.filter((call) => call.startsWith("open"))).toEqual(["open a", "open b"]);
    expect(bench.webhooks.count("ask b")).toBe(3);
    expect(await bench.shown("auto")).toMatchObject({ lastAppliedPolicy: "Chain:2:Webhook" });
  });

  test("and fails is asked again soon, then every 3 seconds; it is told once, and its end too", async () => {
    const bench = await start();
    await bench.fleet("arena", 1);
    await bench.autoscaler("auto", webhook("a"), { seconds: 60 });
    await bench.pass(1400);
    expect(bench.webhooks.count("ask a")).toBe(6);
    await bench.pass(9000);
    expect(bench.webhooks.count("ask a")).toBe(9);
    expect(bench.events).toEqual(["default/auto Warning FleetAutoscaler"]);
    expect(bench.writes).toEqual(["updateStatus auto"]);
    bench.webhooks.answers = { a: async () => 2 };
    await bench.pass(3000);
    expect(await bench.sizeOf("arena")).toBe(2);
    expect((await bench.shown("auto")).reasons).toContain("PolicyApplied");
    await bench.pass(30_000);
    expect(bench.webhooks.count("ask a")).toBe(10);
    bench.webhooks.answers = {};
    await bench.pass(31_500);
    expect(bench.webhooks.count("ask a")).toBe(16);
  });

  test("is asked one question at a time, whatever happens around it", async () => {
    const bench = await start();
    bench.webhooks.answers = { a: never };
    await bench.fleet("arena", 1);
    await bench.autoscaler("auto", webhook("a"));
    await bench.pass(1500);
    await bench.autoscaler("late", buffer(5));
    await bench.pass(500);
    await bench.client.delete(FLEETAUTOSCALERS, "default", "late");
    await bench.pass(30_000);
    expect(bench.webhooks.calls).toEqual(["open a", "ask a"]);
  });

  test("is asked about the fleet as it is, and its answer is for the fleet as it is then", async () => {
    const bench = await start();
    const answer = Promise.withResolvers<number>();
    bench.webhooks.answers = { a: () => answer.promise };
    await bench.fleet("arena", 1);
    await bench.autoscaler("auto", webhook("a"));
    await bench.pass(500);
    await bench.allocated("arena", 1);
    await bench.pass(500);
    answer.resolve(4);
    await bench.pass(500);
    expect(await bench.sizeOf("arena")).toBe(4);
    expect(bench.writes).toEqual(["raw arena", "updateStatus auto"]);
  });

  test("that is a schedule whose time is not now changes no size and tells nothing", async () => {
    const bench = await start();
    await bench.fleet("arena", 1);
    const between = { start: "2030-01-01T00:00:20Z" };
    await bench.autoscaler("auto", { type: "Schedule", schedule: { between, policy: buffer(3) } });
    await bench.pass(15_000);
    expect(await bench.sizeOf("arena")).toBe(1);
    expect(bench.writes).toEqual(["updateStatus auto"]);
    expect((await bench.shown("auto")).reasons).toEqual(["FleetFound", "ScheduleInactive"]);
    await bench.pass(10_000);
    expect(await bench.sizeOf("arena")).toBe(3);
    expect(bench.events).toEqual(["default/auto Normal AutoScalingFleet"]);
  });
});

describe("a write that fails", () => {
  test.each(["conflict", "refuse", "lose-answer"] as const)(
    "with %s is made good, for the same answer",
    async (type) => {
      const bench = await start();
      bench.webhooks.answers = { a: async () => 2 };
      await bench.fleet("arena", 1);
      const left = ["raw", "updateStatus"];
      bench.fault = ({ verb }) => (verb === left[0] && left.shift() ? { type } : undefined);
      await bench.autoscaler("auto", webhook("a"), { seconds: 60 });
      await bench.pass(5000);
      expect(left).toEqual([]);
      expect(await bench.sizeOf("arena")).toBe(2);
      expect(await bench.shown("auto")).toMatchObject({ desiredReplicas: 2, ableToScale: true });
      expect(bench.webhooks.count("ask a")).toBe(1);
    },
  );

  test("for longer than an interval is not made good for an old answer", async () => {
    const bench = await start();
    await bench.fleet("arena", 1);
    bench.webhooks.answers = { a: async () => 2 };
    bench.fault = ({ verb }) => (verb === "raw" ? { type: "refuse" } : undefined);
    await bench.autoscaler("auto", webhook("a"), { seconds: 10 });
    await bench.pass(5000);
    bench.webhooks.answers = { a: async () => 3 };
    await bench.pass(10_000);
    bench.fault = () => undefined;
    await bench.pass(4000);
    expect(await bench.sizeOf("arena")).toBe(3);
    expect(bench.recorder.events.map(({ message }) => message)).toEqual(["Scaling fleet arena from 1 to 3"]);
  });

  test("because the API refuses the size is told once, and tried on", async () => {
    const bench = await start();
    await bench.fleet("arena", 1);
    let refusing = true;
    bench.fault = ({ verb }) =>
      verb === "raw" && refusing ? { type: "refuse", error: statusError("Forbidden", "not you") } : undefined;
    await bench.autoscaler("auto", buffer(3), { seconds: 60 });
    await bench.pass(10_000);
    expect((await bench.shown("auto")).reasons).toEqual(["FleetNotWritable"]);
    expect(bench.events).toEqual(["default/auto Warning AutoScalingFleetError"]);
    refusing = false;
    await bench.pass(3000);
    expect(await bench.sizeOf("arena")).toBe(3);
    expect((await bench.shown("auto")).reasons).toContain("PolicyApplied");
  });

  test("of what stands in the way is made good", async () => {
    const bench = await start();
    let faults = 1;
    bench.fault = ({ verb }) => (verb === "updateStatus" && faults-- > 0 ? { type: "refuse" } : undefined);
    await bench.autoscaler("auto", buffer(3), { seconds: 3600 });
    await bench.pass(1000);
    expect((await bench.shown("auto")).reasons).toEqual(["FleetNotFound"]);
  });
});
