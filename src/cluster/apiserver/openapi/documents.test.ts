import { expect, test } from "vitest";
import type { ApiGroup } from "#api/meta/admission.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "#api/meta/json.ts";
import { ROOT_DESCRIPTIONS, TYPE_META } from "#api/meta/root-members.ts";
import { customResource } from "../crd/custom-resources.ts";
import type { ResourceDefinition } from "../resource-definition.ts";
import { builtinSchema } from "../schema/builtin.ts";
import { type OpenApiDocument, openApiDocuments } from "./documents.ts";

const pods: ResourceDefinition = {
  group: "",
  version: "v1",
  kind: "Pod",
  listKind: "PodList",
  plural: "pods",
  singular: "pod",
  shortNames: [],
  categories: [],
  namespaced: true,
  schema: builtinSchema("io.k8s.api.core.v1.Pod"),
  columns: [],
  subresources: { status: true },
  custom: false,
};

const things = (spec: JsonObject, scope = "Namespaced") =>
  customResource({
    spec: {
      group: "example.com",
      scope,
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
          },
        },
      ],
    },
  });

const read = (document: OpenApiDocument | undefined) =>
  parseJson(new TextDecoder().decode(document?.bytes)) as unknown as {
    readonly paths: { readonly [path: string]: { readonly [verb: string]: JsonObject } };
    readonly components: { readonly schemas: JsonObject };
  };

function* referencesIn(value: JsonValue | undefined): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* referencesIn(item);
  if (!isJsonObject(value)) return;
  if (typeof value.$ref === "string") yield value.$ref;
  for (const member of Object.values(value)) yield* referencesIn(member);
}

test("there is one document for each group and version, the groups served by handlers included", () => {
  const extra = { group: "allocation.agones.dev", version: "v1", openApi: () => ({ openapi: "3.0.0" }) };
  const documents = openApiDocuments([pods, ...things({ type: "object" })], [extra as unknown as ApiGroup]);
  expect([...documents.keys()]).toEqual(["api/v1", "apis/example.com/v1", "apis/allocation.agones.dev/v1"]);
  expect(read(documents.get("apis/allocation.agones.dev/v1"))).toEqual({ openapi: "3.0.0" });
});

test("every reference in a document leads to a schema in it, and each built-in is described once", () => {
  const { components, paths } = read(openApiDocuments([pods], []).get("api/v1"));
  const { schemas } = components;
  const missing = [...referencesIn({ components, paths } as unknown as JsonObject)].filter(
    (reference) => schemas[reference.replace("#/components/schemas/", "")] === undefined,
  );
  expect(missing).toEqual([]);
  expect(Object.keys(schemas)).toContain("io.k8s.api.core.v1.PodSpec");
  expect(Object.keys(schemas)).toContain("io.k8s.api.core.v1.PodList");
});

test("writes can be asked to check fields, and patches take the types their resource can merge", () => {
  const documents = openApiDocuments([pods, ...things({ type: "object" })], []);
  const operations = (path: string, at: string) => {
    const { get, ...rest } = read(documents.get(path)).paths[at] ?? {};
    expect(get?.["x-kubernetes-group-version-kind"]).toBeDefined();
    return rest as Record<string, { parameters: { name: string }[]; requestBody: { content: JsonObject } }>;
  };
  const pod = operations("api/v1", "/api/v1/namespaces/{namespace}/pods/{name}");
  const thing = operations("apis/example.com/v1", "/apis/example.com/v1/namespaces/{namespace}/things/{name}");
  for (const verb of ["patch", "put"]) {
    for (const resource of [pod, thing]) {
      expect(resource[verb]?.parameters.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["dryRun", "fieldManager", "fieldValidation"]),
      );
    }
  }
  const patches = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
  expect(Object.keys(thing.patch?.requestBody.content ?? {})).toEqual(patches);
  expect(Object.keys(pod.patch?.requestBody.content ?? {})).toEqual([
    ...patches,
    "application/strategic-merge-patch+json",
  ]);
});

test("paths follow the scope and the subresources", () => {
  const pathsOf = (resources: readonly ResourceDefinition[]) =>
    Object.keys(read([...openApiDocuments(resources, []).values()][0]).paths);
  expect(pathsOf(things({ type: "object" }, "Cluster"))).toEqual([
    "/apis/example.com/v1/things",
    "/apis/example.com/v1/things/{name}",
    "/apis/example.com/v1/things/{name}/status",
    "/apis/example.com/v1/things/{name}/scale",
  ]);
  expect(pathsOf([{ ...pods, subresources: { status: false } }])).toEqual([
    "/api/v1/pods",
    "/api/v1/namespaces/{namespace}/pods",
    "/api/v1/namespaces/{namespace}/pods/{name}",
  ]);
});

test("no two operations of a document have the same id", () => {
  const { paths } = read(openApiDocuments([pods], []).get("api/v1"));
  const ids = Object.values(paths).flatMap((verbs) =>
    Object.values(verbs).flatMap(({ operationId }) => operationId ?? []),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain("listCoreV1NamespacedPod");
});

test("a custom resource is published with what every object has", () => {
  const embedded = {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  };
  const spec = { type: "object", properties: { count: { type: "integer", default: 1 }, object: embedded } };
  const { components } = read(openApiDocuments(things(spec), []).get("apis/example.com/v1"));
  const thing = components.schemas["com.example.v1.Thing"];
  const meta = {
    ...TYPE_META,
    metadata: {
      allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
      description: ROOT_DESCRIPTIONS.metadata,
    },
  };
  expect(thing).toEqual({
    type: "object",
    properties: {
      ...meta,
      spec: { ...spec, properties: { count: spec.properties.count, object: { ...embedded, properties: meta } } },
    },
    "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v1", kind: "Thing" }],
  });
});

test("the hash changes with the schema, and only with it", () => {
  const hashOf = (spec: JsonObject) => openApiDocuments(things(spec), []).get("apis/example.com/v1")?.hash;
  expect(hashOf({ type: "object" })).toMatch(/^[0-9A-F]{64}$/);
  expect(hashOf({ type: "object" })).toBe(hashOf({ type: "object" }));
  expect(hashOf({ type: "string" })).not.toBe(hashOf({ type: "object" }));
});
