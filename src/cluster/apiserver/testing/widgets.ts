/** A custom resource of the tests: with status and scale, and one required number. */
import type { JsonObject } from "#api/meta/json.ts";
import type { TestServer } from "./test-server.ts";

export const WIDGETS = "/apis/example.dev/v1/namespaces/default/widgets";

const schema: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1 },
        color: { type: "string", default: "red" },
        replicas: { type: "integer" },
        big: { type: "integer", format: "int64" },
      },
    },
    status: { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } },
  },
};

export function widgetDefinition(
  changes: { readonly subresources?: JsonObject; readonly plural?: string } = {},
): JsonObject {
  const plural = changes.plural ?? "widgets";
  const kind = plural === "widgets" ? "Widget" : "Gadget";
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.dev` },
    spec: {
      group: "example.dev",
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
          subresources: changes.subresources ?? {
            status: {},
            scale: {
              specReplicasPath: ".spec.replicas",
              statusReplicasPath: ".status.replicas",
              labelSelectorPath: ".status.selector",
            },
          },
        },
      ],
    },
  };
}

export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export async function serveWidgets(server: TestServer): Promise<void> {
  await server.make(DEFINITIONS, widgetDefinition());
}

export function widget(name: string, spec: JsonObject = { size: 1 }, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name, ...metadata }, spec };
}
