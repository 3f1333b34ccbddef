import { describe, expect, test } from "vitest";
import { kubernetesSchemaNames } from "#api/core/schemas.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { builtinSchema } from "./builtin.ts";

const pod = builtinSchema("io.k8s.api.core.v1.Pod");
const crd = builtinSchema("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition");

const manifest = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "game",
    labels: { app: "game" },
    creationTimestamp: null,
    managedFields: [{ fieldsV1: { "f:spec": {} } }],
  },
  spec: {
    containers: [
      {
        name: "game",
        image: "simple-game-server",
        ports: [
          { containerPort: 7654, protocol: "UDP" },
          { containerPort: 7654, protocol: "UDP" },
        ],
        resources: { limits: { cpu: 1, memory: "64Mi" }, requests: { cpu: 0.5 } },
        livenessProbe: { httpGet: { path: "/healthz", port: "http" }, initialDelaySeconds: 3 },
        readinessProbe: { httpGet: { port: 8080 } },
        env: [{ name: "A", value: "b" }],
      },
    ],
  },
  status: { containerStatuses: [{ name: "game" }] },
};

const texts = (object: JsonObject) => pod.validate(object).map(({ field, body }) => `${field}: ${body}`);

describe("the schema of a built-in", () => {
  test("asks nothing of what an update leaves as it was, and everything of what is new", () => {
    const right = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "game" },
      spec: { containers: [{ name: "game" }] },
    };
    const before = { ...right, spec: { ...right.spec, dnsPolicy: 7 } };
    const after = { ...before, status: { phase: 7 } };
    const fields = (old?: JsonObject) => [...new Set(pod.validate(after, old).map(({ field }) => field))];
    expect(fields()).toEqual(["spec.dnsPolicy", "status.phase"]);
    expect(fields(before)).toEqual(["status.phase"]);
    expect(fields(structuredClone(before))).toEqual(["status.phase"]);
    expect(fields(right)).toEqual(["spec.dnsPolicy", "status.phase"]);
  });

  test("takes what typed clients write", () => {
    const { object, unknown } = pod.prune(manifest);
    expect(unknown).toEqual([]);
    expect(object).toBe(manifest);
    expect(texts(manifest)).toEqual([
      `metadata.creationTimestamp: Invalid value: "null": metadata.creationTimestamp in body must be of type string: "null"`,
    ]);
    const filled = pod.applyDefaults(manifest);
    expect(texts(filled)).toEqual([]);
    expect((filled.metadata as JsonObject).creationTimestamp).toBeUndefined();
    expect(filled.spec).toBe(manifest.spec);
  });

  test("names unknown fields and faults by their full path", () => {
    const broken = {
      ...manifest,
      spec: {
        containers: [{ name: "a", imagePullPolicy: "Sometimes", ports: [{ containerPort: "80" }], volumeMount: [] }],
      },
    };
    expect(pod.prune(broken).unknown).toEqual(["spec.containers[0].volumeMount"]);
    expect(texts(pod.applyDefaults(broken))).toEqual([
      'spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
      'spec.containers[0].ports[0].containerPort: Invalid value: "string": spec.containers[0].ports[0].containerPort in body must be of type integer: "string"',
    ]);
    expect(texts({ apiVersion: "v1", kind: "Pod", metadata: {}, spec: {} })).toEqual([
      "spec.containers: Required value",
    ]);
  });

  test("knows the schema of schemas, which is recursive", () => {
    const property = { type: "array", items: { type: "object", additionalProperties: { type: "string", tpye: 1 } } };
    const closed = { type: "object", additionalProperties: false, default: { any: { thing: 1 } }, enum: [{ a: 1 }] };
    const openAPIV3Schema = { type: "object", properties: { a: property, b: closed } };
    const object = {
      metadata: { name: "things.example.com" },
      spec: {
        group: "example.com",
        names: { plural: "things", kind: "Thing" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    };
    expect(crd.prune(object).unknown).toEqual([
      "spec.versions[0].schema.openAPIV3Schema.properties.a.items.additionalProperties.tpye",
    ]);
    expect(crd.validate(object)).toEqual([]);
  });

  test("is published under its own name, with references to components", () => {
    expect(pod.definitionName).toBe("io.k8s.api.core.v1.Pod");
    expect(pod.openApi()).toMatchObject({
      properties: { spec: { $ref: "#/components/schemas/io.k8s.api.core.v1.PodSpec" } },
      "x-kubernetes-group-version-kind": [{ group: "", kind: "Pod", version: "v1" }],
    });
  });

  test("can be compiled for every definition there is", () => {
    for (const name of kubernetesSchemaNames()) {
      const schema = builtinSchema(name);
      expect(schema.prune({}).unknown).toEqual([]);
      const reasons = schema.validate({}).map(({ reason }) => reason);
      expect(["FieldValueRequired", "FieldValueTypeInvalid"]).toEqual(expect.arrayContaining(reasons));
    }
  });
});
