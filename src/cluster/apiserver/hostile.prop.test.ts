import fc from "fast-check";
import { expect, it } from "vitest";
import type { Method } from "#api/meta/exchange.ts";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { startTestServer } from "./testing/test-server.ts";
import { serveWidgets, WIDGETS, widget } from "./testing/widgets.ts";

const word = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "a",
      "default",
      "kube-system",
      "widgets",
      "pods",
      "namespaces",
      "nodes",
      "events",
      "secrets",
    ),
  },
  fc.constantFrom(
    "..",
    "%00",
    "%2F",
    "%",
    "__proto__",
    "constructor",
    "status",
    "scale",
    "log",
    "finalize",
    "binding",
    "eviction",
  ),
  fc.string({ maxLength: 8 }).map(encodeURIComponent),
);

const path = fc.oneof(
  fc.constantFrom(
    WIDGETS,
    `${WIDGETS}/a`,
    `${WIDGETS}/a/status`,
    `${WIDGETS}/a/scale`,
    "/api/v1/namespaces/default/pods",
    "/api/v1/namespaces/default/pods/a/eviction",
    "/api/v1/namespaces/default/secrets",
    "/api/v1/namespaces/default/events",
    "/api/v1/nodes",
    "/api/v1/namespaces",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  ),
  fc
    .tuple(
      fc.constantFrom("/api/v1/", "/apis/example.dev/v1/", "/apis/", "/openapi/", "/"),
      fc.array(word, { maxLength: 5 }),
    )
    .map(([base, words]) => base + words.join("/")),
);

const value = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "true",
      "0",
      "1",
      "-1",
      "9999999999999999999",
      "metadata.name=a",
      "a in (b",
      "All",
      "Strict",
      "Orphan",
    ),
  },
  fc.string({ maxLength: 10 }),
);
const query = fc.dictionary(
  fc.constantFrom(
    "limit",
    "continue",
    "labelSelector",
    "fieldSelector",
    "resourceVersion",
    "resourceVersionMatch",
    "dryRun",
    "fieldValidation",
    "propagationPolicy",
    "gracePeriodSeconds",
    "sendInitialEvents",
    "container",
    "includeObject",
  ),
  value,
  { maxKeys: 3 },
);

const key = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      "apiVersion",
      "kind",
      "metadata",
      "name",
      "namespace",
      "labels",
      "finalizers",
      "ownerReferences",
      "spec",
      "status",
      "containers",
      "ports",
      "env",
      "data",
      "stringData",
      "names",
      "versions",
      "schema",
      "openAPIV3Schema",
      "properties",
      "size",
      "replicas",
      "op",
      "path",
      "from",
      "value",
      "$patch",
      "preconditions",
      "target",
      "resources",
      "limits",
      "subresources",
    ),
  },
  fc.constantFrom("__proto__", "constructor", "toString", ""),
);
const json = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthIdentifier: "json" },
    fc.constantFrom<JsonValue>(
      null,
      true,
      0,
      -1,
      1.5,
      2n ** 63n,
      "",
      "a",
      "add",
      "/spec/size",
      "replace",
      "Widget",
      "v1",
      "example.dev/v1",
    ),
    fc.array(tie("value"), { maxLength: 4, depthIdentifier: "json" }),
    tie("object"),
  ),
  object: fc.dictionary(key, tie("value"), { maxKeys: 5, depthIdentifier: "json" }) as fc.Arbitrary<JsonObject>,
}));

/** A valid object with some part replaced by anything. */
const damaged = fc
  .tuple(fc.constantFrom("metadata", "spec", "status", "kind", "apiVersion"), json.value)
  .map(([member, replacement]): JsonObject => ({ ...widget("a"), [member]: replacement }));

const request = fc.record({
  method: fc.constantFrom<Method>("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
  path,
  query,
  contentType: fc.constantFrom(
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "text/html",
  ),
  body: fc.oneof(
    fc.constant(undefined),
    json.value,
    damaged,
    fc.uint8Array({ maxLength: 40 }),
    json.value.map((each) =>
      new TextEncoder().encode(JSON.stringify(each, (_, v) => (typeof v === "bigint" ? String(v) : v))),
    ),
  ),
});

it("answers whatever is sent with an answer or a Status, never by failing", { timeout: 60_000 }, async () => {
  const server = await startTestServer();
  await serveWidgets(server);
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, contentType, body }) => {
      await server.call("POST", WIDGETS, widget("a"));
      const target = `${path}?${new URLSearchParams(query)}`;
      const response = await server.respond(method, target, body, { headers: { "content-type": contentType } });
      expect(response.type).not.toBe("watch");
      if (response.type !== "json" || response.status < 400) return;
      expect(response.value).toMatchObject({ kind: "Status", status: "Failure", code: response.status });
      expect(response.status, String(response.value.message)).not.toBe(500);
    }),
    { numRuns: 3000 },
  );
  expect((await server.call("GET", "/api/v1/namespaces/default")).status).toBe(200);
});
