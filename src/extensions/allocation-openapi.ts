import {
  GameServerAllocationSpec,
  GameServerAllocationStatus,
  GROUP,
  VERSION,
} from "#api/allocation/gameserverallocation.ts";
import type { JsonObject } from "#api/meta/json.ts";

const NAME = `dev.agones.allocation.${VERSION}.GameServerAllocation`;

/** The OpenAPI v3 document of the group; with it kubectl checks and explains a GameServerAllocation. */
export function allocationOpenApi(): JsonObject {
  const reference = { $ref: `#/components/schemas/${NAME}` };
  const parameter = (name: string, place: "query" | "path") => ({
    name,
    in: place,
    ...(place === "path" && { required: true }),
    schema: { type: "string" },
  });
  return {
    openapi: "3.0.0",
    info: { title: GROUP, version: VERSION },
    paths: {
      [`/apis/${GROUP}/${VERSION}/namespaces/{namespace}/gameserverallocations`]: {
        parameters: [parameter("namespace", "path")],
        post: {
          operationId: "createNamespacedGameServerAllocation",
          parameters: ["dryRun", "fieldManager", "fieldValidation", "pretty"].map((name) => parameter(name, "query")),
          requestBody: { content: { "application/json": { schema: reference } } },
          responses: { "201": { description: "Created", content: { "application/json": { schema: reference } } } },
          "x-kubernetes-action": "post",
          "x-kubernetes-group-version-kind": { group: GROUP, version: VERSION, kind: "GameServerAllocation" },
        },
      },
    },
    components: {
      schemas: {
        [NAME]: {
          type: "object",
          properties: {
            apiVersion: { type: "string" },
            kind: { type: "string" },
            metadata: { type: "object" },
            spec: GameServerAllocationSpec as unknown as JsonObject,
            status: GameServerAllocationStatus as unknown as JsonObject,
          },
          "x-kubernetes-group-version-kind": [{ group: GROUP, version: VERSION, kind: "GameServerAllocation" }],
        },
      },
    },
  };
}
