import { expect, test } from "vitest";
import { inlinePodTemplateSchema } from "#api/core/schemas.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { customResource } from "./custom-resources.ts";

const template = {
  type: "object",
  properties: { template: inlinePodTemplateSchema(), replicas: { type: "integer", default: 1 } },
};
const served = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: template } } },
  subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
  additionalPrinterColumns: [{ name: "Replicas", type: "integer", jsonPath: ".spec.replicas" }],
};
const spec = {
  group: "example.com",
  scope: "Cluster",
  names: { plural: "things", kind: "Thing", shortNames: ["th"], categories: ["all"] },
  versions: [served, { name: "v2", served: false }, { name: "v3", served: true }],
};

const [v1, v3] = customResource({ spec });

test("each served version is a resource, with its names, columns and subresources", () => {
  expect(customResource({ spec }).map(({ version }) => version)).toEqual(["v1", "v3"]);
  expect(v1).toMatchObject({
    group: "example.com",
    version: "v1",
    kind: "Thing",
    listKind: "ThingList",
    plural: "things",
    singular: "thing",
    shortNames: ["th"],
    categories: ["all"],
    namespaced: false,
    subresources: {
      status: true,
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    },
    custom: true,
  });
  expect(v1?.columns.map(({ name }) => name)).toEqual(["Name", "Replicas"]);
  expect(v3?.columns.map(({ name }) => name)).toEqual(["Name", "Age"]);
  expect(v3?.subresources).toEqual({ status: false });
});

test("names that were not accepted are not served", () => {
  const acceptedNames = { plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" };
  expect(customResource({ spec, status: { acceptedNames } })[0]?.shortNames).toEqual([]);
});

test("a version without a schema keeps everything", () => {
  const object = { apiVersion: "example.com/v3", kind: "Thing", metadata: {}, any: { thing: [1] } };
  expect(v3?.schema.prune(object).object).toBe(object);
});

test("replica counts that a scale cannot show are refused", () => {
  const faults = (more: JsonObject) =>
    v1?.schema.validate({ metadata: {}, ...more }).map(({ field, body }) => `${field}: ${body}`);
  expect(faults({ spec: { replicas: -1 } })).toEqual([
    ".spec.replicas: Invalid value: -1: should be a non-negative integer",
  ]);
  expect(faults({ status: { replicas: 2147483648 } })).toEqual([
    ".status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647",
  ]);
  expect(faults({ spec: { replicas: 3 } })).toEqual([]);
});

test("a whole pod template goes through all passes", () => {
  const pod = {
    metadata: { labels: { app: "game" }, creationTimestamp: null },
    spec: {
      containers: [
        {
          name: "game",
          image: "simple-game-server",
          imagePullPolicy: "Always",
          ports: [{ containerPort: 7654, protocol: "UDP" }],
          resources: { limits: { cpu: "1", memory: "64Mi" } },
          env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
          livenessProbe: { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 3 },
          volumeMounts: [{ name: "shared", mountPath: "/shared" }],
        },
      ],
      volumes: [{ name: "shared", emptyDir: {} }],
      tolerations: [{ key: "games", operator: "Exists", effect: "NoSchedule" }],
      nodeSelector: { role: "game" },
      securityContext: { sysctls: [{ name: "net.core.somaxconn", value: "1024" }] },
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } } },
    },
  };
  const thing = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: { template: pod } };
  const pruned = v1?.schema.prune(thing);
  expect(pruned).toEqual({ object: thing, unknown: [] });
  const filled = v1?.schema.applyDefaults(thing) as JsonObject;
  expect(filled.spec).toEqual({ template: pod, replicas: 1 });
  expect(v1?.schema.validate(filled)).toEqual([]);
  const broken = { ...thing, spec: { template: { spec: { containers: [{ image: 1, prots: [] }] } } } };
  expect(v1?.schema.prune(broken).unknown).toEqual(["spec.template.spec.containers[0].prots"]);
  expect(v1?.schema.validate(broken).map(({ field, body }) => `${field}: ${body}`)).toEqual([
    'spec.template.spec.containers[0].image: Invalid value: "integer": spec.template.spec.containers[0].image in body must be of type string: "integer"',
    "spec.template.spec.containers[0].name: Required value",
  ]);
  expect(
    v1?.schema.validate({ ...thing, spec: { template: { spec: {} } } }).map(({ field, body }) => `${field}: ${body}`),
  ).toEqual(["spec.template.spec.containers: Required value"]);
});
