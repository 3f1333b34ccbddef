/** Replacing, patching, subresources, versions, generations, dry runs, unknown fields: alike on both servers. */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { agree, type Session } from "./agreement/agree.ts";
import { AGONES, fleet, gameServer, gameServerSet } from "./agreement/objects.ts";

const FLEET = `${AGONES}/fleets/duel`;
const SERVER = `${AGONES}/gameservers/duel`;

async function stored(api: Session, path: string): Promise<JsonObject> {
  return (await api.server.call("GET", api.path(path))).body as JsonObject;
}
const versionOf = ({ metadata }: JsonObject): JsonValue => (metadata as JsonObject).resourceVersion ?? null;

agree("JSON patches", async (api) => {
  await api.create(fleet());
  await api.patch(FLEET, "json", [{ op: "replace", path: "/spec/replicas", value: 3 }]);
  await api.patch(FLEET, "json", [
    { op: "test", path: "/spec/replicas", value: 3 },
    { op: "add", path: "/metadata/labels", value: { a: "b" } },
    { op: "copy", from: "/metadata/labels/a", path: "/metadata/labels/c" },
    { op: "move", from: "/metadata/labels/c", path: "/metadata/labels/d" },
    { op: "remove", path: "/metadata/labels/a" },
  ]);
  await api.patch(FLEET, "json", [{ op: "test", path: "/spec/replicas", value: 9 }]);
  await api.patch(FLEET, "json", [{ op: "remove", path: "/spec/nothing" }]);
  await api.patch(FLEET, "json", [{ op: "replace", path: "/spec/nothing/at", value: 1 }]);
  await api.patch(FLEET, "json", [{ op: "add", path: "/spec/template/spec/ports/7", value: {} }]);
  await api.patch(FLEET, "json", [{ op: "twist", path: "/spec" }]);
  await api.patch(FLEET, "json", { op: "add" });
  await api.patch(FLEET, "json", []);
  await api.patch(FLEET, "json", [{ op: "replace", path: "/spec/replicas", value: -1 }]);
  await api.patch(FLEET, "json", [{ op: "replace", path: "/spec/colour", value: "red" }]);
  await api.patch(FLEET, "json", [{ op: "add", path: "/spec/colour", value: "red" }]);
  await api.patch(FLEET, "json", [{ op: "replace", path: "/metadata/name", value: "other" }]);
  await api.patch(FLEET, "json", [{ op: "replace", path: "/metadata/namespace", value: "other" }]);
  await api.patch(FLEET, "json", [{ op: "replace", path: "/metadata/uid", value: "other" }]);
  await api.patch(FLEET, "json", [{ op: "replace", path: "/metadata/generation", value: 99 }]);
  await api.patch(FLEET, "json", [{ op: "replace", path: "/kind", value: "GameServer" }]);
  await api.patch(FLEET, "json", [{ op: "replace", path: "", value: {} }]);
  await api.patch(FLEET, "json", [{ op: "add", path: "/status", value: { replicas: 9 } }]);
});

agree("JSON patches that are guarded by a version", async (api) => {
  await api.create(gameServer());
  const before = versionOf(await stored(api, SERVER));
  const guarded = (version: JsonValue, state: string): JsonValue => [
    { op: "test", path: "/metadata/resourceVersion", value: version },
    { op: "add", path: "/status/state", value: state },
  ];
  const first = await api.server.call("PATCH", api.path(SERVER), guarded(before, "Ready"), {
    contentType: "application/json-patch+json",
  });
  api.note(first.body);
  const { status, body } = await api.server.call("PATCH", api.path(SERVER), guarded(before, "Allocated"), {
    contentType: "application/json-patch+json",
  });
  api.note([status, (body as JsonObject).reason ?? null]);
  api.note(String((body as JsonObject).message).replaceAll(/\d+/g, "N"));
});

