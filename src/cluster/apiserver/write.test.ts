import { describe, expect, it } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { type Answer, startTestServer } from "./testing/test-server.ts";
import { serveWidgets, WIDGETS, widget } from "./testing/widgets.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const metaOf = (answer: Answer | JsonObject): JsonObject =>
  (("status" in answer && "headers" in answer ? (answer as Answer).body : answer) as { metadata: JsonObject }).metadata;
const refusalOf = ({ status, body }: Answer) => ({ status, reason: body.reason, message: body.message });

async function widgetServer() {
  const server = await startTestServer();
  await serveWidgets(server);
  return server;
}

describe("creation", () => {
  it("gives an identity, and takes none from the client", async () => {
    const server = await widgetServer();
    const made = await server.make(WIDGETS, {
      ...widget("a"),
      metadata: {
        name: "a",
        uid: "mine",
        generation: 7,
        creationTimestamp: "2001-01-01T00:00:00Z",
        deletionTimestamp: "2001-01-01T00:00:00Z",
        managedFields: [{ manager: "x" }],
      },
      status: { replicas: 3 },
    });
    expect(metaOf(made)).toEqual({
      name: "a",
      namespace: "default",
      uid: expect.not.stringMatching("mine"),
      generation: 1,
      creationTimestamp: "2030-01-01T00:00:00Z",
      resourceVersion: expect.stringMatching(/^\d+$/),
    });
    expect(made.status).toBeUndefined();
    expect(made.spec).toEqual({ size: 1, color: "red" });
  });

  it("draws a name from generateName, again when it is taken", async () => {
    let draws = 0;
    const server = await startTestServer({ random: () => (draws++ < 10 ? 0 : 0.5) });
    const first = await server.make(MAPS, { metadata: { generateName: "m-" } });
    const second = await server.make(MAPS, { metadata: { generateName: "m-" } });
    expect(metaOf(first).name).toBe("m-bbbbb");
    expect(metaOf(second).name).toMatch(/^m-[^b]{5}$/);
    expect(metaOf(second).generateName).toBe("m-");
  });

  it("refuses a name that is taken", async () => {
    const server = await widgetServer();
    await server.make(WIDGETS, widget("a"));
    expect(refusalOf(await server.call("POST", WIDGETS, widget("a")))).toEqual({
      status: 409,
      reason: "AlreadyExists",
      message: 'widgets.example.dev "a" already exists',
    });
  });

  it.each([
    [
      widget("Bad_Name"),
      422,
      /^Widget.example.dev "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain/,
    ],
    [{ ...widget("a"), metadata: {} }, 422, /metadata.name: Required value: name or generateName is required/],
    [
      widget("a", { size: 0 }),
      422,
      /spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1/,
    ],
    [widget("a", {}), 422, /spec.size: Required value/],
    [widget("a", { size: 1 }, { namespace: "other" }), 400, /the namespace of the provided object does not match/],
    [
      widget("a", { size: 1 }, { resourceVersion: "5" }),
      400,
      /resourceVersion should not be set on objects to be created/,
    ],
    [
      widget("a", { size: 1 }, { labels: { x: 5 } }),
      400,
      /metadata.labels must be an object whose members are strings/,
    ],
    [widget("a", { size: 1 }, { labels: { "a b": "c" } }), 422, /metadata.labels: Invalid value: "a b"/],
    [{ ...widget("a"), kind: "Pod" }, 400, /Pod in version "v1" cannot be handled as a Widget/],
    [
      { ...widget("a"), apiVersion: "v2" },
      400,
      /the API version in the data \(v2\) does not match the expected API version \(example.dev\/v1\)/,
    ],
    [[1], 400, /the body must be an object/],
    [undefined, 400, /the request needs an object as its body/],
  ])("refuses %j", async (body, status, message) => {
    const server = await widgetServer();
    const answer = await server.call("POST", WIDGETS, body as JsonObject);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ kind: "Status", status: "Failure", message: expect.stringMatching(message) });
    expect((await server.call("GET", WIDGETS)).body.items).toEqual([]);
  });

  it("answers unknown fields as fieldValidation says", async () => {
    const server = await widgetServer();
    const body = { ...widget("a", { size: 1, foo: 1 }) };
    expect(refusalOf(await server.call("POST", `${WIDGETS}?fieldValidation=Strict`, body))).toEqual({
      status: 400,
      reason: "BadRequest",
      message: 'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.foo"',
    });
    const warned = await server.call("POST", WIDGETS, body);
    expect(warned.headers.warning).toBe('299 - "unknown field \\"spec.foo\\""');
    expect(warned.body.spec).toEqual({ size: 1, color: "red" });
    const ignored = await server.call("POST", `${WIDGETS}?fieldValidation=Ignore`, widget("b", { size: 1, foo: 1 }));
    expect([ignored.status, ignored.headers]).toEqual([201, {}]);
    expect((await server.call("POST", `${WIDGETS}?fieldValidation=Maybe`, body)).status).toBe(422);
  });

  it("refuses members that JSON text names twice, under Strict", async () => {
    const server = await widgetServer();
    const text = '{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"size":2}}';
    const answer = await server.call("POST", `${WIDGETS}?fieldValidation=Strict`, new TextEncoder().encode(text));
    expect(answer.body.message).toMatch(/strict decoding error: duplicate field "spec.size"$/);
  });

  it("refuses sources of variables that name nothing, or two things", async () => {
    const server = await startTestServer();
    const causes = async (envFrom: JsonObject[]) => {
      const { body } = await server.call("POST", "/api/v1/namespaces/default/pods", {
        metadata: { name: "p" },
        spec: { containers: [{ name: "c", image: "i", envFrom }] },
      });
      const { causes = [] } = (body.details ?? {}) as { causes?: { field: string; message: string }[] };
      return causes.map(({ field, message }) => `${field.replace("spec.containers[0].", "")}: ${message}`);
    };
    const ref = { name: "settings" };
    expect(await causes([{}, { configMapRef: ref, secretRef: ref }, { configMapRef: {} }])).toEqual([
      'envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
      'envFrom: Invalid value: "": may not have more than one field specified at a time',
      "envFrom[2].configMapRef.name: Required value",
    ]);
    expect((await causes([{ prefix: "1", secretRef: ref }]))[0]).toMatch(
      /^envFrom\[0\]\.prefix: Invalid value: "1": a valid environment variable name/,
    );
    expect(await causes([{ prefix: "A_", secretRef: ref }])).toEqual([]);
  });

  it("takes empty members of metadata for none", async () => {
    const server = await startTestServer();
    const made = await server.make(MAPS, {
      metadata: { name: "m", generateName: "", labels: {}, annotations: null, finalizers: [], ownerReferences: [] },
    });
    expect(Object.keys(metaOf(made)).toSorted()).toEqual([
      "creationTimestamp",
      "name",
      "namespace",
      "resourceVersion",
      "uid",
    ]);
    const same = await server.patch(`${MAPS}/m`, "merge", { metadata: { annotations: {} } });
    expect(metaOf(same).resourceVersion).toBe(metaOf(made).resourceVersion);
  });

  it("changes nothing in a dry run", async () => {
    const server = await widgetServer();
    const answer = await server.call("POST", `${WIDGETS}?dryRun=All`, widget("a"));
    expect(answer.status).toBe(201);
    expect(answer.body.spec).toEqual({ size: 1, color: "red" });
    expect((await server.call("GET", `${WIDGETS}/a`)).status).toBe(404);
    expect((await server.call("POST", `${WIDGETS}?dryRun=Some`, widget("a"))).status).toBe(422);
  });

  it("keeps 64-bit integers exact", async () => {
    const server = await widgetServer();
    const text = JSON.stringify(widget("a", { size: 1, big: 0 })).replace('"big":0', '"big":9223372036854775807');
    const made = await server.call("POST", WIDGETS, new TextEncoder().encode(text));
    expect((made.body.spec as JsonObject).big).toBe(9223372036854775807n);
    const response = await server.respond("GET", `${WIDGETS}/a`);
    const encoded = response.type === "json" ? response.encoded?.() : undefined;
    expect(new TextDecoder().decode(encoded)).toContain('"big":9223372036854775807');
  });
});

