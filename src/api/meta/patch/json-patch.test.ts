import { describe, expect, it } from "vitest";
import type { JsonValue } from "../json.ts";
import { applyJsonPatch, diffJson, JsonPatchError, type JsonPatchOperation, parseJsonPatch } from "./json-patch.ts";

const failure = (run: () => unknown): JsonPatchError => {
  try {
    run();
  } catch (error) {
    if (error instanceof JsonPatchError) return error;
    throw error;
  }
  throw new Error("expected a JsonPatchError");
};

describe("applyJsonPatch", () => {
  const rows: readonly [string, JsonValue, JsonPatchOperation[], JsonValue][] = [
    ["adds a member", { a: 1 }, [{ op: "add", path: "/b", value: [] }], { a: 1, b: [] }],
    ["adds before an item", [1, 3], [{ op: "add", path: "/1", value: 2 }], [1, 2, 3]],
    ["appends with -", [1], [{ op: "add", path: "/-", value: 2 }], [1, 2]],
    ["adds over a member", { a: 1 }, [{ op: "add", path: "/a", value: null }], { a: null }],
    ["replaces a member that is absent", { a: 1 }, [{ op: "replace", path: "/b", value: 2 }], { a: 1, b: 2 }],
    ["replaces the document", { a: 1 }, [{ op: "replace", path: "", value: "x" }], "x"],
    ["unescapes ~1 before ~0", { "a/b~1": 1 }, [{ op: "replace", path: "/a~1b~01", value: 2 }], { "a/b~1": 2 }],
    ["reads the empty key", { "": 1 }, [{ op: "remove", path: "/" }], {}],
    ["moves within an array", [1, 2, 3], [{ op: "move", from: "/0", path: "/2" }], [2, 3, 1]],
    ["moves onto itself", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
    ["copies a branch", { a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: 1 }, c: { b: 1 } }],
    ["tests a bigint against a number", { a: 5n }, [{ op: "test", path: "/a", value: 5 }], { a: 5n }],
  ];
  it.each(rows)("%s", (_name, document, operations, expected) => {
    expect(applyJsonPatch(document, operations)).toStrictEqual(expected);
  });

  it("shares what it does not touch and leaves its input alone", () => {
    const document = { spec: { template: {} }, status: { state: "Ready" } };
    const before = JSON.stringify(document);
    const after = applyJsonPatch(document, [{ op: "replace", path: "/status/state", value: "Allocated" }]);
    expect(after).toEqual({ spec: { template: {} }, status: { state: "Allocated" } });
    expect((after as typeof document).spec).toBe(document.spec);
    expect(JSON.stringify(document)).toBe(before);
  });

  it("treats prototype names as plain keys", () => {
    const added = applyJsonPatch({}, [{ op: "add", path: "/__proto__", value: { polluted: true } }]);
    expect(Object.keys(added as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(added)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    for (const path of ["/__proto__/x", "/constructor/prototype/x", "/toString/x"])
      expect(failure(() => applyJsonPatch({}, [{ op: "add", path, value: 1 }])).code).toBe("PathNotFound");
    expect(failure(() => applyJsonPatch([], [{ op: "test", path: "/length", value: 0 }])).code).toBe("PathNotFound");
  });

  const refusals: readonly [string, JsonValue, JsonPatchOperation, JsonPatchError["code"]][] = [
    ["a test of another value", { a: 1 }, { op: "test", path: "/a", value: "1" }, "TestFailed"],
    ["a test of an absent member", {}, { op: "test", path: "/a", value: null }, "PathNotFound"],
    ["replacing an item that is absent", [], { op: "replace", path: "/0", value: 1 }, "PathNotFound"],
    ["replacing below what is absent", {}, { op: "replace", path: "/a/b", value: 1 }, "PathNotFound"],
    ["removing what is absent", [], { op: "remove", path: "/0" }, "PathNotFound"],
    ["adding beyond the end", [1], { op: "add", path: "/2", value: 1 }, "PathNotFound"],
    ["an index with a leading zero", [1, 2], { op: "remove", path: "/01" }, "PathNotFound"],
    ["- where an item must exist", [1], { op: "remove", path: "/-" }, "PathNotFound"],
    ["a path through a scalar", { a: 1 }, { op: "add", path: "/a/b", value: 1 }, "PathNotFound"],
    ["a path without a slash", {}, { op: "add", path: "a", value: 1 }, "InvalidPatch"],
    ["a stray tilde", {}, { op: "add", path: "/a~2", value: 1 }, "InvalidPatch"],
    ["a move into itself", { a: { b: 1 } }, { op: "move", from: "/a", path: "/a/b" }, "InvalidPatch"],
    ["removing the document", {}, { op: "remove", path: "" }, "InvalidPatch"],
  ];
  it.each(refusals)("refuses %s", (_name, document, operation, code) => {
    const error = failure(() => applyJsonPatch(document, [{ op: "test", path: "", value: document }, operation]));
    expect(error).toMatchObject({ code, index: 1, path: operation.path });
  });

  it("refuses copies that double the document again and again", () => {
    const doubling = Array.from({ length: 60 }, (): JsonPatchOperation => ({ op: "copy", from: "", path: "/-" }));
    expect(failure(() => applyJsonPatch(["x".repeat(100)], doubling)).code).toBe("CopyTooLarge");
  });
});

describe("parseJsonPatch", () => {
  it("takes each operation and drops members it does not know", () => {
    const operations = [
      { op: "add", path: "/a", value: null },
      { op: "remove", path: "/a" },
      { op: "move", from: "/a", path: "/b" },
    ];
    expect(parseJsonPatch(operations.map((each) => ({ ...each, extra: 1 })))).toEqual(operations);
  });

  it.each<[string, JsonValue, number]>([
    ["an object", {}, -1],
    ["a scalar operation", [1], 0],
    [
      "an unknown op",
      [
        { op: "remove", path: "/a" },
        { op: "merge", path: "/a" },
      ],
      1,
    ],
    ["a missing value", [{ op: "add", path: "/a" }], 0],
    ["a missing source", [{ op: "copy", path: "/a" }], 0],
    ["a path that is no pointer", [{ op: "remove", path: "a/b" }], 0],
  ])("refuses %s", (_name, value, index) => {
    expect(failure(() => parseJsonPatch(value))).toMatchObject({ code: "InvalidPatch", index });
  });

  it("refuses more operations than Kubernetes takes", () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: "remove", path: "/a" }));
    expect(failure(() => parseJsonPatch(many)).message).toBe(
      "The allowed maximum operations in a JSON patch is 10000, got 10001",
    );
  });
});

