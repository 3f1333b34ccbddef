import { expect, test } from "vitest";
import { type JsonObject, parseJson, stringifyJson } from "#api/meta/json.ts";
import { compileSchema } from "./compile.ts";

const fill = (spec: JsonObject, value: JsonObject) =>
  compileSchema(
    { type: "object", properties: { spec } },
    { groupVersionKind: { group: "example.com", version: "v1", kind: "Thing" } },
  ).applyDefaults(value);

const counters = {
  type: "object",
  nullable: true,
  additionalProperties: {
    type: "object",
    properties: {
      count: { type: "integer", format: "int64", default: 0 },
      capacity: { type: "integer", format: "int64", default: 1000 },
    },
  },
};

test("defaults appear only where their parent exists", () => {
  const schema = { type: "object", properties: { health: { type: "object", properties: { period: { default: 5 } } } } };
  const absent = { spec: {} };
  expect(fill(schema, absent)).toBe(absent);
  expect(fill(schema, { spec: { health: {} } })).toEqual({ spec: { health: { period: 5 } } });
});

test("a default object is completed by the defaults inside it", () => {
  const schema = {
    type: "object",
    properties: { health: { type: "object", default: {}, properties: { period: { default: 5 } } } },
  };
  expect(fill(schema, { spec: {} })).toEqual({ spec: { health: { period: 5 } } });
});

test("defaults reach into map values and items", () => {
  expect(fill(counters, { spec: { rooms: { count: 3 }, players: {} } })).toEqual({
    spec: { rooms: { count: 3, capacity: 1000 }, players: { count: 0, capacity: 1000 } },
  });
  const list = { type: "array", items: { type: "object", properties: { protocol: { default: "UDP" } } } };
  expect(fill(list, { spec: [{ protocol: "TCP" }, {}] })).toEqual({ spec: [{ protocol: "TCP" }, { protocol: "UDP" }] });
});

test("a null stays where it is allowed, else gives way to the default, else is dropped", () => {
  const schema = {
    type: "object",
    properties: {
      stays: { type: "string", nullable: true, default: "d" },
      replaced: { type: "string", default: "d" },
      dropped: { type: "string" },
      list: { type: "array", items: { type: "string" } },
      map: { type: "object", additionalProperties: { type: "string" } },
    },
  };
  const value = { spec: { stays: null, replaced: null, dropped: null, list: [null], map: { a: null, b: "b" } } };
  expect(fill(schema, value)).toEqual({ spec: { stays: null, replaced: "d", list: [null], map: { b: "b" } } });
  expect(fill(counters, { spec: null })).toEqual({ spec: null });
});

test("nulls in metadata are absent members", () => {
  expect(fill({ type: "object" }, { metadata: { name: "a", creationTimestamp: null }, spec: {} })).toEqual({
    metadata: { name: "a" },
    spec: {},
  });
});

test("int64 defaults keep all their digits and small ones are plain numbers", () => {
  const schema = parseJson('{"type":"object","properties":{"a":{"default":9223372036854775807},"b":{"default":5}}}');
  const filled = fill(schema as JsonObject, { spec: {} });
  expect(stringifyJson(filled)).toBe('{"spec":{"a":9223372036854775807,"b":5}}');
  expect((filled.spec as JsonObject).b).toBe(5);
});

test("a complete object comes back as it is; a default is shared, never copied", () => {
  const schema = { type: "object", properties: { a: { type: "array", default: [1] }, b: { type: "object" } } };
  const complete = { spec: { a: [], b: {} } };
  expect(fill(schema, complete)).toBe(complete);
  expect((fill(schema, { spec: {} }).spec as JsonObject).a).toBe(schema.properties.a.default);
});

test("__proto__ may have a default", () => {
  const schema = parseJson('{"type":"object","properties":{"__proto__":{"default":{"a":1}}}}') as JsonObject;
  const filled = fill(schema, { spec: {} });
  expect(JSON.stringify(filled)).toBe('{"spec":{"__proto__":{"a":1}}}');
  expect(Object.getPrototypeOf(filled.spec)).toBe(Object.prototype);
});
