import { expect, test } from "vitest";
import type { KubeObject } from "#api/meta/object.ts";
import { startTestServer } from "#cluster/apiserver/testing/test-server.ts";
import { widgetDefinition } from "#cluster/apiserver/testing/widgets.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { Resources } from "./resources.ts";

async function open() {
  const server = await startTestServer();
  const requests: string[] = [];
  const transport = inProcessTransport(
    (request) => {
      requests.push(request.path);
      return server.handler(request);
    },
    { username: "admin", groups: ["system:masters"] },
  );
  return { server, requests, resources: new Resources(transport) };
}

test("of two resources with one name the core one is meant; the group tells them apart", async () => {
  const { resources } = await open();
  expect(await resources.named("events")).toMatchObject({ group: "", version: "v1" });
  expect(await resources.named("events.events.k8s.io")).toMatchObject({ group: "events.k8s.io" });
});

test("tells scope and subresources", async () => {
  const { resources } = await open();
  expect(await resources.named("po")).toMatchObject({ plural: "pods", namespaced: true });
  expect((await resources.named("pods")).subresources).toContain("log");
  expect(await resources.named("no")).toMatchObject({ plural: "nodes", namespaced: false });
});

test("asks the cluster once", async () => {
  const { resources, requests } = await open();
  await resources.named("pods");
  const asked = requests.length;
  await resources.named("nodes");
  await resources.of({ apiVersion: "v1", kind: "Pod", metadata: {} } as KubeObject);
  expect(requests.length).toBe(asked);
});

test("asks for the version of a manifest alone, once", async () => {
  const { resources, requests } = await open();
  const pod = { apiVersion: "v1", kind: "Pod", metadata: {} } as KubeObject;
  expect(await resources.of(pod)).toMatchObject({ plural: "pods" });
  expect(await resources.of({ ...pod, kind: "Node" })).toMatchObject({ plural: "nodes" });
  expect(await resources.of({ ...pod, apiVersion: "coordination.k8s.io/v1", kind: "Lease" })).toMatchObject({
    plural: "leases",
  });
  expect(requests).toEqual(["/api/v1", "/apis/coordination.k8s.io/v1"]);
});

test("finds what was defined since", async () => {
  const { resources, server } = await open();
  const widget = { apiVersion: "example.dev/v1", kind: "Widget", metadata: {} } as KubeObject;
  await expect(resources.of(widget)).rejects.toMatchObject({ code: "Refused" });
  await server.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetDefinition());
  expect(await resources.of(widget)).toMatchObject({ plural: "widgets", group: "example.dev" });
});
