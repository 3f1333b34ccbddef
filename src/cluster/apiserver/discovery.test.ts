import { describe, expect, it } from "vitest";
import type { ApiGroup } from "#api/meta/admission.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { compareVersions } from "./discovery/version-order.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";
import { DEFINITIONS, serveWidgets, widgetDefinition } from "./testing/widgets.ts";

const aggregated = {
  headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json" },
};

const allocation: ApiGroup = {
  group: "allocation.example.dev",
  version: "v1",
  resources: [
    { name: "allocations", singularName: "allocation", namespaced: true, kind: "Allocation", verbs: ["create"] },
  ],
  openApi: () => ({ openapi: "3.0.0", paths: {} }),
  handle: async ({ body, path }) => ({
    type: "json",
    status: 201,
    value: { kind: "Echo", path, body: body as JsonObject },
  }),
};

const bytesOf = async (server: TestServer, target: string): Promise<JsonObject> => {
  const response = await server.respond("GET", target);
  if (response.type !== "bytes" || !(response.body instanceof Uint8Array)) throw new Error("expected a document");
  return JSON.parse(new TextDecoder().decode(response.body));
};

describe("discovery", () => {
  it("tells everything in two documents to clients that ask for it", async () => {
    const server = await startTestServer({ groups: [allocation] });
    await serveWidgets(server);
    const core = await server.call("GET", "/api", undefined, aggregated);
    expect(core.headers["content-type"]).toMatch(/g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList/);
    const [group] = core.body.items as { versions: { version: string; resources: JsonObject[] }[] }[];
    const pods = group?.versions[0]?.resources.find(({ resource }) => resource === "pods");
    expect(pods).toMatchObject({
      responseKind: { group: "", version: "v1", kind: "Pod" },
      scope: "Namespaced",
      shortNames: ["po"],
      categories: ["all"],
    });
    expect((pods?.subresources as JsonObject[] | undefined)?.map(({ subresource }) => subresource)).toEqual([
      "binding",
      "eviction",
      "log",
      "status",
    ]);
    const { items } = (await server.call("GET", "/apis", undefined, aggregated)).body as { items: JsonObject[] };
    expect(items.map(({ metadata }) => (metadata as JsonObject).name)).toEqual(
      expect.arrayContaining(["allocation.example.dev", "example.dev", "events.k8s.io", "policy"]),
    );
  });

  it("tells it step by step to others", async () => {
    const server = await startTestServer({ groups: [allocation] });
    await serveWidgets(server);
    expect((await server.call("GET", "/api")).body).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    expect((await server.call("GET", "/apis/example.dev")).body).toMatchObject({
      kind: "APIGroup",
      preferredVersion: { groupVersion: "example.dev/v1", version: "v1" },
    });
    const { resources } = (await server.call("GET", "/apis/example.dev/v1")).body as { resources: JsonObject[] };
    expect(resources).toMatchObject([
      { name: "widgets", kind: "Widget", namespaced: true },
      { name: "widgets/scale", group: "autoscaling", version: "v1", kind: "Scale" },
      { name: "widgets/status", kind: "Widget", verbs: ["get", "patch", "update"] },
    ]);
    expect((await server.call("GET", "/apis/allocation.example.dev/v1")).body).toMatchObject({
      resources: [{ name: "allocations", verbs: ["create"] }],
    });
    expect((await server.call("GET", "/apis/absent.example.dev")).status).toBe(404);
  });

  it.each([
    [
      ["v1", "v10", "v2"],
      ["v10", "v2", "v1"],
    ],
    [
      ["v1alpha1", "v1", "v1beta1", "v11beta2"],
      ["v1", "v11beta2", "v1beta1", "v1alpha1"],
    ],
    [
      ["foo10", "v1alpha1", "foo1"],
      ["v1alpha1", "foo1", "foo10"],
    ],
  ])("prefers versions of %j in Kubernetes' order", (versions, ordered) => {
    expect(versions.toSorted(compareVersions)).toEqual(ordered);
  });
});