agree("merge patches", async (api) => {
  await api.create(fleet({ replicas: 2 }, { labels: { a: "b" }, annotations: { c: "d" } }));
  await api.patch(FLEET, "merge", { spec: { replicas: 3 }, metadata: { labels: { a: null, e: "f" } } });
  await api.patch(FLEET, "merge", { metadata: { labels: null, annotations: {} } });
  await api.patch(FLEET, "merge", {});
  await api.patch(FLEET, "merge", { spec: { replicas: null } });
  await api.patch(FLEET, "merge", { spec: { colour: "red" } });
  await api.patch(FLEET, "merge", { spec: null });
  await api.patch(FLEET, "merge", [1]);
  await api.patch(FLEET, "merge", "text");
  await api.patch(FLEET, "merge", { metadata: { name: "other" } });
  await api.patch(FLEET, "merge", { metadata: { resourceVersion: "1" } });
  await api.patch(FLEET, "merge", { metadata: { resourceVersion: "new" } });
  await api.patch(FLEET, "merge", { metadata: { finalizers: ["example.dev/hold"] } });
  await api.patch(FLEET, "merge", { metadata: { finalizers: ["not a name"] } });
  await api.patch(FLEET, "merge", { metadata: { labels: { mode: "a".repeat(64) } } });
  await api.patch(FLEET, "merge", { metadata: { ownerReferences: [{ kind: "Fleet" }] } });
  await api.patch(FLEET, "merge", { apiVersion: "v1" });
  await api.patch(`${AGONES}/fleets/ghost`, "merge", { spec: { replicas: 3 } });
});

agree("patches of kinds that are not taken", async (api) => {
  await api.create(fleet());
  await api.patch(FLEET, "strategic", { spec: { replicas: 3 } });
  await api.call("PATCH", FLEET, { spec: {} }, { contentType: "application/json" });
  await api.call("PATCH", FLEET, { spec: {} }, { contentType: "text/plain" });
});

agree("replacements", async (api) => {
  await api.create(fleet());
  const object = await stored(api, FLEET);
  const { resourceVersion: _, ...metadata } = object.metadata as JsonObject;
  await api.call("PUT", FLEET, { ...object, spec: { ...(object.spec as JsonObject), replicas: 3 } });
  await api.call("PUT", FLEET, { ...object, spec: { ...(object.spec as JsonObject), replicas: 4 } });
  await api.call("PUT", FLEET, { ...object, metadata });
  await api.call("PUT", FLEET, { ...object, metadata: { ...metadata, resourceVersion: "old" } });
  await api.call("PUT", FLEET, { ...object, metadata: { ...metadata, uid: "other" } });
  await api.call("PUT", FLEET, { ...object, metadata: { ...metadata, name: "other" } });
  await api.call("PUT", FLEET, { ...object, metadata: { ...metadata, namespace: "other" } });
  await api.call("PUT", FLEET, { ...object, kind: "GameServer" });
  await api.call("PUT", FLEET, { ...object, apiVersion: "agones.dev/v2" });
  await api.call("PUT", FLEET, { metadata });
  await api.call("PUT", FLEET, {});
  await api.call("PUT", FLEET, "{");
  await api.call("PUT", FLEET, "");
  await api.call("PUT", FLEET, []);
  await api.call("PUT", `${AGONES}/fleets/ghost`, { ...object, metadata: { ...metadata, name: "ghost" } });
  await api.call("PUT", `${AGONES}/fleets`, object);
  await api.call("POST", FLEET, object);
});

