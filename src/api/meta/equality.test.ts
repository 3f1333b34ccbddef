import { describe, expect, it } from "vitest";
import { deepEqual, semanticEqual } from "./equality.ts";
import type { JsonValue } from "./json.ts";

describe("deepEqual", () => {
  it.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
    [{ a: 1, b: [2n] }, { b: [2], a: 1n }, true],
    [2n ** 53n, 2n ** 53n + 1n, false],
    [1n, 1.5, false],
    [1n, "1", false],
    [null, undefined, false],
    [{ a: undefined }, {}, true],
    [{ a: null }, {}, false],
    [[], {}, false],
    [[1, 2], [2, 1], false],
    [{ constructor: 1 }, {}, false],
    [{}, { toString: 1 }, false],
  ])("%o and %o: %s", (a, b, equal) => {
    expect(deepEqual(a, b)).toBe(equal);
    expect(deepEqual(b, a)).toBe(equal);
  });
});

describe("semanticEqual", () => {
  const container = (members: JsonValue) => ({ spec: { containers: [members] } }) as unknown as JsonValue;
  it.each<[string, JsonValue | undefined, JsonValue | undefined, boolean]>([
    ["quantities count by value", { limits: { cpu: "1000m" } }, { limits: { cpu: "1" } }, true],
    ["a numeric quantity", { requests: { cpu: 1 } }, { requests: { cpu: "1" } }, true],
    ["other quantities differ", { requests: { memory: "1Gi" } }, { requests: { memory: "1G" } }, false],
    ["a limit of zero is a limit", { limits: { gpu: "0" } }, { limits: {} }, false],
    ["sizes of volumes by value", { emptyDir: { sizeLimit: "1024Mi" } }, { emptyDir: { sizeLimit: "1Gi" } }, true],
    ["a size of zero is a size", { emptyDir: { sizeLimit: "0" } }, { emptyDir: {} }, false],
    ["divisors by value", { resourceFieldRef: { divisor: "1000m" } }, { resourceFieldRef: { divisor: 1 } }, true],
    ["a divisor of zero is none", { resourceFieldRef: { divisor: "0" } }, { resourceFieldRef: {} }, true],
    ["a label is no divisor", { labels: { divisor: "1000m" } }, { labels: { divisor: "1" } }, false],
    ["strings elsewhere are no quantities", { image: "1000m" }, { image: "1" }, false],
    ["null, absent and empty lists", { ports: null }, { ports: [] }, true],
    ["absent and empty structures", { health: {} }, {}, true],
    ["absent and zero scalars", { hostPort: 0, hostNetwork: false, name: "" }, {}, true],
    ["zero where it has a meaning", { terminationGracePeriodSeconds: 0 }, {}, false],
    ["false where it has a meaning", { automountServiceAccountToken: false }, {}, false],
    ["null where zero has a meaning", { terminationGracePeriodSeconds: null }, {}, true],
    ["an empty label is a label", { labels: { a: "" } }, { labels: {} }, false],
    ["empty labels are no labels", { metadata: { labels: {} } }, {}, true],
    ["a counter's key counts", { counters: { a: { count: 0n } } }, { counters: {} }, false],
    ["counters by value", { counters: { a: { count: 1n } } }, { counters: { a: { count: 1 } } }, true],
    ["immutableReplicas is ignored", { immutableReplicas: 1 }, {}, true],
    ["order of items", { args: ["a", "b"] }, { args: ["b", "a"] }, false],
    ["an item more", container({ name: "a" }), { spec: { containers: [] } }, false],
    [
      "deep inside lists",
      container({ resources: { limits: { cpu: "0.5" } } }),
      container({ resources: { limits: { cpu: "500m" } } }),
      true,
    ],
    ["a list is not a structure", { a: [1] }, { a: { 0: 1 } }, false],
  ])("%s", (_name, a, b, equal) => {
    expect(semanticEqual(a, b)).toBe(equal);
    expect(semanticEqual(b, a)).toBe(equal);
  });
});
