import { expect, it } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { startTestServer } from "./testing/test-server.ts";
import { serveWidgets, WIDGETS, widget } from "./testing/widgets.ts";

const PODS = "/api/v1/namespaces/default/pods";

async function withWidget() {
  const server = await startTestServer();
  await serveWidgets(server);
  return { server, made: await server.make(WIDGETS, widget("a")) };
}

it("guards a JSON patch by its tests against the stored object", async () => {
  const { server, made } = await withWidget();
  const version = (made.metadata as JsonObject).resourceVersion as string;
  const patch = (resourceVersion: string) =>
    server.patch(`${WIDGETS}/a`, "json", [
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      { op: "add", path: "/metadata/labels", value: { a: "b" } },
    ]);
  const refused = await patch("1000");
  expect(refused.status).toBe(422);
  expect(refused.body.reason).toBe("Invalid");
  expect((await patch(version)).status).toBe(200);
  expect((await patch(version)).status).toBe(422);
});

it("refuses a malformed JSON patch, and one that does not fit", async () => {
  const { server } = await withWidget();
  expect((await server.patch(`${WIDGETS}/a`, "json", { op: "add" })).status).toBe(400);
  expect((await server.patch(`${WIDGETS}/a`, "json", [{ op: "remove", path: "/spec/absent" }])).status).toBe(422);
  expect((await server.patch(`${WIDGETS}/a`, "json", [{ op: "replace", path: "", value: 5 }])).status).toBe(400);
});

it("takes a version in a merge patch as a precondition", async () => {
  const { server } = await withWidget();
  const answer = await server.patch(`${WIDGETS}/a`, "merge", { metadata: { resourceVersion: "1" }, spec: { size: 2 } });
  expect(answer.status).toBe(409);
});

it("names the patch when Strict finds unknown fields in it", async () => {
  const { server } = await withWidget();
  const answer = await server.patch(`${WIDGETS}/a?fieldValidation=Strict`, "merge", { spec: { foo: 1 } });
  expect(answer.status).toBe(422);
  expect(answer.body.message).toBe(
    'Widget.example.dev "a" is invalid: patch: Invalid value: "{\\"spec\\":{\\"foo\\":1}}": strict decoding error: unknown field "spec.foo"',
  );
});

it("takes no strategic merge patch for custom resources, and no server-side apply", async () => {
  const { server } = await withWidget();
  const accepted =
    "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json";
  const strategic = await server.patch(`${WIDGETS}/a`, "strategic", { spec: { size: 2 } });
  expect([strategic.status, strategic.body.reason, strategic.body.message]).toEqual([
    415,
    "UnsupportedMediaType",
    accepted,
  ]);
  const apply = await server.call("PATCH", `${WIDGETS}/a?fieldManager=x`, widget("a"), {
    headers: { "content-type": "application/apply-patch+yaml" },
  });
  expect(apply.status).toBe(415);
});

it("merges lists of built-ins by their keys in a strategic merge patch", async () => {
  const server = await startTestServer();
  await server.make(PODS, {
    metadata: { name: "p" },
    spec: {
      containers: [
        { name: "a", image: "a:1" },
        { name: "b", image: "b:1" },
      ],
    },
  });
  const patched = await server.patch(`${PODS}/p`, "strategic", { spec: { containers: [{ name: "b", image: "b:2" }] } });
  const containers = (patched.body.spec as { containers: JsonObject[] }).containers;
  expect(containers.map(({ name, image }) => `${name} ${image}`)).toEqual(["a a:1", "b b:2"]);
});

it("patches status without touching the rest", async () => {
  const { server } = await withWidget();
  const answer = await server.patch(`${WIDGETS}/a/status`, "merge", { spec: { size: 7 }, status: { replicas: 2 } });
  expect([answer.body.spec, answer.body.status]).toEqual([{ size: 1, color: "red" }, { replicas: 2 }]);
});
