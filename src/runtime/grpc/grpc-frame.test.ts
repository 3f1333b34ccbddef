import { deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { FrameReader, frame } from "./grpc-frame.ts";
import { MessageMemory } from "./partial-message.ts";

const readerOf = (encoding?: string) => new FrameReader(new MessageMemory(), encoding);
const messagesIn = (reader: FrameReader, bytes: Buffer) => reader.read(bytes).map((whole) => reader.open(whole));

/** A message that says it is compressed. */
function compressed(bytes: Buffer): Buffer {
  const framed = frame(bytes);
  framed[0] = 1;
  return framed;
}

it("finds the same messages however their bytes are cut", () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
  fc.assert(
    fc.property(messages, fc.array(fc.nat(60), { maxLength: 12 }), (sent, sizes) => {
      const reader = readerOf();
      let bytes = Buffer.concat(sent.map(frame));
      const read: Buffer[] = [];
      for (const size of [...sizes, bytes.length]) {
        read.push(...messagesIn(reader, bytes.subarray(0, size)));
        bytes = bytes.subarray(size);
      }
      expect(read.map((message) => message.toString("hex"))).toEqual(
        sent.map((message) => Buffer.from(message).toString("hex")),
      );
    }),
  );
});

it("unpacks what is compressed, and only that", () => {
  const plain = Buffer.from("a message");
  for (const [encoding, pack] of [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
  ] as const) {
    const both = Buffer.concat([compressed(pack(plain)), frame(plain)]);
    expect(messagesIn(readerOf(encoding), both)).toEqual([plain, plain]);
  }
});

it("refuses a message that says it is compressed where nothing is, or whose first byte says nothing that is known", () => {
  for (const flag of [1, 2, 255]) {
    const framed = frame(Buffer.from("x"));
    framed[0] = flag;
    expect(() => messagesIn(readerOf(flag === 1 ? undefined : "gzip"), framed)).toThrow(
      expect.objectContaining({ code: "Internal" }),
    );
  }
});

it("unpacks a message no sooner than it is wanted", () => {
  const packed = compressed(Buffer.from("not packed at all"));
  expect(readerOf("gzip").read(Buffer.concat([packed, packed]))).toEqual([packed, packed]);
});

it("reads a long message that comes byte by byte with little copying, and holds no more than it will have", () => {
  const memory = new MessageMemory();
  const reader = new FrameReader(memory);
  const taken = vi.spyOn(memory, "take");
  const message = Buffer.alloc(100_000, "abc");
  const bytes = frame(message);
  for (let at = 0; at < bytes.length - 1; at++)
    if (reader.read(bytes.subarray(at, at + 1)).length > 0) expect.fail("it is not whole");
  expect(taken.mock.calls.length).toBeLessThan(40);
  const held = taken.mock.calls.reduce((sum, [size]) => sum + size, 0);
  expect(held).toBeLessThanOrEqual(bytes.length);
  expect(messagesIn(reader, bytes.subarray(-1))).toEqual([message]);
});

it("holds a bounded part of all messages of a door that are unfinished, and lets go of what is finished or given up", () => {
  const memory = new MessageMemory();
  const begun = frame(Buffer.alloc(4 * 1024 * 1024)).subarray(0, -1);
  const full = expect.objectContaining({ code: "ResourceExhausted" });
  const open = Array.from({ length: 3 }, () => new FrameReader(memory));
  for (let n = 0; n < 10; n++) {
    for (const reader of open) reader.read(begun);
    expect(open.map((reader) => reader.read(Buffer.alloc(1)).length)).toEqual([1, 1, 1]);
  }
  for (let n = 0; n < 10; n++) {
    for (const reader of open) reader.read(begun);
    const another = new FrameReader(memory);
    another.read(begun.subarray(0, 1));
    expect(() => {
      for (let at = 1; at < begun.length; at += 64 * 1024) another.read(begun.subarray(at, at + 64 * 1024));
    }).toThrow(full);
    for (const reader of [...open, another]) reader.drop();
  }
});

it("refuses another compression, damage, and what is longer than 4 MiB, packed or not", () => {
  const read = (bytes: Buffer, encoding?: string) => messagesIn(readerOf(encoding), bytes);
  const refusal = (code: string) => expect.objectContaining({ code });
  const long = Buffer.alloc(4 * 1024 * 1024 + 1);
  expect(() => read(compressed(Buffer.from("x")), "snappy")).toThrow(refusal("Unimplemented"));
  expect(() => read(compressed(Buffer.from("x")), "gzip")).toThrow(refusal("Internal"));
  expect(() => read(frame(long).subarray(0, 5))).toThrow(refusal("ResourceExhausted"));
  expect(() => read(compressed(gzipSync(long)), "gzip")).toThrow(refusal("ResourceExhausted"));
  expect(read(frame(long.subarray(1)))).toHaveLength(1);
});
