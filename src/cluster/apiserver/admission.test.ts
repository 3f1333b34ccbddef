import { expect, it } from "vitest";
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from "#api/meta/admission.ts";
import { forbidden } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { invalidObject } from "#api/meta/status.ts";
import { startTestServer } from "./testing/test-server.ts";
import { serveWidgets, WIDGETS, widget } from "./testing/widgets.ts";

const rules = [{ group: "example.dev", resource: "widgets", operations: ["CREATE", "UPDATE", "DELETE"] as const }];
const allowed: AdmissionResponse = { allowed: true };

async function withPlugins(...admission: AdmissionPlugin[]) {
  const server = await startTestServer({ admission });
  await serveWidgets(server);
  return server;
}

const setColor = (name: string, color: string): AdmissionPlugin => ({
  name,
  mutate: {
    rules,
    admit: () => ({ allowed: true, patch: [{ op: "add", path: "/spec/color", value: color }] }),
  },
});

it("sees defaults, may repair what the schema would refuse, and is checked by it", async () => {
  const seen: (JsonObject | null)[] = [];
  const server = await withPlugins({
    name: "repair",
    mutate: {
      rules,
      admit: ({ object }) => {
        seen.push(object);
        return { allowed: true, patch: [{ op: "add", path: "/spec/size", value: 4 }] };
      },
    },
  });
  const made = await server.make(WIDGETS, widget("a", { foo: 1 }));
  expect(seen[0]?.spec).toEqual({ color: "red" });
  expect(made.spec).toEqual({ color: "red", size: 4 });
});

it("runs plugins by name, each on what the one before left, and validates last", async () => {
  const validated: unknown[] = [];
  const server = await withPlugins(setColor("b", "blue"), setColor("a", "amber"), {
    name: "0-check",
    validate: {
      rules,
      admit: ({ object }) => {
        validated.push(object?.spec, (object?.metadata as JsonObject | undefined)?.uid !== undefined);
        return allowed;
      },
    },
  });
  expect((await server.make(WIDGETS, widget("a"))).spec).toEqual({ size: 1, color: "blue" });
  expect(validated).toEqual([{ size: 1, color: "blue" }, true]);
});

it("prunes and defaults what a plugin changed", async () => {
  const server = await withPlugins({
    name: "odd",
    mutate: {
      rules,
      admit: () => ({
        allowed: true,
        patch: [
          { op: "add", path: "/spec/unknown", value: 1 },
          { op: "remove", path: "/spec/color" },
        ],
      }),
    },
  });
  expect((await server.make(WIDGETS, widget("a"))).spec).toEqual({ size: 1, color: "red" });
});

it("passes a refusal through, with its causes", async () => {
  const server = await withPlugins({
    name: "strict.example.dev",
    validate: {
      rules,
      admit: () => ({
        allowed: false,
        status: invalidObject("example.dev", "Widget", "a", [forbidden("spec.size", "never")]).status,
      }),
    },
  });
  const { body } = await server.call("POST", WIDGETS, widget("a"));
  expect(body).toMatchObject({
    code: 422,
    reason: "Invalid",
    message:
      'admission webhook "strict.example.dev" denied the request: Widget.example.dev "a" is invalid: spec.size: Forbidden: never',
    details: { causes: [{ field: "spec.size", reason: "FieldValueForbidden" }] },
  });
  expect((await server.call("GET", `${WIDGETS}/a`)).status).toBe(404);
});

it("is asked with both objects on update, with the old one on deletion, and not for status or scale", async () => {
  const asked: AdmissionRequest[] = [];
  const server = await withPlugins({
    name: "watch",
    validate: {
      rules,
      admit: (request) => {
        asked.push(request);
        return { allowed: true, warnings: [`saw ${request.operation}`] };
      },
    },
  });
  await server.make(WIDGETS, widget("a"));
  const updated = await server.patch(`${WIDGETS}/a`, "merge", { spec: { size: 2 } });
  expect(updated.headers.warning).toBe('299 - "saw UPDATE"');
  await server.patch(`${WIDGETS}/a/status`, "merge", { status: { replicas: 2 } });
  await server.patch(`${WIDGETS}/a/scale`, "merge", { spec: { replicas: 2 } });
  await server.call("DELETE", `${WIDGETS}/a`);
  const sizes = asked.map(({ operation, object, oldObject }) => [
    operation,
    (object?.spec as JsonObject)?.size,
    (oldObject?.spec as JsonObject)?.size,
  ]);
  expect(sizes).toEqual([
    ["CREATE", 1, undefined],
    ["UPDATE", 2, 1],
    ["DELETE", undefined, 2],
  ]);
  expect(asked[0]).toMatchObject({
    kind: { group: "example.dev", version: "v1", kind: "Widget" },
    resource: { group: "example.dev", version: "v1", resource: "widgets" },
    namespace: "default",
    name: "a",
    userInfo: { username: "admin" },
  });
});

it("commits what a slow plugin decided only on the version it saw", async () => {
  const gates: (() => void)[] = [];
  const server = await withPlugins({
    name: "slow",
    validate: {
      rules: [{ ...rules[0]!, operations: ["UPDATE"] }],
      admit: () =>
        new Promise((resolve) => {
          gates.push(() => resolve(allowed));
        }),
    },
  });
  await server.make(WIDGETS, widget("a"));
  const slow = server.patch(`${WIDGETS}/a`, "merge", { spec: { color: "slow" } });
  await expect.poll(() => gates.length).toBe(1);
  await server.patch(`${WIDGETS}/a/status`, "merge", { status: { replicas: 5 } });
  gates[0]?.();
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.();
  expect((await slow).body).toMatchObject({ spec: { color: "slow" }, status: { replicas: 5 } });
});

it("answers a plugin that fails with 500, and changes nothing", async () => {
  const server = await withPlugins({
    name: "broken",
    mutate: {
      rules,
      admit: () => {
        throw new Error("broken");
      },
    },
  });
  expect((await server.call("POST", WIDGETS, widget("a"))).body).toMatchObject({ code: 500, reason: "InternalError" });
});
