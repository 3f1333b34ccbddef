import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { freePort } from "./free-port.ts";
import { allFree, portsLeft } from "./port-watch.ts";

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

test("a game has its ports as long as it has one of them", async () => {
  const [voice, socket] = [await freePort("TCP"), createSocket("udp4").bind(0)];
  onTestFinished(() => void socket.close());
  await once(socket, "listening");
  const free = { name: "voice", hostPort: voice, protocol: "TCP" } as const;
  expect(await allFree([free])).toBe(true);
  expect(await allFree([free, { name: "game", hostPort: socket.address().port }])).toBe(false);
});
