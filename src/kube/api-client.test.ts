import { describe, expect, test } from "vitest";
import type { JsonValue } from "#api/meta/json.ts";
import type { KubeObject, WatchEvent } from "#api/meta/object.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { statusError } from "#api/meta/status.ts";
import { createClient } from "./api-client.ts";
import { listAll } from "./list-all.ts";
import type { Transport, TransportRequest } from "./transport.ts";

interface Thing extends KubeObject {
  readonly spec?: { readonly size: bigint };
}
const things: ResourceType<Thing> = {
  group: "example.dev",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
  decode: (json) => {
    const object = json as unknown as Thing;
    return object.spec ? { ...object, spec: { ...object.spec, size: BigInt(object.spec.size) } } : object;
  },
};
const thing = (name: string, more: object = {}): Thing => ({
  apiVersion: "example.dev/v1",
  kind: "Thing",
  metadata: { namespace: "ns", name },
  ...more,
});

/** Answers with what it is given, in turn, and keeps what it was asked. */
function scripted(answers: (JsonValue | Error)[], batches: readonly (readonly WatchEvent[])[] = []) {
  const asked: TransportRequest[] = [];
  const transport: Transport = {
    exchange: async (request) => {
      asked.push(request);
      const answer = answers.shift() ?? null;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    watch: async (request) => {
      asked.push(request);
      return (async function* () {
        yield* batches;
      })();
    },
    text: () => Promise.reject(new Error("not asked for")),
  };
  return { asked, client: createClient(transport) };
}
const json = (value: unknown) => value as JsonValue;

test("get asks for the object's path and decodes the answer", async () => {
  const { asked, client } = scripted([json(thing("a", { spec: { size: 5 } }))]);
  expect((await client.get(things, "ns", "a")).spec?.size).toBe(5n);
  expect(asked).toMatchObject([{ method: "GET", path: "/apis/example.dev/v1/namespaces/ns/things/a" }]);
});

test("list passes its options, keeps the version, and gives every item its kind", async () => {
  const item = { metadata: { name: "a" }, spec: { size: 1 } };
  const answer = { apiVersion: "example.dev/v1", kind: "ThingList", metadata: { resourceVersion: "7" }, items: [item] };
  const { asked, client } = scripted([answer]);
  const list = await client.list(things, { labelSelector: "a=b", limit: 10 });
  expect(list.metadata.resourceVersion).toBe("7");
  expect(list.items).toEqual([
    { apiVersion: "example.dev/v1", kind: "Thing", metadata: { name: "a" }, spec: { size: 1n } },
  ]);
  expect(asked).toMatchObject([
    { path: "/apis/example.dev/v1/things", query: { labelSelector: "a=b", limit: "10", continue: undefined } },
  ]);
});

test("writes go to the object's own path, updates of the status to its subresource", async () => {
  const stored = json(thing("a"));
  const { asked, client } = scripted([stored, stored, stored]);
  await client.create(things, thing("a"));
  await client.update(things, thing("a"));
  await client.updateStatus(things, thing("a"));
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /apis/example.dev/v1/namespaces/ns/things",
    "PUT /apis/example.dev/v1/namespaces/ns/things/a",
    "PUT /apis/example.dev/v1/namespaces/ns/things/a/status",
  ]);
});

test.each([
  ["json", { type: "json", operations: [] }, "application/json-patch+json", []],
  ["merge", { type: "merge", patch: { a: 1 } }, "application/merge-patch+json", { a: 1 }],
  ["strategic", { type: "strategic", patch: { a: 1 } }, "application/strategic-merge-patch+json", { a: 1 }],
] as const)("a %s patch has its content type", async (_name, patch, contentType, body) => {
  const { asked, client } = scripted([json(thing("a"))]);
  await client.patch(things, "ns", "a", patch, "status");
  expect(asked).toEqual([
    { method: "PATCH", path: "/apis/example.dev/v1/namespaces/ns/things/a/status", contentType, body },
  ]);
});

test("delete sends its options as a body, and none without", async () => {
  const { asked, client } = scripted([{}, {}]);
  await client.delete(things, "ns", "a");
  await client.delete(things, "ns", "a", { propagationPolicy: "Background", preconditions: { uid: "u" } });
  expect(asked[0]).not.toHaveProperty("body");
  expect(asked[1]?.body).toEqual({
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: "Background",
    preconditions: { uid: "u" },
  });
});

test("watch decodes events and throws the refusal of an ERROR event after the events before it", async () => {
  const gone = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "Expired", code: 410 };
  const { asked, client } = scripted(
    [],
    [
      [
        { type: "ADDED", object: { metadata: { name: "a" }, spec: { size: 2 } } },
        { type: "ERROR", object: gone },
      ],
    ],
  );
  const seen: unknown[] = [];
  const watch = await client.watch(things, { resourceVersion: "3", allowWatchBookmarks: true, timeoutSeconds: 60 });
  await expect(async () => {
    for await (const batch of watch) seen.push(...batch.map(({ object }) => object.spec?.size));
  }).rejects.toMatchObject({ code: "Expired" });
  expect(seen).toEqual([2n]);
  expect(asked[0]?.query).toMatchObject({
    watch: "true",
    resourceVersion: "3",
    allowWatchBookmarks: "true",
    timeoutSeconds: "60",
  });
});

describe("listAll", () => {
  const page = (names: readonly string[], next?: string) =>
    json({
      apiVersion: "example.dev/v1",
      kind: "ThingList",
      metadata: { resourceVersion: "7", ...(next && { continue: next }) },
      items: names.map((name) => thing(name)),
    });

  test("joins the pages under the version they share", async () => {
    const { asked, client } = scripted([page(["a", "b"], "t1"), page(["c"])]);
    const list = await listAll(client, things, { limit: 2 });
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
    expect(list.metadata).toEqual({ resourceVersion: "7" });
    expect(asked.map(({ query }) => query?.continue)).toEqual([undefined, "t1"]);
  });

  test("reads in one piece when the version is forgotten half-way", async () => {
    const { asked, client } = scripted([page(["a"], "t1"), statusError("Expired", "too old"), page(["a", "b"])]);
    const list = await listAll(client, things, { limit: 1 });
    expect(list.items).toHaveLength(2);
    expect(asked.map(({ query }) => query?.limit)).toEqual(["1", "1", undefined]);
  });

  test("fails with any other refusal", async () => {
    const { client } = scripted([page(["a"], "t1"), statusError("Forbidden", "no")]);
    await expect(listAll(client, things)).rejects.toMatchObject({ code: "Forbidden" });
  });
});
