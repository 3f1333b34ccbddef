import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import type { AdmissionPlugin, ApiGroup } from "#api/meta/admission.ts";
import type { ApiRequest, ApiResponse, Method } from "#api/meta/exchange.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "#api/meta/json.ts";
import { statusError } from "#api/meta/status.ts";
import { silentLogger } from "#runtime/logger.ts";
import { createExtensionsHandler } from "./extensions-handler.ts";

const rules = [{ group: "example.dev", resource: "widgets", operations: ["CREATE"] }] as const;
const plugin: AdmissionPlugin = {
  name: "widgets",
  mutate: {
    rules,
    admit: ({ object }) => ({
      allowed: true,
      patch: [{ op: "add", path: "/spec", value: object?.count ?? 0 }],
      warnings: ["look out"],
    }),
  },
  validate: {
    rules,
    admit: ({ object }) => {
      if (object?.broken) throw new Error("out of order");
      return { allowed: false, status: statusError("Invalid", "too wide", { causes: [{ field: "spec" }] }).status };
    },
  },
};

const group: ApiGroup = {
  group: "hall.example.dev",
  version: "v1",
  resources: [{ name: "seats", singularName: "seat", namespaced: true, kind: "Seat", verbs: ["create"] }],
  openApi: () => ({ openapi: "3.0.0" }),
  handle: async ({ method, path, body }) => {
    if (method !== "POST") throw statusError("MethodNotAllowed", "Method not supported");
    return { type: "json", status: 201, value: { path, body: body instanceof Uint8Array ? "bytes" : (body ?? null) } };
  },
};

const handler = createExtensionsHandler({ admission: [plugin], groups: [group], log: silentLogger });

function ask(
  method: Method,
  path: string,
  body?: string | Uint8Array,
  headers: ApiRequest["headers"] = { "content-type": "application/json" },
): Promise<ApiResponse> {
  return handler({
    method,
    path,
    query: new URLSearchParams(),
    headers,
    ...(body !== undefined && { body: typeof body === "string" ? new TextEncoder().encode(body) : body }),
    user: { username: "kube", groups: [] },
    signal: new AbortController().signal,
  });
}

async function answered(...request: Parameters<typeof ask>): Promise<{ status: number; value: JsonValue }> {
  const response = await ask(...request);
  if (response.type === "json") return { status: response.status, value: response.value };
  if (response.type !== "bytes" || !(response.body instanceof Uint8Array)) throw new Error("a stream was answered");
  return { status: response.status, value: new TextDecoder().decode(response.body) };
}

const request = (changes: JsonObject = {}): JsonObject => ({
  uid: "r-1",
  kind: { group: "example.dev", version: "v1", kind: "Widget" },
  resource: { group: "example.dev", version: "v1", resource: "widgets" },
  operation: "CREATE",
  name: "w",
  userInfo: { username: "ann", groups: [] },
  object: { kind: "Widget" },
  ...changes,
});
const review = (changes?: JsonObject): string =>
  stringifyJson({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: request(changes) });

