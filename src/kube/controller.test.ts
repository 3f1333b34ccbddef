import { expect, test, vi } from "vitest";
import { conflict } from "#api/meta/status.ts";
import { FakeClock } from "#runtime/clock.ts";
import { type Logger, silentLogger } from "#runtime/logger.ts";
import { createController, ExpectedRetry, type Outcome, type Reconciler, TerminalError } from "./controller.ts";
import { gameServerLimiter } from "./rate-limiter.ts";

function start(reconcile: Reconciler, workers = 1) {
  const clock = new FakeClock();
  const log = { ...silentLogger, trace: vi.fn(), error: vi.fn(), child: (): Logger => log };
  const controller = createController({ name: "c", reconcile, workers, limiter: gameServerLimiter(), clock, log });
  const abort = new AbortController();
  return { clock, log, controller, abort, run: () => controller.run(abort.signal) };
}

/** A reconciler that does what is written down, in turn, and then nothing; and when it was called. */
function scripted(outcomes: readonly (Error | Outcome)[]) {
  const left = [...outcomes];
  const reconcile = vi.fn(async (): Promise<Outcome> => {
    const outcome = left.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  return reconcile;
}

test("works on keys that were enqueued before it ran", async () => {
  const reconcile = scripted([]);
  const { clock, controller, run } = start(reconcile);
  controller.enqueue("ns/a");
  run();
  await clock.advance(0);
  expect(reconcile).toHaveBeenCalledExactlyOnceWith("ns/a", expect.any(AbortSignal));
});

test("a success rests until something changes", async () => {
  const reconcile = scripted([]);
  const { clock, controller, run } = start(reconcile);
  run();
  controller.enqueue("a");
  await clock.advance(60_000);
  expect(reconcile).toHaveBeenCalledOnce();
});

test("a key that named a time is worked on again then", async () => {
  const reconcile = scripted([{ requeueAfterMs: 5000 }]);
  const { clock, controller, run } = start(reconcile);
  run();
  controller.enqueue("a");
  await clock.advance(4999);
  expect(reconcile).toHaveBeenCalledTimes(1);
  await clock.advance(1);
  expect(reconcile).toHaveBeenCalledTimes(2);
});

test("a failure is logged once and tried again after the limiter's delay; a success resets the delay", async () => {
  const failures = new Array<Error>(6).fill(new Error("down"));
  const reconcile = scripted([...failures, undefined, new Error("down")]);
  const { clock, controller, log, run } = start(reconcile);
  run();
  controller.enqueue("a");
  await clock.advance(5 * 20 + 499);
  expect(reconcile).toHaveBeenCalledTimes(6);
  await clock.advance(1);
  expect(reconcile).toHaveBeenCalledTimes(7);
  expect(log.error).toHaveBeenCalledTimes(6);
  controller.enqueue("a");
  await clock.advance(20);
  expect(reconcile).toHaveBeenCalledTimes(9);
});

test("a change is worked on at once though the key failed before", async () => {
  const reconcile = scripted(new Array<Error>(6).fill(new Error("down")));
  const { clock, controller, run } = start(reconcile);
  run();
  controller.enqueue("a");
  await clock.advance(100);
  expect(reconcile).toHaveBeenCalledTimes(6);
  controller.enqueue("a");
  await clock.advance(0);
  expect(reconcile).toHaveBeenCalledTimes(7);
});

test.each([
  ["a lost race", conflict("agones.dev", "gameservers", "a", "stale")],
  ["an expected wait", new ExpectedRetry("pod not there yet")],
] as const)("%s is tried again without an error in the log", async (_name, error) => {
  const reconcile = scripted([error]);
  const { clock, controller, log, run } = start(reconcile);
  run();
  controller.enqueue("a");
  await clock.advance(20);
  expect(reconcile).toHaveBeenCalledTimes(2);
  expect(log.trace).toHaveBeenCalledOnce();
  expect(log.error).not.toHaveBeenCalled();
});

test("a terminal error is logged and not tried again", async () => {
  const reconcile = scripted([new TerminalError("no such gate")]);
  const { clock, controller, log, run } = start(reconcile);
  run();
  controller.enqueue("a");
  await clock.advance(60_000);
  expect(reconcile).toHaveBeenCalledOnce();
  expect(log.error).toHaveBeenCalledOnce();
});

test("works on as many keys at once as it has workers, never on one key twice", async () => {
  const open = new Map<string, () => void>();
  const { clock, controller, run } = start((key) => new Promise((resolve) => open.set(key, resolve)), 2);
  run();
  for (const key of ["a", "b", "c", "a"]) controller.enqueue(key);
  await clock.advance(0);
  expect([...open.keys()]).toEqual(["a", "b"]);
  controller.enqueue("a");
  open.get("b")?.();
  await clock.advance(0);
  expect([...open.keys()]).toEqual(["a", "b", "c"]);
});

test("a stop finishes what is under way, starts nothing else, and leaves no timer", async () => {
  const finish = Promise.withResolvers<void>();
  const reconcile = vi.fn(() => finish.promise);
  const { clock, controller, abort, run } = start(reconcile);
  let stopped = false;
  const running = run().then(() => {
    stopped = true;
  });
  controller.enqueue("a");
  controller.enqueue("b");
  controller.enqueueAfter("c", 1000);
  await clock.advance(0);
  abort.abort();
  await clock.advance(0);
  expect(stopped).toBe(false);
  finish.resolve();
  await running;
  expect(reconcile).toHaveBeenCalledOnce();
  expect(clock.pending).toBe(0);
});

test("an interrupted wait of a reconciler is no failure", async () => {
  const { clock, controller, abort, log, run } = start((_key, signal) => clock.sleep(1000, signal));
  const running = run();
  controller.enqueue("a");
  await clock.advance(0);
  abort.abort();
  await running;
  expect(log.error).not.toHaveBeenCalled();
});

test("is unhealthy once a worker died", async () => {
  const { clock, controller, log, run } = start(scripted([new Error("down")]), 2);
  log.error.mockImplementation(() => {
    throw new Error("no log");
  });
  controller.enqueue("a");
  await expect(run()).rejects.toThrow("no log");
  await clock.advance(0);
  expect(controller.healthy()).toBe(false);
});

test("is healthy before, while and after it runs", async () => {
  const { controller, abort, run } = start(scripted([]), 3);
  expect(controller.healthy()).toBe(true);
  const running = run();
  expect(controller.healthy()).toBe(true);
  abort.abort();
  await running;
  expect(controller.healthy()).toBe(true);
});

test("a failure's log line names the key as the controller calls it", async () => {
  const clock = new FakeClock();
  const log = { ...silentLogger, error: vi.fn(), child: (): Logger => log };
  const reconcile = scripted([new Error("no answer")]);
  const limiter = gameServerLimiter();
  const controller = createController({ name: "c", logKey: "fleetKey", reconcile, workers: 1, limiter, clock, log });
  controller.run(new AbortController().signal);
  controller.enqueue("ns/arena");
  await clock.advance(0);
  expect(log.error).toHaveBeenCalledExactlyOnceWith(
    { fleetKey: "ns/arena", error: new Error("no answer") },
    "reconcile failed",
  );
});
