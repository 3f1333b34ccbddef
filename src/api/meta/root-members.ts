import type { JsonObject } from "./json.ts";

/** What clients explain the members with that every object has at its root. */
export const ROOT_DESCRIPTIONS = {
  apiVersion: "The group and version by whose schema the object is written, such as agones.dev/v1.",
  kind: "The kind of the object: what its other members mean.",
  metadata: "What every object has: its name and namespace, labels, annotations, and what the server keeps about it.",
} as const;

/** The schemas of the two that name an object's type. */
export const TYPE_META: JsonObject = {
  apiVersion: { type: "string", description: ROOT_DESCRIPTIONS.apiVersion },
  kind: { type: "string", description: ROOT_DESCRIPTIONS.kind },
};
