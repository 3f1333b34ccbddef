import fc from "fast-check";
import { expect, test } from "vitest";
import { stringifyJson } from "#api/meta/json.ts";
import type { WatchEvent } from "#api/meta/object.ts";
import { TransportError } from "./transport.ts";
import { watchLines } from "./watch-lines.ts";

const lines = (events: readonly unknown[]) => Buffer.from(events.map((event) => `${stringifyJson(event)}\n`).join(""));

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) return;
    yield bytes.subarray(at, at + size);
    at += size;
  }
  if (at < bytes.length) yield bytes.subarray(at);
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const batch of watchLines(chunks)) events.push(...batch);
  return events;
}

const event = fc
  .record({ text: fc.string({ unit: "binary" }), big: fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }) })
  .map(({ text, big }): WatchEvent => ({ type: "MODIFIED", object: { text, big } }));

test("gives the same events wherever the chunks are cut, multi-byte characters and int64 included", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event), fc.array(fc.integer({ min: 1, max: 9 })), async (events, sizes) => {
      expect(await read(cut(lines(events), sizes))).toEqual(events);
    }),
  );
});

test("hands events that arrived together as one batch", async () => {
  const batches: number[] = [];
  const events = [1, 2, 3].map((n) => ({ type: "ADDED", object: { n } }));
  for await (const batch of watchLines(cut(lines(events), []))) batches.push(batch.length);
  expect(batches).toEqual([3]);
});

test.each([
  ["an end inside a line", '{"type":"ADDED"', "ended inside an event"],
  ["a line that is not JSON", "oops\n", "not JSON"],
  ["a line without an object", '{"type":"ADDED"}\n', "no event"],
])("refuses %s", async (_name, text, message) => {
  const reading = read(cut(Buffer.from(text), []));
  await expect(reading).rejects.toThrow(TransportError);
  await expect(reading).rejects.toThrow(message);
});
