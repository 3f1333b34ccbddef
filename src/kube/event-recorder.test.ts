import { expect, test, vi } from "vitest";
import type { Event } from "#api/core/event.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { alreadyExists, notFound, statusError } from "#api/meta/status.ts";
import { FakeClock } from "#runtime/clock.ts";
import { type Logger, silentLogger } from "#runtime/logger.ts";
import type { Patch, Writer } from "./client.ts";
import { createEventRecorder } from "./event-recorder.ts";
import { TransportError } from "./transport.ts";

const server: KubeObject = {
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  metadata: { namespace: "ns", name: "gs", uid: "u1", resourceVersion: "5" },
};
const node: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", uid: "u2" } };

/** Keeps Events as an API server would; `fail` is thrown by the next writes, in turn. */
function start() {
  const stored = new Map<string, Event>();
  const fail: Error[] = [];
  const writes = vi.fn();
  const attempt = (verb: string) => {
    writes(verb);
    const error = fail.shift();
    if (error) throw error;
  };
  const client = {
    create: async (_type: unknown, event: Event): Promise<Event> => {
      attempt("create");
      stored.set(event.metadata.name ?? "", event);
      return event;
    },
    patch: async (_type: unknown, _namespace: string, name: string, patch: Patch): Promise<Event> => {
      attempt("patch");
      const event = stored.get(name);
      if (!event || patch.type !== "merge") throw notFound("", "events", name);
      stored.set(name, { ...event, ...patch.patch });
      return event;
    },
  };
  const clock = new FakeClock();
  const log = { ...silentLogger, warn: vi.fn(), child: (): Logger => log };
  const recorder = createEventRecorder(client as unknown as Writer, { component: "gameserver-controller", clock, log });
  const abort = new AbortController();
  const events = () => [...stored.values()];
  return { clock, log, recorder, abort, stored, fail, writes, events, run: () => recorder.run(abort.signal) };
}

test("writes an Event with the object, its source, and a name of its own", async () => {
  const { clock, recorder, events, run } = start();
  run();
  recorder.event(server, "Warning", "Ready", "SDK.Ready() complete");
  await clock.advance(0);
  expect(events()).toEqual([
    {
      apiVersion: "v1",
      kind: "Event",
      metadata: { namespace: "ns", name: expect.stringMatching(/^gs\.[0-9a-f]{15,16}$/) },
      involvedObject: {
        apiVersion: "agones.dev/v1",
        kind: "GameServer",
        namespace: "ns",
        name: "gs",
        uid: "u1",
        resourceVersion: "5",
      },
      type: "Warning",
      reason: "Ready",
      message: "SDK.Ready() complete",
      source: { component: "gameserver-controller" },
      firstTimestamp: "2030-01-01T00:00:00Z",
      lastTimestamp: "2030-01-01T00:00:00Z",
      count: 1,
      reportingComponent: "gameserver-controller",
      reportingInstance: "",
    },
  ]);
});

test("puts events of cluster-scoped objects into the namespace default", async () => {
  const { clock, recorder, events, run } = start();
  run();
  recorder.event(node, "Warning", "NotReady", "gone");
  await clock.advance(0);
  expect(events()[0]?.metadata.namespace).toBe("default");
});

test("the same reason and message raise the count of one Event", async () => {
  const { clock, recorder, events, writes, run } = start();
  run();
  for (let time = 0; time < 3; time++) {
    recorder.event(server, "Warning", "Ready", "again");
    await clock.advance(1000);
  }
  recorder.event(server, "Warning", "Ready", "something else");
  await clock.advance(0);
  expect(writes.mock.calls.flat()).toEqual(["create", "patch", "patch", "create"]);
  expect(events().map(({ message, count, lastTimestamp }) => [message, count, lastTimestamp])).toEqual([
    ["again", 3, "2030-01-01T00:00:02Z"],
    ["something else", 1, "2030-01-01T00:00:03Z"],
  ]);
});

test("writes once what happened many times before the write", async () => {
  const { clock, recorder, events, writes, run } = start();
  for (let time = 0; time < 5; time++) recorder.event(server, "Warning", "Ready", "again");
  run();
  await clock.advance(0);
  expect(writes).toHaveBeenCalledOnce();
  expect(events()[0]?.count).toBe(5);
});