agree("creations", async (api) => {
  const object = fleet();
  const path = `${AGONES}/fleets`;
  await api.call("POST", path, object);
  await api.call("POST", path, object);
  await api.call("POST", path, { ...object, metadata: { name: "x", resourceVersion: "1" } });
  await api.call("POST", path, { ...object, metadata: { name: "x", namespace: "other" } });
  await api.call("POST", path, {
    ...object,
    metadata: { name: "y", uid: "mine", generation: 7, creationTimestamp: null },
  });
  await api.call("POST", path, { ...object, metadata: { name: "z", deletionTimestamp: "2030-01-01T00:00:00Z" } });
  await api.call("POST", path, { ...object, metadata: { name: "s" }, status: { replicas: 9 } });
  await api.call("POST", path, { ...object, metadata: { name: 5 } });
  await api.call("POST", path, { ...object, metadata: { name: "m", labels: { a: 5 } } });
  await api.call("POST", path, { ...object, metadata: { name: "m", creationTimestamp: "yesterday" } });
  await api.call("POST", path, { ...object, metadata: [] });
  await api.call("POST", path, { ...object, metadata: undefined as unknown as JsonValue });
  await api.call("POST", path, { kind: "Fleet" });
  await api.call("POST", path, { apiVersion: "agones.dev/v1" });
  await api.call("POST", path, { ...object, kind: "GameServer" });
  await api.call("POST", path, { ...object, apiVersion: "agones.dev/v1alpha1" });
  await api.call("POST", path, "not json");
  await api.call("POST", path, "[]");
  await api.call("POST", path, "null");
  await api.call("POST", path, '"text"');
  await api.call("POST", path, object, { contentType: "text/csv" });
  await api.call(
    "POST",
    path,
    "metadata: {name: yaml}\nkind: Fleet\napiVersion: agones.dev/v1\nspec: {template: {spec: {template: {spec: {containers: [{name: duel, image: 'duel:3'}]}}}}}\n",
    {
      contentType: "application/yaml",
    },
  );
  await api.call("POST", "/apis/agones.dev/v1/namespaces/nowhere/fleets", object);
  await api.call("POST", "/apis/agones.dev/v1/fleets", object);
});

agree("generations count changes of what is wanted", async (api) => {
  await api.create(fleet());
  await api.patch(FLEET, "merge", { metadata: { labels: { a: "b" } } });
  await api.patch(FLEET, "merge", { spec: { replicas: 5 } });
  await api.patch(`${FLEET}/status`, "merge", { status: { replicas: 5 } });
  await api.create(gameServer());
  await api.patch(SERVER, "merge", { metadata: { labels: { a: "b" } } });
  await api.patch(SERVER, "merge", { status: { state: "Ready" } });
  await api.patch(SERVER, "merge", { status: { state: "Ready" } });
});

agree("the status subresource", async (api) => {
  await api.create(fleet());
  await api.get(`${FLEET}/status`);
  await api.patch(`${FLEET}/status`, "merge", { status: { replicas: 3, readyReplicas: 2 }, spec: { replicas: 9 } });
  await api.patch(`${FLEET}/status`, "merge", { metadata: { labels: { a: "b" }, annotations: { c: "d" } } });
  await api.patch(`${FLEET}/status`, "merge", { status: { replicas: "many" } });
  await api.patch(`${FLEET}/status`, "merge", { status: { colour: "red" } });
  await api.patch(`${FLEET}/status`, "merge", { status: { counters: { rounds: { count: 9223372036854775807n } } } });
  await api.patch(FLEET, "merge", { status: { replicas: 9 }, spec: { replicas: 1 } });
  const object = await stored(api, FLEET);
  await api.call("PUT", `${FLEET}/status`, { ...object, status: { replicas: 1 } });
  await api.call("PUT", `${FLEET}/status`, object);
  await api.create(gameServer());
  await api.get(`${SERVER}/status`);
  await api.patch(`${SERVER}/status`, "merge", { status: { state: "Ready" } });
  await api.get(`${FLEET}/colour`);
});

agree("the scale subresource", async (api) => {
  await api.create(fleet({ replicas: 2 }));
  await api.get(`${FLEET}/scale`);
  await api.patch(`${FLEET}/scale`, "merge", { spec: { replicas: 7 } });
  await api.patch(`${FLEET}/scale`, "merge", { spec: { replicas: -1 } });
  await api.patch(`${FLEET}/scale`, "merge", { spec: { replicas: "many" } });
  await api.patch(`${FLEET}/scale`, "json", [{ op: "replace", path: "/spec/replicas", value: 4 }]);
  const scale = await stored(api, `${FLEET}/scale`);
  await api.call("PUT", `${FLEET}/scale`, { ...scale, spec: { replicas: 5 } });
  await api.call("PUT", `${FLEET}/scale`, { ...scale, spec: { replicas: 6 } });
  await api.call("PUT", `${FLEET}/scale`, {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "duel" },
    spec: {},
  });
  await api.call("PUT", `${FLEET}/scale`, { apiVersion: "autoscaling/v1", kind: "Fleet", metadata: { name: "duel" } });
  await api.get(FLEET);
  await api.create(gameServer());
  await api.get(`${SERVER}/scale`);
  await api.patch(`${SERVER}/scale`, "merge", { spec: { replicas: 2 } });
  await api.create(gameServerSet());
  await api.patch(`${AGONES}/gameserversets/duel/scale`, "merge", { spec: { replicas: 3 } });
  await api.get(`${AGONES}/gameserversets/ghost/scale`);
});

