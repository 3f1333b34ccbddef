import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../meta/json.ts";
import { typeFault } from "./type-fault.ts";

const schema: JsonObject = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string" },
    on: { type: "boolean" },
    share: { "x-kubernetes-int-or-string": true },
    small: { type: "integer", format: "int32" },
    large: { type: "integer", format: "int64" },
    ratio: { type: "number" },
    at: { type: "string", format: "date-time" },
    items: { type: "array", items: { type: "object", properties: { port: { type: "integer" } } } },
    labels: { type: "object", additionalProperties: { type: "string" } },
    free: { "x-kubernetes-preserve-unknown-fields": true },
  },
};
const fault = (members: JsonObject) => typeFault(schema, { name: "a", ...members });

describe("what can be read as its type", () => {
  test.each<JsonObject>([
    {},
    { on: true, share: "5", small: -(2 ** 31), large: 2n ** 63n - 1n, ratio: 0.5 },
    { share: 5, at: "2030-01-01T00:00:00.123+02:00", items: [{ port: 1 }, {}], labels: { a: "" } },
    { on: null, at: null, items: null, labels: null, small: null },
    { future: { anything: [1] }, free: [{}] },
  ])("%#", (members) => {
    expect(fault(members)).toBeUndefined();
  });
});

describe("what cannot is told with its path", () => {
  test.each<[JsonValue, string]>([
    [[], "the object: expected object, found array"],
    [{}, "name: is required"],
    [{ name: 1 }, "name: expected string, found number"],
    [{ name: "a", on: "true" }, "on: expected boolean, found string"],
    [{ name: "a", share: 0.5 }, "share: expected integer or string, found number"],
    [{ name: "a", share: 2 ** 31 }, "share: 2147483648 does not fit in int32"],
    [{ name: "a", small: 2147483648 }, "small: 2147483648 does not fit in int32"],
    [{ name: "a", small: 1.5 }, "small: expected integer, found number"],
    [{ name: "a", large: 2n ** 63n }, "large: 9223372036854775808 does not fit in int64"],
    [{ name: "a", at: "" }, 'at: "" is not a time of RFC 3339'],
    [{ name: "a", at: "yesterday" }, 'at: "yesterday" is not a time of RFC 3339'],
    [{ name: "a", items: [{}, { port: "x" }] }, "items[1].port: expected integer, found string"],
    [{ name: "a", items: [null] }, "items[0]: expected object, found null"],
    [{ name: "a", labels: { b: null } }, "labels[b]: expected string, found null"],
    [{ name: "a", labels: { b: 2n ** 60n } }, "labels[b]: expected string, found integer"],
  ])("%#", (value, expected) => {
    expect(typeFault(schema, value)).toBe(expected);
  });

  test("and with its value for whoever asks for it", () => {
    const value = { name: "a", items: [{ port: "x" }] };
    expect(typeFault(schema, value, "spec", JSON.stringify)).toBe('spec.items[0].port: expected integer, found "x"');
  });
});
