import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { applyStrategicMergePatch, StrategicMergePatchError } from "./strategic-merge.ts";

const merged = (patchMergeKey: string, more: JsonObject = {}): JsonObject => ({
  type: "array",
  "x-kubernetes-patch-strategy": "merge",
  "x-kubernetes-patch-merge-key": patchMergeKey,
  ...more,
});
/** The parts of the published definitions that the rows below touch. */
const definitions: Readonly<Record<string, JsonObject>> = {
  Pod: {
    properties: {
      metadata: {
        properties: {
          labels: { additionalProperties: { type: "string" } },
          finalizers: { type: "array", items: { type: "string" }, "x-kubernetes-patch-strategy": "merge" },
          ownerReferences: merged("uid"),
        },
      },
      spec: { $ref: "PodSpec" },
      status: { properties: { conditions: merged("type") } },
    },
  },
  PodSpec: {
    properties: {
      containers: merged("name", { items: { $ref: "Container" } }),
      volumes: merged("name", { "x-kubernetes-patch-strategy": "merge,retainKeys" }),
      tolerations: { type: "array" },
      strategy: { "x-kubernetes-patch-strategy": "retainKeys" },
      whole: { type: "object", "x-kubernetes-patch-strategy": "replace" },
    },
  },
  Container: { properties: { args: { type: "array" }, env: merged("name"), ports: merged("containerPort") } },
};

const apply = (document: JsonObject, patch: JsonObject): JsonObject =>
  applyStrategicMergePatch(document, patch, "Pod", (name) => definitions[name] as JsonObject);
const inSpec = (spec: JsonObject): JsonObject => ({ spec });