agree("dry runs", async (api) => {
  await api.create(fleet(), "?dryRun=All");
  await api.get(FLEET);
  await api.create(fleet());
  await api.call(
    "PATCH",
    `${FLEET}?dryRun=All`,
    { spec: { replicas: 9 } },
    { contentType: "application/merge-patch+json" },
  );
  await api.get(FLEET);
  await api.call("DELETE", `${FLEET}?dryRun=All`);
  await api.get(FLEET);
  await api.create(fleet({ replicas: -1 }), "?dryRun=All");
  await api.create(fleet(), "?dryRun=Some");
  await api.create(fleet(), "?dryRun=All&dryRun=All");
});

const strange = { ...fleet({ colour: "red", replicas: 1 }), sort: "odd" };
const twice = `{"apiVersion":"agones.dev/v1","kind":"Fleet","metadata":{"name":"twice","name":"duel"},"spec":{"replicas":1,"replicas":2,"template":{"spec":{"template":{"spec":{"containers":[{"name":"duel","image":"a","image":"b"}]}}}}}}`;
for (const validation of ["Strict", "Warn", "Ignore", "", "Loud"]) {
  agree(`unknown and repeated fields with fieldValidation=${validation}`, async (api) => {
    const query = `?fieldValidation=${validation}`;
    await api.create(strange, query);
    await api.call("POST", `${AGONES}/fleets${query}`, twice);
    await api.call(
      "PATCH",
      `${FLEET}${query}`,
      { spec: { colour: "red" } },
      { contentType: "application/merge-patch+json" },
    );
    await api.call("PATCH", `${FLEET}${query}`, '{"spec":{"replicas":1,"replicas":2}}', {
      contentType: "application/merge-patch+json",
    });
    await api.call("PATCH", `${FLEET}${query}`, [{ op: "add", path: "/spec/colour", value: "red" }], {
      contentType: "application/json-patch+json",
    });
    await api.call("POST", `${AGONES}/fleets${query}`, fleet({}, { name: "m", colour: "red" }));
  });
}

agree("deletions", async (api) => {
  await api.create(fleet({}, { finalizers: ["example.dev/hold"] }));
  await api.call("DELETE", FLEET);
  await api.get(FLEET);
  await api.call("DELETE", FLEET);
  await api.patch(FLEET, "merge", { metadata: { finalizers: ["example.dev/hold", "example.dev/more"] } });
  await api.patch(FLEET, "merge", { spec: { replicas: 5 } });
  await api.patch(FLEET, "merge", { metadata: { finalizers: null } });
  await api.get(FLEET);
  await api.create(fleet());
  await api.call("DELETE", FLEET, { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "other" } });
  await api.call("DELETE", FLEET, { kind: "DeleteOptions", apiVersion: "v1", preconditions: { resourceVersion: "1" } });
  await api.call("DELETE", FLEET, { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Sideways" });
  await api.call("DELETE", FLEET, { kind: "Fleet", apiVersion: "agones.dev/v1" });
  await api.call("DELETE", `${FLEET}?propagationPolicy=Foreground`);
  await api.get(FLEET);
  await api.patch(FLEET, "merge", { metadata: { finalizers: null } });
  await api.create(fleet());
  await api.call("DELETE", FLEET, { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Orphan" });
  await api.get(FLEET);
  await api.patch(FLEET, "json", [{ op: "remove", path: "/metadata/finalizers" }]);
  await api.call("DELETE", `${AGONES}/fleets/ghost`);
  await api.create(fleet({}, { name: "a", labels: { team: "red" } }));
  await api.create(fleet({}, { name: "b", labels: { team: "blue" } }));
  await api.call("DELETE", `${AGONES}/fleets?labelSelector=team%3Dred`);
  await api.get(`${AGONES}/fleets`);
  await api.call("DELETE", `${AGONES}/fleets`);
});