describe("replacement", () => {
  it("counts changes outside metadata and status as generations", async () => {
    const server = await widgetServer();
    const made = await server.make(WIDGETS, widget("a"));
    const labelled = await server.patch(`${WIDGETS}/a`, "merge", { metadata: { labels: { a: "b" } } });
    expect(metaOf(labelled).generation).toBe(1);
    const changed = await server.patch(`${WIDGETS}/a`, "merge", { spec: { size: 2 } });
    expect(metaOf(changed).generation).toBe(2);
    const status = await server.patch(`${WIDGETS}/a/status`, "merge", { status: { replicas: 2 } });
    expect(metaOf(status).generation).toBe(2);
    expect(metaOf(status).uid).toBe(metaOf(made).uid);
  });

  it("keeps the version when nothing changes", async () => {
    const server = await widgetServer();
    const made = await server.make(WIDGETS, widget("a"));
    const same = await server.call("PUT", `${WIDGETS}/a`, made);
    expect(same.status).toBe(200);
    expect(same.body).toEqual(made);
    expect(metaOf(await server.patch(`${WIDGETS}/a`, "merge", { spec: { size: 1 } })).resourceVersion).toBe(
      metaOf(made).resourceVersion,
    );
  });

  it("refuses a version that is not the newest, and an omitted one for custom resources", async () => {
    const server = await widgetServer();
    const made = await server.make(WIDGETS, widget("a"));
    await server.patch(`${WIDGETS}/a`, "merge", { spec: { size: 2 } });
    expect(refusalOf(await server.call("PUT", `${WIDGETS}/a`, made))).toEqual({
      status: 409,
      reason: "Conflict",
      message:
        'Operation cannot be fulfilled on widgets.example.dev "a": the object has been modified; please apply your changes to the latest version and try again',
    });
    expect((await server.call("PUT", `${WIDGETS}/a`, widget("a"))).body.message).toBe(
      'widgets.example.dev "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
    await server.make(MAPS, { metadata: { name: "m" } });
    expect((await server.call("PUT", `${MAPS}/m`, { metadata: { name: "m" }, data: { a: "b" } })).status).toBe(200);
  });

  it("lets nobody change an identity", async () => {
    const server = await widgetServer();
    const made = await server.make(WIDGETS, widget("a"));
    const put = (metadata: JsonObject) =>
      server.call("PUT", `${WIDGETS}/a`, { ...made, metadata: { ...metaOf(made), ...metadata } });
    expect((await put({ uid: "other" })).body.message).toMatch(
      /Precondition failed: UID in precondition: other, UID in object meta: /,
    );
    expect((await put({ creationTimestamp: "2001-01-01T00:00:00Z" })).body.message).toMatch(
      /metadata.creationTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable/,
    );
    expect((await put({ deletionTimestamp: "2001-01-01T00:00:00Z" })).status).toBe(422);
    expect((await put({ name: "b" })).body.message).toBe(
      "the name of the object (b) does not match the name on the URL (a)",
    );
    expect((await server.call("PUT", `${WIDGETS}/absent`, widget("absent"))).status).toBe(404);
  });

  it("separates the object from its status", async () => {
    const server = await widgetServer();
    const made = await server.make(WIDGETS, widget("a"));
    const main = await server.call("PUT", `${WIDGETS}/a`, { ...made, spec: { size: 2 }, status: { replicas: 9 } });
    expect(main.body.status).toBeUndefined();
    const status = await server.call("PUT", `${WIDGETS}/a/status`, {
      ...main.body,
      metadata: { ...metaOf(main), labels: { x: "y" } },
      spec: { size: 99 },
      status: { replicas: 4 },
    });
    expect([status.body.spec, status.body.status, metaOf(status).labels]).toEqual([
      { size: 2, color: "red" },
      { replicas: 4 },
      undefined,
    ]);
  });

  it("applies concurrent patches one after another, losing none", async () => {
    const server = await widgetServer();
    await server.make(WIDGETS, widget("a"));
    const patches = Array.from({ length: 20 }, (_, each) =>
      server.patch(`${WIDGETS}/a`, "merge", { metadata: { labels: { [`l${each}`]: "x" } } }),
    );
    expect((await Promise.all(patches)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(Object.keys(metaOf(await server.call("GET", `${WIDGETS}/a`)).labels as JsonObject)).toHaveLength(20);
  });
});

it("a store that cannot be written refuses with its reason, and goes on to be read", async () => {
  let isFull = false;
  const beforeCommit = () => (isFull ? Promise.reject(new Error("full")) : undefined);
  const server = await startTestServer({ faults: { beforeCommit } });
  const path = "/api/v1/namespaces/default/configmaps";
  const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  expect((await server.call("POST", path, configMap("a"))).status).toBe(201);
  isFull = true;
  const { status, body } = await server.call("POST", path, configMap("b"));
  expect({ status, message: body.message }).toEqual({
    status: 500,
    message: "an error on the server has prevented the request from succeeding: the store refused a write",
  });
  expect((await server.call("GET", `${path}/a`)).status).toBe(200);
  isFull = false;
  expect((await server.call("POST", path, configMap("b"))).status).toBe(201);
});
