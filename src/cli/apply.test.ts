import { describe, expect, test } from "vitest";
import { type JsonObject, parseJson } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { startTestServer } from "#cluster/apiserver/testing/test-server.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { applyManifest, LAST_APPLIED, threeWayPatch } from "./apply.ts";

describe("the three-way patch", () => {
  test.each<[string, JsonObject, JsonObject, JsonObject, JsonObject]>([
    ["says nothing when all is as wanted", { a: 1 }, { a: 1 }, { a: 1, b: 2 }, {}],
    [
      "changes what differs, at any depth",
      {},
      { a: { b: { c: 2 } } },
      { a: { b: { c: 1, d: 1 } } },
      { a: { b: { c: 2 } } },
    ],
    [
      "takes away what only the last apply said",
      { a: { x: 1, y: 1 } },
      { a: { x: 1 } },
      { a: { x: 1, y: 1 } },
      { a: { y: null } },
    ],
    ["leaves what others set", { a: 1 }, {}, { b: 2 }, {}],
    ["does not take away twice", { a: 1 }, {}, {}, {}],
    ["replaces lists as a whole", {}, { a: [1, 2] }, { a: [1, 3] }, { a: [1, 2] }],
    ["replaces a value of another type", { a: 1 }, { a: { b: 1 } }, { a: 1 }, { a: { b: 1 } }],
    ["compares 64-bit integers with small ones", {}, { a: 1n, b: 2n }, { a: 1, b: 3 }, { b: 2n }],
    [
      "takes names of Object.prototype for names",
      { constructor: "x" },
      { toString: "y" },
      { constructor: "x" },
      { toString: "y", constructor: null },
    ],
  ])("%s", (_, last, wanted, stored, patch) => {
    expect(threeWayPatch(last, wanted, stored)).toEqual(patch);
  });
});

async function open() {
  const server = await startTestServer();
  const transport = inProcessTransport(server.handler, { username: "admin", groups: ["system:masters"] });
  const apply = (manifest: object, namespace = "default", options = {}) =>
    applyManifest(transport, { metadata: {}, ...manifest } as unknown as KubeObject, namespace, undefined, options);
  return { server, apply };
}
const configMap = (data: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", ...metadata },
  data,
});

describe("applying", () => {
  test("what is to be new is created, or refused where it is there already", async () => {
    const { apply } = await open();
    const create = (x: string) => apply(configMap({ x }), "default", { onlyNew: true });
    expect((await create("1")).outcome).toBe("created");
    await expect(create("2")).rejects.toMatchObject({ status: { reason: "AlreadyExists" } });
  });

  test("remembers what was applied, as kubectl does", async () => {
    const { apply } = await open();
    const { object, outcome } = await apply(configMap({ x: "1" }, { annotations: { mine: "1" } }));
    expect(outcome).toBe("created");
    const { annotations } = object.metadata as { annotations: Record<string, string> };
    expect(annotations.mine).toBe("1");
    const remembered = annotations[LAST_APPLIED] ?? "";
    expect(remembered.endsWith("}\n")).toBe(true);
    expect(parseJson(remembered)).toEqual(configMap({ x: "1" }, { annotations: { mine: "1" }, namespace: "default" }));
  });

  test("removes what the last apply said and this one does not, and keeps what others set", async () => {
    const { apply, server } = await open();
    await apply(configMap({ x: "1", y: "1" }, { labels: { old: "1" } }));
    await server.patch("/api/v1/namespaces/default/configmaps/a", "merge", { data: { z: "others" } });
    const { object, outcome } = await apply(configMap({ x: "2" }));
    expect(outcome).toBe("configured");
    expect(object.data).toEqual({ x: "2", z: "others" });
    expect((object.metadata as JsonObject).labels).toBeUndefined();
  });

  test("the same again changes nothing", async () => {
    const { apply } = await open();
    const first = await apply(configMap({ x: "1" }));
    const second = await apply(configMap({ x: "1" }));
    expect(second.outcome).toBe("unchanged");
    expect(second.object).toEqual(first.object);
  });

  test("an object that somebody created otherwise is taken over", async () => {
    const { apply, server } = await open();
    await server.make("/api/v1/namespaces/default/configmaps", configMap({ x: "1" }) as unknown as JsonObject);
    expect(await apply(configMap({ x: "1" }))).toMatchObject({ outcome: "configured", object: { data: { x: "1" } } });
  });

  test("what is remembered and cannot be read counts as nothing", async () => {
    const { apply, server } = await open();
    const broken = configMap({ x: "1" }, { annotations: { [LAST_APPLIED]: "{" } });
    await server.make("/api/v1/namespaces/default/configmaps", broken as unknown as JsonObject);
    expect((await apply(configMap({ y: "1" }))).object.data).toEqual({ x: "1", y: "1" });
  });

  test("the manifest's namespace wins over the command's; what has none gets none", async () => {
    const { apply, server } = await open();
    await server.make("/api/v1/namespaces", { metadata: { name: "other" } });
    expect((await apply(configMap({}), "other")).object.metadata).toMatchObject({ namespace: "other" });
    expect((await apply(configMap({}, { namespace: "default" }), "other")).object.metadata).toMatchObject({
      namespace: "default",
    });
    const namespace = await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "third" } });
    expect((namespace.object.metadata as JsonObject).namespace).toBeUndefined();
  });

  test("a manifest with a generated name makes a new object each time", async () => {
    const { apply } = await open();
    const manifest = { ...configMap({}), metadata: { generateName: "g-" } };
    const names = [await apply(manifest), await apply(manifest)].map(
      ({ object }) => (object.metadata as JsonObject).name,
    );
    expect(new Set(names).size).toBe(2);
  });

  test("an unknown field is refused, and nothing is there", async () => {
    const { apply, server } = await open();
    await expect(apply({ ...configMap({}), dat: {} })).rejects.toMatchObject({ code: "BadRequest" });
    expect((await server.call("GET", "/api/v1/namespaces/default/configmaps/a")).status).toBe(404);
  });

  test("a kind that the cluster does not know is refused by its name", async () => {
    const { apply } = await open();
    await expect(apply({ apiVersion: "agones.dev/v2", kind: "Fleet" })).rejects.toMatchObject({
      code: "Refused",
      message: "the cluster knows no Fleet of agones.dev/v2",
    });
  });
});
