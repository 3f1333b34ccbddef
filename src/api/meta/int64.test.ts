import { describe, expect, it } from "vitest";
import { int64Decoder } from "./int64.ts";

const counter = {
  type: "object",
  properties: { count: { type: "integer", format: "int64" }, name: { type: "string" } },
} as const;
const decode = int64Decoder({
  type: "object",
  properties: {
    counters: { type: "object", nullable: true, additionalProperties: counter },
    history: { type: "array", items: { type: "integer", format: "int64" } },
    port: { type: "integer", format: "int32" },
    template: { type: "object", properties: { name: { type: "string" } } },
  },
});

describe("int64Decoder", () => {
  it("makes bigints of the int64 members alone", () => {
    expect(decode({ counters: { rooms: { count: 3, name: "r" } }, history: [1, 2n], port: 7 })).toStrictEqual({
      counters: { rooms: { count: 3n, name: "r" } },
      history: [1n, 2n],
      port: 7,
    });
  });

  it("returns the very value when there is nothing to convert", () => {
    for (const value of [{ port: 7, template: { name: "x" } }, { counters: null, history: [1n] }, "text", null])
      expect(decode(value)).toBe(value);
  });

  it("shares what it does not touch", () => {
    const template = { name: "x" };
    const decoded = decode({ template, history: [1] }) as { template: unknown };
    expect(decoded.template).toBe(template);
  });

  it("leaves alone what a validator must refuse", () => {
    const odd = { counters: [1], history: ["1", 1.5, null], port: "x" };
    expect(decode(odd)).toBe(odd);
  });

  it("keeps odd keys plain", () => {
    const decoded = int64Decoder({ additionalProperties: counter })(JSON.parse('{"__proto__":{"count":1}}'));
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
    expect(Object.entries(decoded as object)).toEqual([["__proto__", { count: 1n }]]);
  });
});
