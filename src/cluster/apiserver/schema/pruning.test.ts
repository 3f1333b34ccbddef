import { expect, test } from "vitest";
import { type JsonObject, parseJson } from "#api/meta/json.ts";
import { compileSchema } from "./compile.ts";

const compile = (spec: JsonObject) =>
  compileSchema(
    { type: "object", properties: { spec } },
    { groupVersionKind: { group: "example.com", version: "v1", kind: "Thing" } },
  );
const prune = (spec: JsonObject, value: JsonObject) => compile(spec).prune(value);

test("unknown members go, and their paths are told in the order of names", () => {
  const schema = {
    type: "object",
    properties: {
      ports: { type: "array", items: { type: "object", properties: { port: { type: "integer" } } } },
      counters: {
        type: "object",
        additionalProperties: { type: "object", properties: { count: { type: "integer" } } },
      },
    },
  };
  const value = {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name: "a", nme: "b", labels: { any: "thing" } },
    spec: { z: 1, ports: [{ port: 1 }, { port: 2, x: {} }], counters: { rooms: { count: 1, cont: 2 } }, a: null },
    status: { gone: true },
  };
  const before = JSON.stringify(value);
  expect(prune(schema, value)).toEqual({
    object: {
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name: "a", labels: { any: "thing" } },
      spec: { ports: [{ port: 1 }, { port: 2 }], counters: { rooms: { count: 1 } } },
    },
    unknown: ["metadata.nme", "spec.a", "spec.counters.rooms.cont", "spec.ports[1].x", "spec.z", "status"],
  });
  expect(JSON.stringify(value)).toBe(before);
});

test("an object without unknown members comes back as it is, and unchanged parts are shared", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "object", properties: { b: {} } }, c: { type: "object" } },
  };
  const good = { spec: { a: { b: 1 } } };
  expect(prune(schema, good).object).toBe(good);
  const bad = { spec: { a: { b: 1 }, c: { d: 1 } } };
  expect((prune(schema, bad).object.spec as JsonObject).a).toBe(bad.spec.a);
});

test("preserve-unknown-fields keeps what is not listed, and prunes what is", () => {
  const schema = {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    properties: { known: { type: "object", properties: { a: {} } } },
  };
  expect(prune(schema, { spec: { free: { b: [{ c: 1 }] }, known: { a: 1, b: 2 } } })).toEqual({
    object: { spec: { free: { b: [{ c: 1 }] }, known: { a: 1 } } },
    unknown: ["spec.known.b"],
  });
});

test("preserve-unknown-fields on an array holds for its items", () => {
  const schema = {
    type: "array",
    "x-kubernetes-preserve-unknown-fields": true,
    items: { type: "object", properties: { known: { type: "object" } } },
  };
  expect(prune(schema, { spec: [{ free: 1, known: { b: 2 } }] })).toEqual({
    object: { spec: [{ free: 1, known: {} }] },
    unknown: ["spec[0].known.b"],
  });
});

test("an embedded resource keeps its type and the known part of its metadata", () => {
  const schema = {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { spec: { type: "object", properties: { a: {} } } },
  };
  const value = { spec: { apiVersion: "v1", kind: "Pod", metadata: { name: "n", x: 1 }, spec: { a: 1, b: 2 }, y: 1 } };
  expect(prune(schema, value)).toEqual({
    object: { spec: { apiVersion: "v1", kind: "Pod", metadata: { name: "n" }, spec: { a: 1 } } },
    unknown: ["spec.metadata.x", "spec.spec.b", "spec.y"],
  });
});

test("a map of anything keeps its keys and scalars, but nothing deeper", () => {
  const schema = { type: "object", additionalProperties: true };
  expect(prune(schema, { spec: { a: 1, b: { c: 1 }, d: [{ e: 1 }] } })).toEqual({
    object: { spec: { a: 1, b: {}, d: [{}] } },
    unknown: ["spec.b.c", "spec.d[0].e"],
  });
});

test("__proto__ and names every object inherits are members like any other", () => {
  const value = parseJson('{"spec":{"__proto__":{"a":1},"constructor":1,"x":2,"toString":"s"}}') as JsonObject;
  const keeps = {
    type: "object",
    properties: parseJson('{"__proto__":{"type":"object"},"toString":{"type":"string"}}'),
  };
  const { object, unknown } = prune(keeps as JsonObject, value);
  expect(JSON.stringify(object)).toBe('{"spec":{"__proto__":{},"toString":"s"}}');
  expect(unknown).toEqual(["spec.__proto__.a", "spec.constructor", "spec.x"]);
  expect(Object.getPrototypeOf(object.spec)).toBe(Object.prototype);
});

test("a reference, which no definition may hold, says nothing of a value", () => {
  const value = { spec: { any: { thing: 1 } } };
  expect(prune({ $ref: "#/definitions/unheard-of" }, value).object).toBe(value);
  expect(compile({ $ref: "#/definitions/unheard-of" }).validate(value)).toEqual([]);
});
