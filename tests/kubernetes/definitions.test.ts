/** CustomResourceDefinitions, ours and broken ones: alike on both servers. */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { agree } from "./agreement/agree.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const names = [
  "gameservers.agones.dev",
  "gameserversets.agones.dev",
  "fleets.agones.dev",
  "fleetautoscalers.autoscaling.agones.dev",
  "gameserverallocationpolicies.multicluster.agones.dev",
];

agree("our definitions, as they are stored and established", async (api) => {
  for (const name of names)
    await api.differing("the finalizer of definitions", async () => {
      api.note(`${name}, whole`, await api.quietly("GET", `${DEFINITIONS}/${name}`));
    });
  for (const name of names) {
    const { metadata, ...definition } = await api.quietly("GET", `${DEFINITIONS}/${name}`);
    const { finalizers: _, ...others } = metadata as JsonObject;
    api.note(name, { ...definition, metadata: others });
  }
});

const definition = (version: JsonObject, spec: JsonObject = {}, name = "widgets.broken.example"): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name },
  spec: {
    group: "broken.example",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [{ name: "v1", served: true, storage: true, ...version }],
    ...spec,
  },
});
const schema = (root: JsonValue): JsonObject => ({ schema: { openAPIV3Schema: root } });
const spec = (of: JsonObject): JsonObject =>
  schema({ type: "object", properties: { spec: { type: "object", properties: { a: of } } } });

const broken: Readonly<Record<string, JsonObject>> = {
  "no schema": definition({}),
  "a root that is no object": definition(schema({ type: "string" })),
  "a member without type": definition(spec({})),
  "an unknown type": definition(spec({ type: "colour" })),
  "an array without items": definition(spec({ type: "array" })),
  "items that are a list": definition(spec({ type: "array", items: [{ type: "string" }] })),
  "properties beside additionalProperties": definition(
    spec({ type: "object", properties: { b: { type: "string" } }, additionalProperties: { type: "string" } }),
  ),
  "a default of the wrong type": definition(spec({ type: "integer", default: "x" })),
  "a default that is unknown": definition(spec({ type: "object", properties: {}, default: { b: 1 } })),
  "a pattern that is none": definition(spec({ type: "string", pattern: "(" })),
  "a reference": definition(spec({ $ref: "#/x" })),
  uniqueItems: definition(spec({ type: "array", items: { type: "string" }, uniqueItems: true })),
  "a list type map without keys": definition(
    spec({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" }),
  ),
  "a column without path": definition({
    ...spec({ type: "string" }),
    additionalPrinterColumns: [{ name: "A", type: "string" }],
  }),
  "a column of an unknown type": definition({
    ...spec({ type: "string" }),
    additionalPrinterColumns: [{ name: "A", type: "colour", jsonPath: ".spec.a" }],
  }),
  "a scale path that leads out of spec": definition({
    ...spec({ type: "integer" }),
    subresources: { scale: { specReplicasPath: ".status.a", statusReplicasPath: ".spec.a" } },
  }),
  "another name": definition(spec({ type: "string" }), {}, "gadgets.broken.example"),
  "no versions": definition({}, { versions: [] }),
  "an unknown scope": definition(spec({ type: "string" }), { scope: "Everywhere" }),
  "a kind that is none": definition(spec({ type: "string" }), { names: { kind: "not a kind", plural: "widgets" } }),
  "a group that is none": definition(spec({ type: "string" }), { group: "Broken_" }),
};

for (const [what, object] of Object.entries(broken)) {
  agree(`a definition with ${what} is refused alike`, async (api) => {
    await api.call("POST", `${DEFINITIONS}?dryRun=All`, object);
  });
}

agree("a definition with no version that is stored is refused alike, but for the dump of it", async (api) => {
  const object = definition({ ...spec({ type: "string" }), storage: false });
  await api.loosely(() => api.call("POST", `${DEFINITIONS}?dryRun=All`, object));
});