describe("OpenAPI", () => {
  it("lists one document a group and version, whose address changes with its content", async () => {
    const server = await startTestServer({ groups: [allocation] });
    const paths = async () =>
      (await server.call("GET", "/openapi/v3")).body.paths as Record<string, { serverRelativeURL: string }>;
    const before = await paths();
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(["api/v1", "apis/policy/v1", "apis/allocation.example.dev/v1"]),
    );
    await serveWidgets(server);
    const during = (await paths())["apis/example.dev/v1"]?.serverRelativeURL ?? "";
    await server.make(DEFINITIONS, widgetDefinition({ plural: "gadgets" }));
    const after = (await paths())["apis/example.dev/v1"]?.serverRelativeURL ?? "";
    expect(after).not.toBe(during);
    expect((await paths())["api/v1"]).toEqual(before["api/v1"]);
    const document = await bytesOf(server, after);
    expect(Object.keys(document.paths as JsonObject)).toContain(
      "/apis/example.dev/v1/namespaces/{namespace}/gadgets/{name}",
    );
  });

  it("is empty in version 2, in the format that is asked for", async () => {
    const server = await startTestServer();
    const ask = (accept: string) => server.respond("GET", "/openapi/v2", undefined, { headers: { accept } });
    expect(await bytesOf(server, "/openapi/v2")).toMatchObject({ swagger: "2.0", paths: {}, definitions: {} });
    const type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    expect(await ask(`${type.replace("v2.v1", "v2@v1")}, application/json;q=0.5`)).toMatchObject({
      contentType: type,
      body: Buffer.from("\n\x032.0\x12\x16\n\x07Stadion\x12\x0bunversioned"),
    });
  });
});

describe("other documents", () => {
  it("tell version and health", async () => {
    const server = await startTestServer();
    expect((await server.call("GET", "/version")).body.gitVersion).toMatch(/^v1\.\d+\.0\+stadion\.0\.0\.0$/);
    for (const path of ["/healthz", "/readyz", "/livez"])
      expect(await server.respond("GET", path)).toMatchObject({ status: 200, body: new TextEncoder().encode("ok") });
    expect((await server.call("POST", "/version", {})).status).toBe(405);
    expect((await server.call("GET", "/nothing")).body.text).toBe("404 page not found\n");
  });
});

describe("groups with a handler of their own", () => {
  it("get their requests, with bodies decoded", async () => {
    const server = await startTestServer({ groups: [allocation] });
    const path = "/apis/allocation.example.dev/v1/namespaces/default/allocations";
    const answer = await server.call("POST", path, new TextEncoder().encode('{"a":1}'));
    expect([answer.status, answer.body]).toEqual([201, { kind: "Echo", path, body: { a: 1 } }]);
    const form = await server.call("POST", path, new TextEncoder().encode("a=1"), {
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(form.status).toBe(415);
  });
});

describe("reviews", () => {
  it("say that the administrator may do everything, and nobody else anything", async () => {
    const server = await startTestServer();
    const path = "/apis/authorization.k8s.io/v1";
    const self = await server.call("POST", `${path}/selfsubjectaccessreviews`, {
      spec: { resourceAttributes: { verb: "create", resource: "pods" } },
    });
    expect([self.status, self.body.status]).toEqual([201, expect.objectContaining({ allowed: true })]);
    const other = await server.call("POST", `${path}/subjectaccessreviews`, { spec: { user: "bob" } });
    expect(other.body.status).toMatchObject({ allowed: false });
    const rules = await server.call("POST", `${path}/selfsubjectrulesreviews`, { spec: { namespace: "default" } });
    expect(rules.body.status).toMatchObject({ resourceRules: [{ verbs: ["*"] }] });
    const who = await server.call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
    expect(who.body.status).toEqual({ userInfo: { username: "admin", groups: ["system:masters"] } });
    expect((await server.call("GET", `${path}/selfsubjectaccessreviews`)).status).toBe(405);
  });
});
