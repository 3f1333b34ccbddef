import { expect, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import type { QueueState } from "#runtime/metrics.ts";
import { gameServerLimiter } from "./rate-limiter.ts";
import { createWorkQueue } from "./work-queue.ts";

function start() {
  const clock = new FakeClock();
  const told: string[] = [];
  const opened: QueueState[] = [];
  const queue = createWorkQueue({
    name: "q",
    limiter: gameServerLimiter(),
    clock,
    metrics: {
      opened: (state) => void opened.push(state),
      added: (name) => void told.push(`${name} added`),
      retried: (name) => void told.push(`${name} retried`),
      taken: (name, seconds) => void told.push(`${name} waited ${seconds}`),
      done: (name, seconds) => void told.push(`${name} worked ${seconds}`),
    },
  });
  return { clock, queue, told, state: opened[0] };
}

test("a key added many times is handed out once, in the order keys came", async () => {
  const { queue } = start();
  for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
  expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(["a", "b", "c"]);
  expect(queue.depth).toBe(0);
});

test("a key added while held is handed out again, only after done, behind the others", async () => {
  const { queue } = start();
  queue.add("a");
  await queue.take();
  queue.add("a");
  queue.add("b");
  expect(await queue.take()).toBe("b");
  queue.done("a");
  expect(await queue.take()).toBe("a");
});

test("a worker that waits gets the key as soon as it is added", async () => {
  const { queue } = start();
  const taken = queue.take();
  queue.add("a");
  expect(await taken).toBe("a");
});

test("a failure waits for the limiter, a change does not", async () => {
  const { clock, queue } = start();
  queue.retry("failed");
  queue.add("changed");
  expect(await queue.take()).toBe("changed");
  const later = queue.take();
  await clock.advance(19);
  expect(queue.depth).toBe(0);
  await clock.advance(1);
  expect(await later).toBe("failed");
});

test("forget makes the next failure the first", async () => {
  const { clock, queue } = start();
  for (let failure = 0; failure < 6; failure++) {
    queue.retry("a");
    await clock.advance(500);
  }
  queue.forget("a");
  await queue.take();
  queue.done("a");
  queue.retry("a");
  await clock.advance(20);
  expect(queue.depth).toBe(1);
});

test.each([
  ["an earlier time replaces a later one", [300, 100], 100],
  ["a later time leaves the earlier one", [100, 300], 100],
] as const)("%s", async (_name, times, due) => {
  const { clock, queue } = start();
  for (const ms of times) queue.addAfter("a", ms);
  await clock.advance(due - 1);
  expect(queue.depth).toBe(0);
  await clock.advance(1);
  expect(queue.depth).toBe(1);
  await queue.take();
  queue.done("a");
  await clock.advance(1000);
  expect(queue.depth).toBe(0);
});

test("an add does not cancel a delayed one", async () => {
  const { clock, queue } = start();
  queue.addAfter("a", 100);
  queue.add("a");
  await queue.take();
  queue.done("a");
  await clock.advance(100);
  expect(queue.depth).toBe(1);
});

test("after the end nothing is accepted, delayed keys are gone, and what waits is still handed out", async () => {
  const { clock, queue } = start();
  queue.add("waiting");
  queue.addAfter("delayed", 10);
  let ended = false;
  const end = queue.shutDown().then(() => {
    ended = true;
  });
  queue.add("late");
  await clock.advance(10);
  expect(await queue.take()).toBe("waiting");
  expect(ended).toBe(false);
  queue.done("waiting");
  await end;
  expect(await queue.take()).toBeUndefined();
});

test("the end frees waiting workers", async () => {
  const { queue } = start();
  const waiting = [queue.take(), queue.take()];
  await queue.shutDown();
  expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
});

test("tells what happened, in seconds", async () => {
  const { clock, queue, told, state } = start();
  queue.add("a");
  await clock.advance(2000);
  expect(state?.depth()).toBe(1);
  await queue.take();
  await clock.advance(500);
  expect(state?.inHand()).toEqual([0.5]);
  queue.done("a");
  queue.retry("a");
  expect(told).toEqual(["q added", "q waited 2", "q worked 0.5", "q retried"]);
});