describe("applyStrategicMergePatch", () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["cordons", inSpec({}), inSpec({ unschedulable: true }), inSpec({ unschedulable: true })],
    ["uncordons by null", inSpec({ unschedulable: true }), inSpec({ unschedulable: null }), inSpec({})],
    [
      "taints: a list without a strategy is replaced",
      inSpec({ taints: [{ key: "a", effect: "NoSchedule" }] }),
      inSpec({ taints: [{ key: "b", effect: "NoExecute" }] }),
      inSpec({ taints: [{ key: "b", effect: "NoExecute" }] }),
    ],
    [
      "sets and removes labels",
      { metadata: { labels: { a: "1", b: "1" } } },
      { metadata: { labels: { a: null, c: "2" } } },
      { metadata: { labels: { b: "1", c: "2" } } },
    ],
    [
      "sets an image of one container among several",
      inSpec({
        containers: [
          { name: "a", image: "a:1" },
          { name: "b", image: "b:1", args: ["x"] },
        ],
      }),
      inSpec({
        "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
        containers: [{ name: "b", image: "b:2" }],
      }),
      inSpec({
        containers: [
          { name: "a", image: "a:1" },
          { name: "b", image: "b:2", args: ["x"] },
        ],
      }),
    ],
    [
      "applies: order of the manifest, what others added stays where it stood",
      inSpec({ containers: [{ name: "a" }, { name: "injected" }, { name: "b" }] }),
      inSpec({
        "$setElementOrder/containers": [{ name: "new" }, { name: "a" }, { name: "b" }],
        containers: [{ name: "new", image: "n" }],
      }),
      inSpec({ containers: [{ name: "new", image: "n" }, { name: "a" }, { name: "injected" }, { name: "b" }] }),
    ],
    [
      "applies: a new order alone",
      inSpec({ containers: [{ name: "a" }, { name: "b" }] }),
      inSpec({ "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] }),
      inSpec({ containers: [{ name: "b" }, { name: "a" }] }),
    ],
    [
      "applies: removes one item, keeps the rest",
      inSpec({
        containers: [
          {
            name: "a",
            env: [
              { name: "X", value: "1" },
              { name: "Y", value: "2" },
            ],
          },
        ],
      }),
      inSpec({ containers: [{ name: "a", env: [{ name: "X", $patch: "delete" }] }] }),
      inSpec({ containers: [{ name: "a", env: [{ name: "Y", value: "2" }] }] }),
    ],
    [
      "replaces a list as a whole",
      inSpec({ containers: [{ name: "a" }, { name: "b" }] }),
      inSpec({ containers: [{ name: "c", image: "c" }, { $patch: "replace" }] }),
      inSpec({ containers: [{ name: "c", image: "c" }] }),
    ],
    [
      "replaces an object as a whole",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $patch: "replace", b: "2" } } },
      { metadata: { labels: { b: "2" } } },
    ],
    [
      "empties an object",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $patch: "delete" } } },
      { metadata: { labels: {} } },
    ],
    [
      "merges where told to do what it does anyway",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $patch: "merge", b: "2" } } },
      { metadata: { labels: { a: "1", b: "2" } } },
    ],
    [
      "keeps the named members of a union alone",
      inSpec({ volumes: [{ name: "v", emptyDir: {} }] }),
      inSpec({
        volumes: [{ $retainKeys: ["name", "secret"], name: "v", secret: { secretName: "s" }, emptyDir: null }],
      }),
      inSpec({ volumes: [{ name: "v", secret: { secretName: "s" } }] }),
    ],
    [
      "keeps the named members of a structure alone",
      inSpec({ strategy: { type: "RollingUpdate", rollingUpdate: {} } }),
      inSpec({ strategy: { $retainKeys: ["type"], type: "Recreate" } }),
      inSpec({ strategy: { type: "Recreate" } }),
    ],
    [
      "replaces an object whose strategy says so",
      inSpec({ whole: { a: 1 } }),
      inSpec({ whole: { b: 2 } }),
      inSpec({ whole: { b: 2 } }),
    ],
    [
      "adds to a list of scalars, each once",
      { metadata: { finalizers: ["a", "b"] } },
      { metadata: { finalizers: ["b", "c"] } },
      { metadata: { finalizers: ["a", "b", "c"] } },
    ],
    [
      "removes from a list of scalars, and orders the rest",
      { metadata: { finalizers: ["a", "b", "c"] } },
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"], "$setElementOrder/finalizers": ["c", "a"] } },
      { metadata: { finalizers: ["c", "a"] } },
    ],
    [
      "releases an owner",
      { metadata: { ownerReferences: [{ uid: "u1" }, { uid: "u2" }] } },
      { metadata: { ownerReferences: [{ $patch: "delete", uid: "u1" }] } },
      { metadata: { ownerReferences: [{ uid: "u2" }] } },
    ],
    [
      "updates one condition, as a node's heartbeat does",
      {
        status: {
          conditions: [
            { type: "Pressure", status: "False" },
            { type: "Ready", status: "True", at: 1 },
          ],
        },
      },
      {
        status: {
          "$setElementOrder/conditions": [{ type: "Pressure" }, { type: "Ready" }],
          conditions: [{ type: "Ready", at: 2 }],
        },
      },
      {
        status: {
          conditions: [
            { type: "Pressure", status: "False" },
            { type: "Ready", status: "True", at: 2 },
          ],
        },
      },
    ],
    [
      "compares merge keys by value",
      inSpec({ containers: [{ name: "a", ports: [{ containerPort: 80, name: "x" }] }] }),
      inSpec({ containers: [{ name: "a", ports: [{ containerPort: 80n, name: "y" }] }] }),
      inSpec({ containers: [{ name: "a", ports: [{ containerPort: 80n, name: "y" }] }] }),
    ],
    [
      "leaves no directive and no null in what is new",
      {},
      inSpec({
        containers: [{ name: "a", image: null, env: [{ name: "X", $patch: "delete" }], "$setElementOrder/env": [] }],
      }),
      inSpec({ containers: [{ name: "a", env: [] }] }),
    ],
    [
      "replaces a value of another type",
      inSpec({ containers: {} }),
      inSpec({ containers: [] }),
      inSpec({ containers: [] }),
    ],
    [
      "merges objects that the schema does not know",
      { other: { a: 1, list: [1, 2] } },
      { other: { b: 2, list: [3] } },
      { other: { a: 1, b: 2, list: [3] } },
    ],
  ])("%s", (_name, document, patch, expected) => {
    const before = JSON.stringify(document, (_key, value) => (typeof value === "bigint" ? `${value}` : value));
    expect(apply(document, patch)).toStrictEqual(expected);
    expect(JSON.stringify(document)).toBe(before);
  });

  it("returns the very document when nothing changes, and shares what does not", () => {
    const document = {
      metadata: { labels: { a: "1" }, finalizers: ["f"] },
      spec: { containers: [{ name: "a" }, { name: "b" }] },
    };
    const same = { metadata: { labels: { a: "1" }, finalizers: ["f"] }, spec: { containers: [{ name: "b" }] } };
    expect(apply(document, { ...same, metadata: { ...same.metadata, labels: { a: "1", x: null } } })).toEqual({
      ...document,
      spec: { containers: [{ name: "a" }, { name: "b" }] },
    });
    const relabelled = apply(document, { metadata: { labels: { a: "2" } } });
    expect(relabelled.spec).toBe(document.spec);
    expect(apply(document, { metadata: { labels: { a: "1" } } })).toBe(document);
  });

  it.each<[string, JsonObject, string]>([
    ["an unknown directive", { metadata: { labels: { $patch: "explode" } } }, 'unknown patch type: "explode"'],
    [
      "an item without its merge key",
      inSpec({ containers: [{ image: "x" }] }),
      "does not contain declared merge key: name",
    ],
    [
      "a set member that $retainKeys does not name",
      inSpec({ strategy: { $retainKeys: ["type"], x: 1 } }),
      "invalid patch format of retainKeys",
    ],
    [
      "an order that is no list",
      inSpec({ "$setElementOrder/containers": "a" }),
      "invalid patch format of setElementOrder list",
    ],
    [
      "deletions that are no list",
      { metadata: { "$deleteFromPrimitiveList/finalizers": "a" } },
      "invalid patch format of primitive list",
    ],
    [
      "items in another order than $setElementOrder",
      inSpec({
        "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
        containers: [{ name: "b" }, { name: "a" }],
      }),
      "the order in the patch list does not match",
    ],
  ])("refuses %s", (_name, patch, message) => {
    const document = { metadata: { labels: {} }, spec: { containers: [{ name: "a" }], strategy: {} } };
    expect(() => apply(document, patch)).toThrow(StrategicMergePatchError);
    expect(() => apply(document, patch)).toThrow(message);
  });

  it("treats prototype names as plain keys", () => {
    const patched = apply(
      { metadata: {} },
      { metadata: { labels: JSON.parse('{"__proto__":"x","constructor":"y"}') } },
    );
    const { labels } = patched.metadata as { labels: object };
    expect(Object.keys(labels)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
  });
});
