import { GROUP, VERSION } from "#api/allocation/gameserverallocation.ts";
import { gameServerAllocationSchema } from "#api/allocation/schema.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { ROOT_DESCRIPTIONS, TYPE_META } from "#api/meta/root-members.ts";

const NAME = `dev.agones.allocation.${VERSION}.GameServerAllocation`;

/** The OpenAPI v3 document of the group; with it kubectl checks and explains a GameServerAllocation. */
export function allocationOpenApi(): JsonObject {
  const schema = gameServerAllocationSchema();
  const reference = { $ref: `#/components/schemas/${NAME}` };
  const parameter = (name: string, place: "query" | "path") => ({
    name,
    in: place,
    ...(place === "path" && { required: true }),
    schema: { type: "string" },
  });
  const content = { "application/json": { schema: reference } };
  const operation = {
    parameters: ["dryRun", "fieldManager", "fieldValidation", "pretty"].map((name) => parameter(name, "query")),
    requestBody: { content },
    responses: { "201": { description: "Created", content } },
    "x-kubernetes-group-version-kind": { group: GROUP, version: VERSION, kind: "GameServerAllocation" },
  };
  const collection = `/apis/${GROUP}/${VERSION}/namespaces/{namespace}/gameserverallocations`;
  return {
    openapi: "3.0.0",
    info: { title: GROUP, version: VERSION },
    paths: {
      [collection]: {
        parameters: [parameter("namespace", "path")],
        post: { operationId: "createNamespacedGameServerAllocation", "x-kubernetes-action": "post", ...operation },
      },
      // Never answered. kubectl learns from the PATCH operation of a kind that the server itself checks fields, and refuses to
      // create an object of a kind that has none.
      [`${collection}/{name}`]: {
        parameters: [parameter("namespace", "path"), parameter("name", "path")],
        patch: { operationId: "patchNamespacedGameServerAllocation", "x-kubernetes-action": "patch", ...operation },
      },
    },
    components: {
      schemas: {
        [NAME]: {
          ...schema,
          properties: {
            ...TYPE_META,
            metadata: { type: "object", description: ROOT_DESCRIPTIONS.metadata },
            ...(schema.properties as JsonObject),
          },
          "x-kubernetes-group-version-kind": [{ group: GROUP, version: VERSION, kind: "GameServerAllocation" }],
        },
      },
    },
  };
}
