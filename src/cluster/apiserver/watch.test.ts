import { expect, it } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const EVERYWHERE = "/api/v1/configmaps";

const make = (server: TestServer, name: string, labels: JsonObject = {}) =>
  server.make(MAPS, { metadata: { name, labels } });

async function versionOf(server: TestServer): Promise<string> {
  return String(((await server.call("GET", MAPS)).body.metadata as JsonObject).resourceVersion);
}

it("tells everything after the list's version, in order", async () => {
  const server = await startTestServer();
  await make(server, "before");
  const watch = await server.watch(`${EVERYWHERE}?watch=true&resourceVersion=${await versionOf(server)}`);
  await make(server, "a");
  await server.patch(`${MAPS}/a`, "merge", { data: { x: "1" } });
  await server.call("DELETE", `${MAPS}/a`);
  expect(await watch.take(3)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
});

it("begins with the present state when no version is given", async () => {
  const server = await startTestServer();
  await make(server, "a");
  const watch = await server.watch(`${MAPS}?watch=1`);
  await make(server, "b");
  expect(await watch.take(2)).toEqual(["ADDED a", "ADDED b"]);
});

it("marks the end of the initial state with a bookmark", async () => {
  const server = await startTestServer();
  await make(server, "a");
  const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const watch = await server.watch(`${MAPS}?${query}`);
  expect(await watch.take(1)).toEqual(["ADDED a"]);
  expect(await watch.next()).toEqual({
    type: "BOOKMARK",
    object: {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {
        resourceVersion: await versionOf(server),
        creationTimestamp: null,
        annotations: { "k8s.io/initial-events-end": "true" },
      },
    },
  });
  expect((await server.call("GET", `${MAPS}?watch=true&sendInitialEvents=true`)).status).toBe(422);
});

it("shows objects that move into and out of a selection as added and deleted", async () => {
  const server = await startTestServer();
  const watch = await server.watch(`${MAPS}?watch=true&labelSelector=a%3Db&resourceVersion=${await versionOf(server)}`);
  await make(server, "m");
  const label = (value: string | null) => server.patch(`${MAPS}/m`, "merge", { metadata: { labels: { a: value } } });
  await label("b");
  await server.patch(`${MAPS}/m`, "merge", { data: { x: "1" } });
  const left = await label("c");
  await label("b");
  await server.call("DELETE", `${MAPS}/m`);
  const events = [];
  for (let each = 0; each < 5; each++) events.push(await watch.next());
  expect(events.map((event) => event?.type)).toEqual(["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"]);
  expect(events[2]?.object.metadata).toMatchObject({
    labels: { a: "b" },
    resourceVersion: (left.body.metadata as JsonObject).resourceVersion,
  });
});

it("watches one object by its name", async () => {
  const server = await startTestServer();
  const watch = await server.watch(
    `${MAPS}?watch=true&fieldSelector=metadata.name%3Db&resourceVersion=${await versionOf(server)}`,
  );
  await make(server, "a");
  await make(server, "b");
  await server.call("DELETE", `${MAPS}/b`);
  expect(await watch.take(2)).toEqual(["ADDED b", "DELETED b"]);
});

it("answers a version that is too old with an ERROR event", async () => {
  const server = await startTestServer({ history: 5 });
  for (let each = 0; each < 10; each++) await make(server, `m${each}`);
  const watch = await server.watch(`${MAPS}?watch=true&resourceVersion=1`);
  expect(await watch.next()).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } });
  expect(await watch.next()).toBeUndefined();
});

it("ends a watch that falls too far behind with 410", async () => {
  const server = await startTestServer({ history: 5 });
  const watch = await server.watch(`${MAPS}?watch=true&resourceVersion=${await versionOf(server)}`);
  await make(server, "first");
  expect(await watch.take(1)).toEqual(["ADDED first"]);
  for (let each = 0; each < 10; each++) await make(server, `m${each}`);
  const rest = [];
  for (let event = await watch.next(); event; event = await watch.next()) rest.push(event);
  expect(rest.at(-1)).toMatchObject({ type: "ERROR", object: { code: 410 } });
});

it("ends after timeoutSeconds", async () => {
  const server = await startTestServer();
  const watch = await server.watch(`${MAPS}?watch=true&timeoutSeconds=5`);
  const ended = watch.next();
  await server.clock.advance(5_000);
  expect(await ended).toBeUndefined();
});

it("ends when the client goes away", async () => {
  const server = await startTestServer();
  const watch = await server.watch(`${MAPS}?watch=true`);
  const ended = watch.next();
  watch.stop();
  expect(await ended).toBeUndefined();
  expect(server.clock.pending).toBe((await startTestServer()).clock.pending);
});

it("moves a quiet watch forward by bookmarks, never past what it was told", async () => {
  const server = await startTestServer();
  const start = await versionOf(server);
  const watch = await server.watch(`${MAPS}?watch=true&allowWatchBookmarks=true&resourceVersion=${start}`);
  const bookmarks: unknown[] = [];
  const read = async () => {
    const event = await watch.next();
    expect(event?.type).toBe("BOOKMARK");
    bookmarks.push((event?.object.metadata as JsonObject | undefined)?.resourceVersion);
  };
  const first = read();
  await server.make("/api/v1/namespaces/default/secrets", { metadata: { name: "elsewhere" } });
  const now = await versionOf(server);
  await server.clock.advance(60_000);
  await first;
  const second = read();
  await server.clock.advance(60_000);
  await second;
  expect(bookmarks).toEqual([start, now]);
});

it("shares one frame among all watchers of a change", async () => {
  const server = await startTestServer();
  const watches = await Promise.all(
    [EVERYWHERE, MAPS].map((path) => server.watch(`${path}?watch=true&resourceVersion=0`)),
  );
  const made = await make(server, "a");
  const [first, second] = await Promise.all(watches.map((watch) => watch.nextFrame()));
  expect(second).toBe(first);
  expect(first?.encoded()).toBe(second?.encoded());
  expect(new TextDecoder().decode(first?.encoded())).toBe(`${JSON.stringify({ type: "ADDED", object: made })}\n`);
  expect(first?.event.object).toBe(server.objects.get("/configmaps", "default/a")?.object);
});

it("sends columns with the first Table only, and metadata alone when asked", async () => {
  const server = await startTestServer();
  const table = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };
  const watch = await server.watch(`${MAPS}?watch=true`, table);
  const partial = await server.watch(`${MAPS}?watch=true`, {
    headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" },
  });
  await make(server, "a");
  await make(server, "b");
  const [first, second] = [(await watch.next())?.object, (await watch.next())?.object];
  expect(first).toMatchObject({ kind: "Table", columnDefinitions: [{ name: "Name" }, {}, {}] });
  expect(second).toMatchObject({ kind: "Table", columnDefinitions: null, rows: [{ cells: ["b", 0, "0s"] }] });
  expect((await partial.next())?.object).toEqual({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: server.objects.get("/configmaps", "default/a")?.object.metadata,
  });
});
