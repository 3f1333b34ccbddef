import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { freePort } from "./free-port.ts";
import { allFree, connectionLeft, portsLeft } from "./port-watch.ts";
import type { Connections } from "./sdk-connection.ts";

/** What is found at each look: `t` for taken, `f` for free. Whether the game has ended after the last, and what the first one told. */
async function watch(looks: string) {
  const clock = new FakeClock();
  const up = Promise.withResolvers<void>();
  let [at, ended] = [0, false];
  let first: boolean | undefined;
  const stop = new AbortController();
  const areFree = async () => looks[at++] === "f";
  const tell = (free: boolean) => {
    first = free;
  };
  const watched = portsLeft({ areFree, up: up.promise, tell, clock }, stop.signal).then(
    () => {
      ended = true;
    },
    () => {},
  );
  await clock.advance(10_000);
  // Nobody takes the ports of a game that is about to bind them.
  expect(at).toBe(0);
  up.resolve();
  await clock.advance((looks.length - 1) * 1_000);
  const result = { ended, first };
  expect(at).toBe(looks.length);
  stop.abort();
  await watched;
  return result;
}

test.each([
  ["a game that lets go of its ports has ended", "ttff", true],
  ["one that binds anew in between has not", "ttftf", false],
  ["nor one that let go a moment ago", "tf", false],
  ["nor one that nobody saw at its ports", "fffff", false],
  ["it may come to them late", "fftff", true],
  ["one at a breakpoint has them", "tttttt", false],
])("%s: %s", async (_name, looks, ended) => {
  expect(await watch(looks)).toEqual({ ended, first: looks[0] === "f" });
});

const now: Connections = { isOpen: true, clients: new Set(["1"]) };
const lately: Connections = { isOpen: false, clients: new Set(["1"]) };
const never: Connections = { isOpen: false, clients: new Set() };

/** Whether a game has ended, `seconds` after the last of these looks. */
async function leftAfter(seconds: number, looks: readonly Connections[], { up = true, free = true } = {}) {
  const clock = new FakeClock();
  const stop = new AbortController();
  let [at, ended] = [0, false];
  const watch = {
    connections: async () => looks[Math.min(at++, looks.length - 1)] ?? never,
    areFree: async () => free,
    up: up ? Promise.resolve() : new Promise<void>(() => {}),
    clock,
  };
  const watched = connectionLeft(watch, stop.signal).then(
    () => {
      ended = true;
    },
    () => {},
  );
  await clock.advance(250 * (looks.length - 2) + seconds * 1_000);
  const result = ended;
  stop.abort();
  await watched;
  return result;
}

test("a game that left its SDK server has ended when it is not back soon and has no port", async () => {
  const left = [never, now, never];
  expect(await leftAfter(11, left)).toBe(true);
  expect(await leftAfter(9, left)).toBe(false);
  expect(await leftAfter(60, left, { free: false })).toBe(false);
  // It has yet to be started again.
  expect(await leftAfter(60, left, { up: false })).toBe(false);
  expect(await leftAfter(60, [never, now])).toBe(false);
});

test("nobody need have seen it connected while it was; a former game and one that never was do not count", async () => {
  expect(await leftAfter(11, [never, lately])).toBe(true);
  expect(await leftAfter(60, [lately, lately])).toBe(false);
  expect(await leftAfter(60, [never])).toBe(false);
});

test("a game has its ports as long as it has one of them", async () => {
  const [voice, socket] = [await freePort("TCP"), createSocket("udp4").bind(0)];
  onTestFinished(() => void socket.close());
  await once(socket, "listening");
  const free = { name: "voice", hostPort: voice, protocol: "TCP" } as const;
  expect(await allFree([free])).toBe(true);
  expect(await allFree([free, { name: "game", hostPort: socket.address().port }])).toBe(false);
});
