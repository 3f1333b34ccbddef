import { describe, expect, it } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { type Answer, startTestServer, type TestServer } from "./testing/test-server.ts";
import { DEFINITIONS, serveWidgets, WIDGETS, widget, widgetDefinition } from "./testing/widgets.ts";

const PODS = "/api/v1/namespaces/default/pods";
const metaOf = ({ body }: Answer): JsonObject => body.metadata as JsonObject;

async function scheduledPod(server: TestServer, spec: JsonObject = {}): Promise<void> {
  await server.make(PODS, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }], ...spec } });
  const bound = await server.call("POST", `${PODS}/p/binding`, { target: { kind: "Node", name: "n" } });
  expect(bound.status).toBe(201);
}

describe("deletion", () => {
  it("answers with a Status that names what is gone", async () => {
    const server = await startTestServer();
    await serveWidgets(server);
    const made = await server.make(WIDGETS, widget("a"));
    const answer = await server.call("DELETE", `${WIDGETS}/a`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: "Success",
      details: { name: "a", group: "example.dev", kind: "widgets", uid: (made.metadata as JsonObject).uid },
    });
    expect((await server.call("DELETE", `${WIDGETS}/a`)).body.message).toBe('widgets.example.dev "a" not found');
  });

  it("waits for finalizers, takes no new ones, and ends with the last", async () => {
    const server = await startTestServer();
    await serveWidgets(server);
    await server.make(WIDGETS, widget("a", { size: 1 }, { finalizers: ["example.dev/x"] }));
    const marked = await server.call("DELETE", `${WIDGETS}/a`);
    expect(metaOf(marked)).toMatchObject({
      deletionTimestamp: "2030-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    const again = await server.call("DELETE", `${WIDGETS}/a`);
    expect(metaOf(again).resourceVersion).toBe(metaOf(marked).resourceVersion);
    const more = await server.patch(`${WIDGETS}/a`, "merge", {
      metadata: { finalizers: ["example.dev/x", "example.dev/y"] },
    });
    expect(more.body.message).toMatch(
      /no new finalizers can be added if the object is being deleted, found new finalizers \[\]string{"example.dev\/y"}/,
    );
    expect((await server.patch(`${WIDGETS}/a`, "merge", { metadata: { finalizers: null } })).status).toBe(200);
    expect((await server.call("GET", `${WIDGETS}/a`)).status).toBe(404);
  });

  it("keeps to its preconditions", async () => {
    const server = await startTestServer();
    await serveWidgets(server);
    await server.make(WIDGETS, widget("a"));
    const remove = (preconditions: JsonObject) => server.call("DELETE", `${WIDGETS}/a`, { preconditions });
    expect((await remove({ uid: "other" })).status).toBe(409);
    expect((await remove({ resourceVersion: "1" })).body.message).toMatch(/ResourceVersion in precondition: 1/);
    expect((await remove({ uid: 5 })).status).toBe(400);
    expect((await server.call("GET", `${WIDGETS}/a`)).status).toBe(200);
  });

  it.each([
    ["Foreground", "foregroundDeletion"],
    ["Orphan", "orphan"],
  ])("tells the garbage collector of policy %s by a finalizer", async (propagationPolicy, finalizer) => {
    const server = await startTestServer();
    await serveWidgets(server);
    await server.make(WIDGETS, widget("a"));
    expect(
      metaOf(await server.call("DELETE", `${WIDGETS}/a?propagationPolicy=${propagationPolicy}`)).finalizers,
    ).toEqual([finalizer]);
    expect((await server.call("DELETE", `${WIDGETS}/a`, { propagationPolicy: "Sideways" })).status).toBe(422);
  });

  it("empties a collection by selector", async () => {
    const server = await startTestServer();
    await serveWidgets(server);
    for (const name of ["a", "b", "c"])
      await server.make(WIDGETS, widget(name, { size: 1 }, { labels: { keep: String(name === "b") } }));
    const answer = await server.call("DELETE", `${WIDGETS}?labelSelector=keep%3Dfalse`);
    expect((answer.body.items as JsonObject[]).length).toBe(2);
    const left = (await server.call("GET", WIDGETS)).body.items as JsonObject[];
    expect(left.map(({ metadata }) => (metadata as JsonObject).name)).toEqual(["b"]);
  });

  it("changes nothing in a dry run", async () => {
    const server = await startTestServer();
    await serveWidgets(server);
    await server.make(WIDGETS, widget("a"));
    expect((await server.call("DELETE", `${WIDGETS}/a`, { dryRun: ["All"] })).status).toBe(200);
    expect((await server.call("GET", `${WIDGETS}/a`)).status).toBe(200);
  });
});

describe("deletion of a pod", () => {
  it("gives its containers the pod's own grace until the agent deletes it with none", async () => {
    const server = await startTestServer();
    await scheduledPod(server, { terminationGracePeriodSeconds: 10 });
    const marked = await server.call("DELETE", `${PODS}/p`);
    expect(metaOf(marked)).toMatchObject({ deletionTimestamp: "2030-01-01T00:00:10Z", deletionGracePeriodSeconds: 10 });
    const shorter = await server.call("DELETE", `${PODS}/p`, { gracePeriodSeconds: 5 });
    expect(metaOf(shorter)).toMatchObject({ deletionTimestamp: "2030-01-01T00:00:05Z", deletionGracePeriodSeconds: 5 });
    expect(
      metaOf(await server.call("DELETE", `${PODS}/p`, { gracePeriodSeconds: 60 })).deletionGracePeriodSeconds,
    ).toBe(5);
    await server.patch(`${PODS}/p/status`, "merge", { status: { message: "stopping" } });
    expect((await server.call("DELETE", `${PODS}/p`, { gracePeriodSeconds: 0 })).body.kind).toBe("Pod");
    expect((await server.call("GET", `${PODS}/p`)).status).toBe(404);
  });

  it("is immediate for a pod that runs nowhere", async () => {
    const server = await startTestServer();
    await server.make(PODS, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
    await server.call("DELETE", `${PODS}/p`);
    expect((await server.call("GET", `${PODS}/p`)).status).toBe(404);
  });

  it("is immediate for a pod that has ended", async () => {
    const server = await startTestServer();
    await scheduledPod(server);
    await server.patch(`${PODS}/p/status`, "merge", { status: { phase: "Succeeded" } });
    await server.call("DELETE", `${PODS}/p`);
    expect((await server.call("GET", `${PODS}/p`)).status).toBe(404);
  });
});

describe("namespaces", () => {
  it("are there from the start, with their label", async () => {
    const server = await startTestServer();
    const { items } = (await server.call("GET", "/api/v1/namespaces")).body as { items: JsonObject[] };
    expect(items.map(({ metadata, status }) => [(metadata as JsonObject).name, status])).toEqual(
      ["default", "kube-node-lease", "kube-public", "kube-system"].map((name) => [name, { phase: "Active" }]),
    );
    expect((items[0] as { metadata: JsonObject }).metadata.labels).toEqual({
      "kubernetes.io/metadata.name": "default",
    });
  });

  it("terminate: no new content, a conflict when deleted again, gone once finalized", async () => {
    const server = await startTestServer();
    await server.make("/api/v1/namespaces", { metadata: { name: "n" } });
    const marked = await server.call("DELETE", "/api/v1/namespaces/n");
    expect([marked.body.status, metaOf(marked).deletionTimestamp]).toEqual([
      { phase: "Terminating" },
      "2030-01-01T00:00:00Z",
    ]);
    const refused = await server.call("POST", "/api/v1/namespaces/n/configmaps", { metadata: { name: "m" } });
    expect([refused.status, refused.body.message, (refused.body.details as JsonObject).causes]).toEqual([
      403,
      'configmaps "m" is forbidden: unable to create new content in namespace n because it is being terminated',
      [{ reason: "NamespaceTerminating", message: "namespace n is being terminated", field: "metadata.namespace" }],
    ]);
    expect((await server.call("DELETE", "/api/v1/namespaces/n")).status).toBe(409);
    const { body } = await server.call("GET", "/api/v1/namespaces/n");
    const finalized = await server.call("PUT", "/api/v1/namespaces/n/finalize", { ...body, spec: { finalizers: [] } });
    expect(finalized.status).toBe(200);
    expect((await server.call("GET", "/api/v1/namespaces/n")).status).toBe(404);
  });

  it("must exist before their content, and the system's stay", async () => {
    const server = await startTestServer();
    const absent = await server.call("POST", "/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "m" } });
    expect([absent.status, absent.body.message]).toEqual([404, 'namespaces "nowhere" not found']);
    expect((await server.call("DELETE", "/api/v1/namespaces/default")).status).toBe(403);
  });
});

describe("custom resource definitions", () => {
  it("go only after their objects, taking no new ones meanwhile", async () => {
    const server = await startTestServer();
    await serveWidgets(server);
    await server.make(WIDGETS, widget("a"));
    await server.make(WIDGETS, widget("held", { size: 1 }, { finalizers: ["example.dev/x"] }));
    const marked = await server.call("DELETE", `${DEFINITIONS}/widgets.example.dev`);
    expect(metaOf(marked).finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
    await expect.poll(async () => (await server.call("GET", `${WIDGETS}/a`)).status).toBe(404);
    expect((await server.call("POST", WIDGETS, widget("new"))).status).toBe(405);
    await server.patch(`${WIDGETS}/held`, "merge", { metadata: { finalizers: null } });
    await expect.poll(async () => (await server.call("GET", `${DEFINITIONS}/widgets.example.dev`)).status).toBe(404);
    expect(await server.call("GET", WIDGETS)).toMatchObject({ status: 404, body: { text: "404 page not found\n" } });
  });

  it("serve from the moment they are answered, and appear in discovery", async () => {
    const server = await startTestServer();
    await server.make(DEFINITIONS, widgetDefinition({ plural: "gadgets", subresources: {} }));
    expect((await server.call("GET", "/apis/example.dev/v1/namespaces/default/gadgets")).body.kind).toBe("GadgetList");
    const { resources } = (await server.call("GET", "/apis/example.dev/v1")).body as { resources: JsonObject[] };
    expect(resources.map(({ name }) => name)).toEqual(["gadgets"]);
    const groups = (await server.call("GET", "/apis")).body.groups as JsonObject[];
    expect(groups.map(({ name }) => name)).toContain("example.dev");
  });
});