describe("diffJson", () => {
  it("finds nothing between equal values, whatever holds the integers", () => {
    expect(diffJson({ a: [1, { b: 7n }] }, { a: [1, { b: 7 }] })).toEqual([]);
  });

  it("names only what differs", () => {
    const from = { metadata: { name: "a", labels: { "x/y": "1" } }, status: { state: "Ready" } };
    const to = { metadata: { name: "a", labels: { "x/y": "2", z: "" } }, spec: {} };
    expect(diffJson(from, to)).toEqual([
      { op: "replace", path: "/metadata/labels/x~1y", value: "2" },
      { op: "add", path: "/metadata/labels/z", value: "" },
      { op: "remove", path: "/status" },
      { op: "add", path: "/spec", value: {} },
    ]);
  });

  it("touches one item of a long array, and replaces a short one", () => {
    const names = Array.from({ length: 50 }, (_, position) => `player-${position}`);
    expect(diffJson(names, names.toSpliced(20, 1))).toEqual([{ op: "remove", path: "/20" }]);
    expect(diffJson(names, names.toSpliced(20, 0, "new"))).toEqual([{ op: "add", path: "/20", value: "new" }]);
    expect(diffJson({ list: [1, 2, 3] }, { list: [4, 5, 6] })).toEqual([
      { op: "replace", path: "/list", value: [4, 5, 6] },
    ]);
  });

  it("replaces a list of which many items differ, and takes any number of changed members", () => {
    const ports = Array.from({ length: 100 }, (_, at) => ({ port: at }));
    const named = ports.map((each) => ({ ...each, protocol: "UDP" }));
    expect(diffJson({ ports }, { ports: named })).toEqual([{ op: "replace", path: "/ports", value: named }]);
    expect(diffJson(ports, [...named.slice(0, 3), ...ports.slice(3)])).toHaveLength(3);
    const counters = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`c${at}`, 0]));
    const counted = Object.fromEntries(Object.keys(counters).map((name) => [name, 1]));
    expect(diffJson({ counters }, { counters: counted })).toHaveLength(200_000);
  });
});