test("holds what is normal back for a while, so that equal events become one write; a warning is told at once", async () => {
  const { clock, recorder, events, writes, run } = start();
  run();
  for (let time = 0; time < 3; time++) {
    recorder.event(server, "Normal", "Ready", "again");
    await clock.advance(300);
  }
  expect(events()).toEqual([]);
  recorder.event(server, "Warning", "Unhealthy", "gone");
  await clock.advance(0);
  expect(events()).toMatchObject([{ reason: "Unhealthy" }]);
  await clock.advance(100);
  expect(events()).toMatchObject([{ reason: "Unhealthy" }, { reason: "Ready", count: 3 }]);
  expect(writes).toHaveBeenCalledTimes(2);
});

test("an object that floods gets 25 events, then one every five minutes; others are not held back", async () => {
  const { clock, recorder, events, run } = start();
  run();
  for (let number = 0; number < 40; number++) recorder.event(server, "Warning", "Flood", String(number));
  recorder.event(node, "Warning", "Calm", "hello");
  await clock.advance(0);
  expect(events()).toHaveLength(26);
  await clock.advance(300_000);
  recorder.event(server, "Warning", "Flood", "later");
  recorder.event(server, "Warning", "Flood", "too soon");
  await clock.advance(0);
  expect(events().map(({ message }) => message)).toContain("later");
  expect(events()).toHaveLength(27);
});

test("begins a new Event when the old one is no longer kept", async () => {
  const { clock, recorder, stored, events, run } = start();
  run();
  recorder.event(server, "Warning", "Ready", "again");
  await clock.advance(0);
  stored.clear();
  recorder.event(server, "Warning", "Ready", "again");
  await clock.advance(0);
  expect(events()).toMatchObject([{ count: 2 }]);
});

test("takes another name when its own is taken", async () => {
  const { clock, recorder, events, fail, run } = start();
  fail.push(alreadyExists("", "events", "gs.1"));
  run();
  recorder.event(server, "Warning", "Ready", "x");
  await clock.advance(0);
  expect(events()).toHaveLength(1);
});

test("tries again while the API server cannot be reached, and gives up in the end", async () => {
  const { clock, recorder, events, fail, log, writes, run } = start();
  run();
  fail.push(...new Array<Error>(3).fill(new TransportError("down")));
  recorder.event(server, "Warning", "Ready", "x");
  await clock.advance(600);
  expect(events()).toHaveLength(1);

  fail.push(...new Array<Error>(100).fill(new TransportError("down")));
  recorder.event(server, "Warning", "Ready", "y");
  await clock.advance(3_600_000);
  expect(writes).toHaveBeenCalledTimes(4 + 13);
  expect(log.warn).toHaveBeenCalledOnce();
});

test("drops what the API server refuses, with a warning", async () => {
  const { clock, recorder, fail, log, writes, run } = start();
  run();
  fail.push(statusError("Forbidden", "namespace is being terminated"));
  recorder.event(server, "Warning", "Ready", "x");
  await clock.advance(60_000);
  expect(writes).toHaveBeenCalledOnce();
  expect(log.warn).toHaveBeenCalledOnce();
});

test("keeps no more than 4,000 waiting, and warns once", async () => {
  const { clock, recorder, log, events, run } = start();
  for (let number = 0; number < 4100; number++)
    recorder.event({ ...server, metadata: { ...server.metadata, uid: String(number) } }, "Warning", "Ready", "x");
  expect(log.warn).toHaveBeenCalledOnce();
  run();
  await vi.waitUntil(async () => {
    await clock.advance(0);
    return events().length === 4000;
  });
});

test("writes what waits when it stops, but not for ever", async () => {
  const one = start();
  one.recorder.event(server, "Normal", "Shutdown", "x");
  one.abort.abort();
  await one.run();
  expect(one.events()).toHaveLength(1);
  expect(one.clock.pending).toBe(0);

  const two = start();
  two.recorder.event(server, "Warning", "Shutdown", "x");
  two.fail.push(new TransportError("down"));
  two.abort.abort();
  await two.run();
  expect(two.events()).toHaveLength(0);
});
