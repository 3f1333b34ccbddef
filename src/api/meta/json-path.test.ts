import { expect, test } from "vitest";
import type { JsonValue } from "#api/meta/json.ts";
import { compileJsonPath, JsonPathError } from "./json-path.ts";

const pod = {
  metadata: { name: "a", annotations: { "example.com/x": "y", "it's": 1 } },
  status: {
    ports: [
      { port: 1, name: "game" },
      { port: 2, name: "query" },
    ],
    conditions: [
      { type: "Ready", status: "True", count: 1n },
      { type: "Scheduled", status: "False" },
    ],
    nothing: null,
  },
};

test.for<[string, JsonValue[]]>([
  ["", [pod]],
  [".", [pod]],
  [".metadata.name", ["a"]],
  ["{.metadata.name}", ["a"]],
  [".status.ports[0].port", [1]],
  [".status.ports[-1].port", [2]],
  [".status.ports[5].port", []],
  [".status.ports[*].port", [1, 2]],
  [".status.ports.*.port", [1, 2]],
  [".metadata.annotations['example.com/x']", ["y"]],
  [".metadata.annotations.example\\.com/x", ["y"]],
  [`.metadata.annotations["it's"]`, [1]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type=='Gone')].status", []],
  [".status.conditions[?(@.type != 'Ready')].status", ["False"]],
  [".status.conditions[?(@.count)].type", ["Ready"]],
  [".status.conditions[?(@.count >= 1)].type", ["Ready"]],
  [".status.ports[?(@.port>1)].name", ["query"]],
  [".status.nothing", [null]],
  [".status.nothing.more", []],
  [".status.toString", []],
  [".metadata.name.length", []],
])("%s finds what it names", ([path, found]) => {
  expect(compileJsonPath(path)(pod)).toEqual(found);
});

test.for(["metadata", ".a[", ".a[?(x)]", ".a[?(@.b==c)]", ".a..b", ".a[1:2]"])("%s is refused", (path) => {
  expect(() => compileJsonPath(path)).toThrow(JsonPathError);
});
