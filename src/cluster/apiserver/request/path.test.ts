import { expect, it } from "vitest";
import { parsePath } from "./path.ts";

const pods = { group: "", version: "v1", resource: "pods" };
const fleets = { group: "agones.dev", version: "v1", resource: "fleets" };

it.each([
  ["/api/v1/pods", pods],
  ["/api/v1/namespaces/a/pods", { ...pods, namespace: "a" }],
  ["/api/v1/namespaces/a/pods/b", { ...pods, namespace: "a", name: "b" }],
  ["/api/v1/namespaces/a/pods/b/log", { ...pods, namespace: "a", name: "b", subresource: "log" }],
  ["/api/v1/namespaces/a/pods/", { ...pods, namespace: "a" }],
  ["/api/v1/namespaces", { ...pods, resource: "namespaces" }],
  ["/api/v1/namespaces/a", { ...pods, resource: "namespaces", name: "a" }],
  ["/api/v1/namespaces/a/status", { ...pods, resource: "namespaces", name: "a", subresource: "status" }],
  ["/api/v1/namespaces/a/finalize", { ...pods, resource: "namespaces", name: "a", subresource: "finalize" }],
  ["/apis/agones.dev/v1/namespaces/a/fleets/b/scale", { ...fleets, namespace: "a", name: "b", subresource: "scale" }],
  ["/apis/agones.dev/v1/fleets", fleets],
  ["/api/v1/namespaces/a/events/b%3Ac", { ...pods, resource: "events", namespace: "a", name: "b:c" }],
])("finds the resource in %s", (path, resource) => {
  expect(parsePath(path)?.resource).toEqual(resource);
});

it.each([
  ["/", []],
  ["/version", ["version"]],
  ["/api", ["api"]],
  ["/api/v1", ["api", "v1"]],
  ["/apis/agones.dev/v1", ["apis", "agones.dev", "v1"]],
  ["/openapi/v3/apis/agones.dev/v1", ["openapi", "v3", "apis", "agones.dev", "v1"]],
])("finds no resource in %s", (path, segments) => {
  expect(parsePath(path)).toEqual({ segments });
});

it.each(["//", "/api//v1/pods", "/api/v1/namespaces/a/pods/b/log/more"])("knows no such path as %s", (path) => {
  expect(parsePath(path)).toBeUndefined();
});

it.each(["/api/v1/pods/%", "/api/v1/pods/%2F", "/api/v1/pods/%00", "/api/v1/pods/%ff"])("refuses %s", (path) => {
  expect(() => parsePath(path)).toThrow(/the path segment/);
});
