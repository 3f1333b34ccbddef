import { expect, it } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";
import { serveWidgets, WIDGETS, widget } from "./testing/widgets.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

const namesIn = (body: JsonObject): unknown[] =>
  (body.items as JsonObject[]).map(({ metadata }) => (metadata as JsonObject).name);
const metadata = (body: JsonObject): JsonObject => body.metadata as JsonObject;

async function withMaps(server: TestServer, ...names: string[]): Promise<void> {
  for (const name of names) await server.make(MAPS, { metadata: { name, labels: { name, all: "x" } } });
}

it("shows one moment over all pages, whatever is written meanwhile", async () => {
  const server = await startTestServer();
  await withMaps(server, "a", "b", "c", "d", "e");
  const first = (await server.call("GET", `${MAPS}?limit=2`)).body;
  expect([namesIn(first), metadata(first).remainingItemCount]).toEqual([["a", "b"], 3]);
  await withMaps(server, "bb");
  await server.call("DELETE", `${MAPS}/c`);
  const second = (await server.call("GET", `${MAPS}?limit=2&continue=${metadata(first).continue}`)).body;
  const third = (await server.call("GET", `${MAPS}?limit=2&continue=${metadata(second).continue}`)).body;
  expect([namesIn(second), namesIn(third)]).toEqual([["c", "d"], ["e"]]);
  expect(metadata(third)).toEqual({ resourceVersion: metadata(first).resourceVersion });
});

it("lets pages expire, and takes a token for its own list only", async () => {
  const server = await startTestServer();
  await withMaps(server, "a", "b", "c");
  const token = String(metadata((await server.call("GET", `${MAPS}?limit=1`)).body).continue);
  const status = async (target: string) => (await server.call("GET", target)).status;
  expect(await status(`/api/v1/namespaces/default/secrets?continue=${token}`)).toBe(400);
  expect(await status(`${MAPS}?continue=nonsense`)).toBe(400);
  expect(await status(`${MAPS}?continue=${token}&resourceVersion=5`)).toBe(400);
  await server.clock.advance(301_000);
  const expired = await server.call("GET", `${MAPS}?continue=${token}`);
  expect([expired.status, expired.body.reason]).toEqual([410, "Expired"]);
});

it.each([
  ["labelSelector=name%3Da", ["a"]],
  ["labelSelector=name+in+(a,c)", ["a", "c"]],
  ["labelSelector=name+notin+(a)", ["b", "c"]],
  ["labelSelector=!name", []],
  ["labelSelector=all,name!=b", ["a", "c"]],
  ["fieldSelector=metadata.name%3Db", ["b"]],
  ["fieldSelector=metadata.name!%3Db", ["a", "c"]],
  ["fieldSelector=metadata.name%3Db&labelSelector=name%3Da", []],
  ["fieldSelector=metadata.namespace%3Dother", []],
])("selects by %s", async (query, names) => {
  const server = await startTestServer();
  await withMaps(server, "a", "b", "c");
  expect(namesIn((await server.call("GET", `/api/v1/configmaps?${query}`)).body)).toEqual(names);
});

it("refuses selectors it cannot serve", async () => {
  const server = await startTestServer();
  const refusal = async (query: string) => (await server.call("GET", `${MAPS}?${query}`)).body;
  expect(await refusal("fieldSelector=spec.foo%3Da")).toMatchObject({
    code: 400,
    message: expect.stringContaining("field label not supported: spec.foo"),
  });
  expect(await refusal("labelSelector=a%3D%3D%3Db")).toMatchObject({ code: 400 });
});

