import { expect, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { throttledTransport } from "./throttled-transport.ts";

function throttled(rate: { perSecond: number; burst: number }) {
  const clock = new FakeClock();
  const sent: number[] = [];
  const began = clock.monotonic();
  const exchange = async () => {
    sent.push(clock.monotonic() - began);
    return {};
  };
  const never = () => Promise.reject(new Error("not asked for"));
  const transport = throttledTransport({ exchange, watch: never, text: never }, rate, clock);
  const ask = (signal?: AbortSignal) => transport.exchange({ method: "GET", path: "/", ...(signal && { signal }) });
  return { clock, sent, ask };
}

test("a burst goes at once, what comes after it in turn at the rate", async () => {
  const { clock, sent, ask } = throttled({ perSecond: 10, burst: 2 });
  const all = Promise.all([ask(), ask(), ask(), ask()]);
  await clock.advance(1000);
  await all;
  expect(sent).toEqual([0, 0, 100, 200]);
});

test("a quiet time saves up no more than a burst", async () => {
  const { clock, sent, ask } = throttled({ perSecond: 10, burst: 2 });
  await clock.advance(60_000);
  const all = Promise.all([ask(), ask(), ask()]);
  await clock.advance(1000);
  await all;
  expect(sent).toEqual([60_000, 60_000, 60_100]);
});

test("a request that is given up while it waits is not sent", async () => {
  const { clock, sent, ask } = throttled({ perSecond: 1, burst: 1 });
  const stop = new AbortController();
  await ask();
  const waiting = ask(stop.signal);
  stop.abort(new Error("given up"));
  await expect(waiting).rejects.toThrow("given up");
  await clock.advance(5000);
  expect(sent).toEqual([0]);
});