async function reviewed(path: string, body: string): Promise<JsonObject> {
  const { status, value } = await answered("POST", path, body);
  expect(status).toBe(200);
  if (!isJsonObject(value) || !isJsonObject(value.response)) throw new Error(`no response: ${stringifyJson(value)}`);
  expect(value).toMatchObject({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" });
  return value.response;
}

describe("reviews of admission", () => {
  test("a mutation comes back as a base64 JSONPatch with the request's uid and the warnings, int64 digits kept", async () => {
    const { patch, ...others } = await reviewed("/mutate", review({ object: { count: 9223372036854775807n } }));
    expect(others).toEqual({ uid: "r-1", allowed: true, patchType: "JSONPatch", warnings: ["look out"] });
    expect(parseJson(Buffer.from(String(patch), "base64").toString())).toEqual([
      { op: "add", path: "/spec", value: 9223372036854775807n },
    ]);
  });

  test("a refusal comes back with its Status and all details", async () => {
    const { uid, allowed, status } = await reviewed("/validate", review());
    expect({ uid, allowed }).toEqual({ uid: "r-1", allowed: false });
    expect(status).toMatchObject({ reason: "Invalid", code: 422, details: { causes: [{ field: "spec" }] } });
  });

  test("what a plugin throws is a refusal with an internal error that says so", async () => {
    const { allowed, status } = await reviewed("/validate", review({ object: { broken: true } }));
    expect(allowed).toBe(false);
    expect(status).toMatchObject({
      status: "Failure",
      reason: "InternalError",
      message: "out of order",
      details: {
        name: "w",
        group: "example.dev",
        kind: "Widget",
        causes: [{ reason: "InternalError", message: "out of order" }],
      },
    });
  });

  test.each([
    ["another resource", { resource: { group: "example.dev", version: "v1", resource: "gadgets" } }],
    ["another operation", { operation: "DELETE", object: null }],
    ["a subresource", { subResource: "status" }],
  ])("%s that no plugin asked for is allowed without a patch", async (_what, changes) => {
    expect(await reviewed("/mutate", review(changes))).toEqual({ uid: "r-1", allowed: true });
    expect(await reviewed("/validate", review(changes))).toEqual({ uid: "r-1", allowed: true });
  });

  test.each([
    ["nothing", undefined],
    ["no JSON", "{"],
    ["an array", "[]"],
    ["another kind", '{"apiVersion":"admission.k8s.io/v1","kind":"Pod"}'],
    ["an older version", '{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{}}'],
    ["no request", '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}'],
    ["a request without uid", review({ uid: null })],
    ["an object that is none", review({ object: 5 })],
    ["invalid UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
  ])("a body that is %s is answered with 500 and says what was expected", async (_what, body) => {
    for (const path of ["/mutate", "/validate"]) {
      const { status, value } = await answered("POST", path, body);
      expect(status).toBe(500);
      expect(value).toMatchObject({ kind: "Status", reason: "InternalError", message: expect.stringMatching(/./) });
    }
  });

  test("only POST is a review", async () => {
    expect(await answered("GET", "/mutate")).toMatchObject({ status: 405 });
  });
});

describe("the aggregated API", () => {
  const seats = "/apis/hall.example.dev/v1/namespaces/games/seats";

  test("discovery names the resources", async () => {
    expect(await answered("GET", "/apis/hall.example.dev/v1")).toEqual({
      status: 200,
      value: {
        kind: "APIResourceList",
        apiVersion: "v1",
        groupVersion: "hall.example.dev/v1",
        resources: group.resources,
      },
    });
  });

  test.each([
    ["GET", "/", 200, ""],
    ["POST", "/", 200, ""],
    ["GET", "/apis", 406, ""],
    ["GET", "/apis/hall.example.dev", 404, "404 page not found\n"],
    ["POST", "/apis/hall.example.dev/v1", 404, "404 page not found\n"],
    ["GET", "/apis/hall.example.dev/v10/seats", 404, "404 page not found\n"],
    ["GET", "/elsewhere", 404, "404 page not found\n"],
    ["GET", "/openapi/v2", 200, { info: { title: "hall.example.dev" }, paths: null }],
    ["GET", "/openapi/v3/apis/hall.example.dev/v1", 200, { openapi: "3.0.0" }],
    [
      "GET",
      "/openapi/v3",
      200,
      { paths: { "apis/hall.example.dev/v1": { serverRelativeURL: "/openapi/v3/apis/hall.example.dev/v1" } } },
    ],
  ] as const)("%s %s is answered with %i", async (method, path, status, value) => {
    expect(await answered(method, path)).toEqual({ status, value });
  });

  test("a method that the group does not have is a Status", async () => {
    expect(await answered("GET", seats)).toMatchObject({
      status: 405,
      value: { kind: "Status", reason: "MethodNotAllowed", message: "Method not supported" },
    });
  });

  test.each([
    ["application/json", '{"count":9223372036854775807}'],
    ["application/json; charset=utf-8", '{"count":9223372036854775807}'],
    ["application/yaml", "count: 9223372036854775807"],
  ])("a body of %s is read", async (contentType, body) => {
    expect(await answered("POST", seats, body, { "content-type": contentType })).toEqual({
      status: 201,
      value: { path: seats, body: { count: 9223372036854775807n } },
    });
  });

  test("a body of another type, or one that is malformed, is refused with a Status", async () => {
    expect(await answered("POST", seats, "x", { "content-type": "text/csv" })).toMatchObject({
      status: 415,
      value: { reason: "UnsupportedMediaType" },
    });
    expect(await answered("POST", seats, "{")).toMatchObject({ status: 400, value: { reason: "BadRequest" } });
  });

  test.each([
    ["application/yaml", true],
    ["application/json, application/yaml", false],
    ["application/yaml, application/json", true],
    ["application/json;q=0.5, application/yaml", true],
    ["*/*, application/yaml", true],
    ["application/yaml;q=0", false],
    ["application/vnd.kubernetes.protobuf, */*", false],
    ["text/html", false],
    [undefined, false],
  ])("Accept %s is answered in YAML: %s", async (accept, yaml) => {
    const answer = await ask("POST", seats, '{"a":[1]}', { "content-type": "application/json", accept });
    expect(answer.type).toBe(yaml ? "bytes" : "json");
    if (answer.type !== "bytes") return;
    expect(answer).toMatchObject({ status: 201, contentType: "application/yaml" });
    expect(parseYaml(new TextDecoder().decode(answer.body as Uint8Array))).toEqual({ path: seats, body: { a: [1] } });
  });
});
