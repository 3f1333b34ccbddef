/** Replacing, patching, versions, generations, dry runs, unknown fields, deleting: alike on both servers. */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { agree } from "./agreement/agree.ts";
import { AGONES, fleet, gameServer } from "./agreement/objects.ts";

const FLEETS = `${AGONES}/fleets`;
const FLEET = `${FLEETS}/duel`;
const SERVER = `${AGONES}/gameservers/duel`;
const FAILED_OPERATION = "why a JSON patch does not apply";

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
  await api.differing(FAILED_OPERATION, async () => {
    await api.patch(FLEET, "json", [{ op: "test", path: "/spec/replicas", value: 9 }]);
    await api.patch(FLEET, "json", [{ op: "remove", path: "/spec/nothing" }]);
    await api.patch(FLEET, "json", [{ op: "replace", path: "/spec/nothing/at", value: 1 }]);
    await api.patch(FLEET, "json", [{ op: "add", path: "/spec/template/spec/ports/7", value: {} }]);
    await api.patch(FLEET, "json", [{ op: "twist", path: "/spec" }]);
  });
  await api.loosely(async () => {
    await api.patch(FLEET, "json", [{ op: "test", path: "/spec/replicas", value: 9 }]);
    await api.patch(FLEET, "json", [{ op: "remove", path: "/spec/nothing" }]);
    await api.patch(FLEET, "json", [{ op: "twist", path: "/spec" }]);
    await api.patch(FLEET, "json", { op: "add" });
    await api.patch(FLEET, "json", [5]);
  });
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

agree("replacements without a name", async (api) => {
  await api.create(fleet());
  const nameless = { ...fleet(), metadata: {} };
  for (const path of [FLEET, `${FLEET}/status`, `${FLEETS}/nobody`]) await api.call("PUT", path, nameless);
  const { metadata: _, ...headless } = fleet();
  await api.call("PUT", FLEET, headless);
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: {} };
  await api.call("PUT", "/api/v1/namespaces/{namespace}/configmaps/nobody", configMap);
});

agree("JSON patches that are guarded by a version", async (api) => {
  await api.create(gameServer());
  const { metadata } = await api.quietly("GET", SERVER);
  const guarded = (state: string): JsonValue => [
    { op: "test", path: "/metadata/resourceVersion", value: (metadata as JsonObject).resourceVersion ?? null },
    { op: "add", path: "/status/state", value: state },
  ];
  await api.patch(SERVER, "json", guarded("Ready"));
  await api.loosely(() => api.patch(SERVER, "json", guarded("Allocated")));
});

agree("merge patches", async (api) => {
  await api.create(fleet({ replicas: 2 }, { labels: { a: "b" }, annotations: { c: "d" } }));
  await api.patch(FLEET, "merge", { spec: { replicas: 3 }, metadata: { labels: { a: null, e: "f" } } });
  await api.patch(FLEET, "merge", { metadata: { labels: null, annotations: {} } });
  await api.patch(FLEET, "merge", {});
  await api.patch(FLEET, "merge", { spec: { replicas: null } });
  await api.patch(FLEET, "merge", { spec: { colour: "red" } });
  await api.patch(FLEET, "merge", { spec: null });
  await api.loosely(async () => {
    await api.patch(FLEET, "merge", [1]);
    await api.patch(FLEET, "merge", "text");
  });
  await api.patch(FLEET, "merge", { metadata: { name: "other" } });
  await api.patch(FLEET, "merge", { metadata: { resourceVersion: "1" } });
  await api.differing("a version or a kind that is none", async () => {
    await api.patch(FLEET, "merge", { metadata: { resourceVersion: "new" } });
    await api.patch(FLEET, "merge", { apiVersion: "v1" });
  });
  await api.patch(FLEET, "merge", { metadata: { finalizers: ["example.dev/hold"] } });
  await api.patch(FLEET, "merge", { metadata: { finalizers: ["not a name"] } });
  await api.patch(FLEET, "merge", { metadata: { labels: { mode: "a".repeat(64) } } });
  await api.patch(FLEET, "merge", { metadata: { ownerReferences: [{ kind: "Fleet" }] } });
  await api.patch(`${FLEETS}/ghost`, "merge", { spec: { replicas: 3 } });
});

