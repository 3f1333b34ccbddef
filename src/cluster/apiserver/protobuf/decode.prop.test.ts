import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeProtobuf, ProtobufError } from "./decode.ts";

const bodies = Object.values(
  JSON.parse(readFileSync(new URL("./fixtures/client-go.json", import.meta.url), "utf8")) as Record<
    string,
    { hex: string }
  >,
).map(({ hex }) => new Uint8Array(Buffer.from(hex, "hex")));
const body = fc.constantFrom(...bodies);

/** The object, or undefined for a refusal; any other error fails the test. */
function attempt(bytes: Uint8Array): object | undefined {
  try {
    return decodeProtobuf(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(ProtobufError);
    return undefined;
  }
}

describe("decodeProtobuf on hostile bytes", () => {
  it("refuses random bytes, with or without the magic, by ProtobufError alone", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(attempt(bytes)).toBeUndefined();
        attempt(Buffer.concat([Buffer.from("k8s\0"), bytes]));
      }),
    );
  });

  it("takes a real body that was cut, or answers a ProtobufError", () => {
    fc.assert(
      fc.property(body, fc.double({ min: 0, max: 1, noNaN: true }), (bytes, part) => {
        attempt(bytes.subarray(0, Math.floor(part * bytes.length)));
      }),
    );
  });

  it("takes a real body with bytes changed, or answers a ProtobufError", () => {
    const change = fc.tuple(fc.nat(), fc.nat(255));
    fc.assert(
      fc.property(body, fc.array(change, { minLength: 1, maxLength: 4 }), (bytes, changes) => {
        const changed = new Uint8Array(bytes);
        for (const [at, value] of changes) changed[at % changed.length] = value;
        attempt(changed);
      }),
      { numRuns: 2000 },
    );
  });
});