it("selects pods and events by the fields clients use", async () => {
  const server = await startTestServer();
  const pods = "/api/v1/namespaces/default/pods";
  const spec = { containers: [{ name: "c", image: "i" }] };
  await server.make(pods, { metadata: { name: "p" }, spec: { ...spec, nodeName: "n" } });
  await server.make(pods, { metadata: { name: "q" }, spec });
  expect(
    namesIn((await server.call("GET", `${pods}?fieldSelector=spec.nodeName%3Dn,status.phase!%3DFailed`)).body),
  ).toEqual(["p"]);
  const events = "/api/v1/namespaces/default/events";
  await server.make(events, {
    metadata: { name: "e.1" },
    involvedObject: { kind: "Pod", namespace: "default", name: "p", uid: "u" },
    reason: "Started",
    type: "Normal",
    message: "hello",
  });
  const query = "fieldSelector=involvedObject.uid%3Du,involvedObject.name%3Dp,reason%3DStarted,type%3DNormal";
  expect(namesIn((await server.call("GET", `${events}?${query}`)).body)).toEqual(["e.1"]);
});

it("shows events in both groups", async () => {
  const server = await startTestServer();
  await server.make("/apis/events.k8s.io/v1/namespaces/default/events", {
    metadata: { name: "e" },
    regarding: { kind: "Pod", namespace: "default", name: "p" },
    eventTime: "2030-01-01T00:00:00.000000Z",
    note: "hello",
    reason: "Started",
    type: "Normal",
    reportingController: "c",
    reportingInstance: "i",
    action: "a",
  });
  const core = (await server.call("GET", "/api/v1/namespaces/default/events/e")).body;
  expect(core).toMatchObject({
    apiVersion: "v1",
    message: "hello",
    involvedObject: { name: "p" },
    reportingComponent: "c",
  });
  const other = (await server.call("GET", "/apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Dp")).body;
  expect(other).toMatchObject({ items: [{ apiVersion: "events.k8s.io/v1", note: "hello", regarding: { name: "p" } }] });
});

it("takes versions as Kubernetes does", async () => {
  const server = await startTestServer();
  await withMaps(server, "a");
  const current = Number(metadata((await server.call("GET", MAPS)).body).resourceVersion);
  const answer = (query: string) => server.call("GET", `${MAPS}?${query}`);
  expect((await answer("resourceVersion=0")).status).toBe(200);
  expect((await answer(`resourceVersion=${current}&resourceVersionMatch=Exact`)).status).toBe(200);
  expect((await answer(`resourceVersion=${current - 1}&resourceVersionMatch=Exact`)).status).toBe(410);
  const ahead = await answer(`resourceVersion=${current + 100}`);
  expect([ahead.status, ahead.body.details]).toEqual([
    504,
    { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }], retryAfterSeconds: 1 },
  ]);
  expect((await answer("resourceVersionMatch=Exact")).status).toBe(422);
  expect((await answer("resourceVersion=abc")).status).toBe(400);
  expect((await answer("limit=-1")).status).toBe(400);
});

it("writes lists from the objects' own text, and Tables where they are asked for", async () => {
  const server = await startTestServer();
  await serveWidgets(server);
  await server.make(WIDGETS, widget("a", { size: 3 }));
  const response = await server.respond("GET", WIDGETS);
  const text = response.type === "json" ? Buffer.concat([...(response.parts?.() ?? [])]).toString() : "";
  expect(JSON.parse(text)).toEqual(response.type === "json" && response.value);

  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  const table = (await server.call("GET", WIDGETS, undefined, { headers: { accept } })).body;
  expect(table).toMatchObject({
    kind: "Table",
    columnDefinitions: [{ name: "Name" }, { name: "Size" }],
    rows: [{ cells: ["a", 3], object: { kind: "PartialObjectMetadata", metadata: { name: "a" } } }],
  });
  const whole = await server.call("GET", `${WIDGETS}?includeObject=Object`, undefined, { headers: { accept } });
  expect(whole.body).toMatchObject({ rows: [{ object: { kind: "Widget" } }] });
  const partial = await server.call("GET", WIDGETS, undefined, {
    headers: { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" },
  });
  expect(partial.body).toMatchObject({ kind: "PartialObjectMetadataList", items: [{ kind: "PartialObjectMetadata" }] });
  expect((await server.call("GET", WIDGETS, undefined, { headers: { accept: "text/html" } })).status).toBe(406);
});