agree("patches of kinds that are not taken", async (api) => {
  await api.create(fleet());
  await api.differing("server-side apply", async () => {
    await api.patch(FLEET, "strategic", { spec: { replicas: 3 } });
    await api.call("PATCH", FLEET, { spec: {} }, { contentType: "text/plain" });
    await api.patch(FLEET, "apply", { apiVersion: "agones.dev/v1", kind: "Fleet", spec: {} }, "?fieldManager=me");
  });
  await api.loosely(async () => {
    await api.patch(FLEET, "strategic", { spec: { replicas: 3 } });
    await api.call("PATCH", FLEET, { spec: {} }, { contentType: "text/plain" });
  });
});

agree("replacements", async (api) => {
  await api.create(fleet());
  const object = await api.quietly("GET", FLEET);
  const { resourceVersion: _, ...metadata } = object.metadata as JsonObject;
  const spec = (replicas: number): JsonObject => ({ ...(object.spec as JsonObject), replicas });
  await api.call("PUT", FLEET, { ...object, spec: spec(3) });
  await api.call("PUT", FLEET, { ...object, spec: spec(4) });
  await api.call("PUT", FLEET, { ...object, metadata });
  await api.differing("a version or a kind that is none", async () => {
    await api.call("PUT", FLEET, { ...object, metadata: { ...metadata, resourceVersion: "old" } });
  });
  await api.loosely(async () => {
    await api.call("PUT", FLEET, { ...object, metadata: { ...metadata, uid: "other" } });
    await api.call("PUT", FLEET, { ...object, apiVersion: "agones.dev/v2" });
    await api.call("PUT", FLEET, { metadata });
    await api.call("PUT", FLEET, {});
    await api.call("PUT", FLEET, "{");
    await api.call("PUT", FLEET, "");
    await api.call("PUT", FLEET, []);
  });
  await api.call("PUT", FLEET, { ...object, metadata: { ...metadata, name: "other" } });
  await api.call("PUT", FLEET, { ...object, metadata: { ...metadata, namespace: "other" } });
  await api.call("PUT", FLEET, { ...(await api.quietly("GET", FLEET)), kind: "GameServer" });
  await api.call("PUT", `${FLEETS}/ghost`, { ...object, metadata: { ...metadata, name: "ghost" } });
  await api.call("PUT", FLEETS, object);
});

