import type { JsonObject } from "./json.ts";
import type { KubeObject } from "./object.ts";

/** A resource of an API server, and how its JSON becomes a typed object. */
export interface ResourceType<T extends KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Turns wire JSON into the type: int64 fields become `bigint`. Never throws on unknown members; they are kept. */
  readonly decode: (json: JsonObject) => T;
}
