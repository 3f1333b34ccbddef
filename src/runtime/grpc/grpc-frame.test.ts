import { deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { FrameReader, frame } from "./grpc-frame.ts";

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
      const reader = new FrameReader();
      let bytes = Buffer.concat(sent.map(frame));
      const read: Buffer[] = [];
      for (const size of [...sizes, bytes.length]) {
        read.push(...reader.read(bytes.subarray(0, size)));
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
    const reader = new FrameReader(encoding);
    expect(reader.read(Buffer.concat([compressed(pack(plain)), frame(plain)]))).toEqual([plain, plain]);
  }
});

it("refuses another compression, damage, and what is longer than 4 MiB, packed or not", () => {
  const read = (bytes: Buffer, encoding?: string) => new FrameReader(encoding).read(bytes);
  const refusal = (code: string) => expect.objectContaining({ code });
  const long = Buffer.alloc(4 * 1024 * 1024 + 1);
  expect(() => read(compressed(Buffer.from("x")), "snappy")).toThrow(refusal("Unimplemented"));
  expect(() => read(compressed(Buffer.from("x")), "gzip")).toThrow(refusal("Internal"));
  expect(() => read(frame(long).subarray(0, 5))).toThrow(refusal("ResourceExhausted"));
  expect(() => read(compressed(gzipSync(long)), "gzip")).toThrow(refusal("ResourceExhausted"));
  expect(read(frame(long.subarray(1)))).toHaveLength(1);
});