agree("creations", async (api) => {
  const object = fleet();
  const named = (metadata: JsonValue): JsonObject => ({ ...object, metadata });
  await api.call("POST", FLEETS, object);
  await api.call("POST", FLEETS, object);
  await api.call("POST", FLEETS, named({ name: "x", namespace: "other" }));
  await api.call("POST", FLEETS, named({ name: "y", uid: "mine", generation: 7, creationTimestamp: null }));
  await api.call("POST", FLEETS, named({ name: "z", deletionTimestamp: "2030-01-01T00:00:00Z" }));
  await api.call("POST", FLEETS, { ...named({ name: "s" }), status: { replicas: 9 } });
  const { metadata: _, ...bare } = object;
  await api.call("POST", FLEETS, bare);
  await api.differing("a version or a kind that is none", async () => {
    await api.call("POST", FLEETS, { ...named({ name: "k" }), kind: "GameServer" });
    await api.call("POST", FLEETS, named({ name: "x", resourceVersion: "1" }));
    await api.call("POST", FLEET, named({ name: "x", resourceVersion: "1" }));
  });
  await api.loosely(async () => {
    for (const metadata of [
      { name: 5 },
      { name: "m", labels: { a: 5 } },
      { name: "m", creationTimestamp: "yesterday" },
      [],
    ])
      await api.call("POST", FLEETS, named(metadata));
    await api.call("POST", FLEETS, { kind: "Fleet" });
    await api.call("POST", FLEETS, { apiVersion: "agones.dev/v1" });
    await api.call("POST", FLEETS, { ...object, apiVersion: "agones.dev/v1alpha1" });
    for (const text of ["not json", "[]", "null", '"text"', "5", "", "{"]) await api.call("POST", FLEETS, text);
  });
  await api.call("POST", FLEETS, object, { contentType: "text/csv" });
  const yaml =
    "metadata: {name: yaml}\nkind: Fleet\napiVersion: agones.dev/v1\nspec: {template: {spec: {template: {spec: {containers: [{name: duel, image: 'duel:3'}]}}}}}\n";
  await api.call("POST", FLEETS, yaml, { contentType: "application/yaml" });
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

agree("dry runs", async (api) => {
  await api.create(fleet(), "?dryRun=All");
  await api.get(FLEET);
  await api.create(fleet());
  await api.patch(FLEET, "merge", { spec: { replicas: 9 } }, "?dryRun=All");
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
    await api.call("POST", `${FLEETS}${query}`, twice);
    await api.patch(FLEET, "merge", { spec: { colour: "red" } }, query);
    await api.patch(FLEET, "merge", '{"spec":{"replicas":1,"replicas":2}}', query);
    await api.patch(FLEET, "json", [{ op: "add", path: "/spec/colour", value: "red" }], query);
    await api.create(fleet({}, { name: "m", colour: "red" }), query);
  });
}

const options = (members: JsonObject): JsonObject => ({ kind: "DeleteOptions", apiVersion: "v1", ...members });

agree("deletions that wait for finalizers", async (api) => {
  await api.create(fleet({}, { finalizers: ["example.dev/hold"] }));
  await api.call("DELETE", FLEET);
  await api.get(FLEET);
  await api.call("DELETE", FLEET);
  await api.patch(FLEET, "merge", { metadata: { finalizers: ["example.dev/hold", "example.dev/more"] } });
  await api.patch(FLEET, "merge", { spec: { replicas: 5 } });
  await api.patch(FLEET, "merge", { metadata: { finalizers: null } });
  await api.get(FLEET);
});

agree("deletions with options", async (api) => {
  await api.create(fleet());
  await api.loosely(async () => {
    await api.call("DELETE", FLEET, options({ preconditions: { uid: "other" } }));
    await api.call("DELETE", FLEET, options({ preconditions: { resourceVersion: "1" } }));
  });
  await api.differing("a version or a kind that is none", async () => {
    await api.call("DELETE", FLEET, { kind: "Fleet", apiVersion: "agones.dev/v1" });
  });
  await api.call("DELETE", FLEET, options({ propagationPolicy: "Sideways" }));
  await api.call("DELETE", `${FLEET}?propagationPolicy=Foreground`);
  await api.get(FLEET);
  await api.patch(FLEET, "merge", { metadata: { finalizers: null } });
  await api.create(fleet());
  await api.call("DELETE", FLEET, options({ propagationPolicy: "Orphan" }));
  await api.get(FLEET);
  await api.patch(FLEET, "json", [{ op: "remove", path: "/metadata/finalizers" }]);
  await api.call("DELETE", `${FLEETS}/ghost`);
  await api.create(fleet());
  await api.call("DELETE", FLEET, options({ gracePeriodSeconds: 0 }));
});

agree("deletions of collections", async (api) => {
  await api.create(fleet({}, { name: "a", labels: { team: "red" } }));
  await api.create(fleet({}, { name: "b", labels: { team: "blue" } }));
  await api.call("DELETE", `${FLEETS}?labelSelector=team%3Dred`);
  await api.get(FLEETS);
  await api.call("DELETE", FLEETS);
  await api.get(FLEETS);
});
