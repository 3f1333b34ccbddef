/** Promises about what an API server with our kinds and their admission answers: requests as rows of a table. */
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import type { PromiseRow } from "#api/meta/promise-row.ts";

/** Requests one after the other on a cluster of their own; what the last is answered is the promise, the others must succeed. */
export interface ApiPromise extends PromiseRow {
  readonly gates?: Partial<FeatureGates>;
  readonly requests: readonly ApiStep[];
  readonly code: number;
  /** Part of a refusal's message. */
  readonly message?: string;
  /** Members of the answer. */
  readonly shows?: JsonObject;
  /** Members that the answer must not have, by dotted paths. */
  readonly without?: readonly string[];
}

export interface ApiStep {
  readonly method: "POST" | "PATCH" | "GET";
  readonly path: string;
  readonly body?: JsonValue;
}

const plurals = {
  GameServer: ["agones.dev", "gameservers"],
  GameServerSet: ["agones.dev", "gameserversets"],
  Fleet: ["agones.dev", "fleets"],
  FleetAutoscaler: ["autoscaling.agones.dev", "fleetautoscalers"],
  GameServerAllocationPolicy: ["multicluster.agones.dev", "gameserverallocationpolicies"],
} as const;
export type PromisedKind = keyof typeof plurals;

const collection = (kind: PromisedKind): string => {
  const [group, plural] = plurals[kind];
  return `/apis/${group}/v1/namespaces/default/${plural}`;
};

/** Creates an object named `a`. */
export const create = (kind: PromisedKind, members: JsonObject): ApiStep => ({
  method: "POST",
  path: collection(kind),
  body: { apiVersion: `${plurals[kind][0]}/v1`, kind, metadata: { name: "a" }, ...members },
});

/** Merges into the object `a`, or into its `status`. */
export const merge = (kind: PromisedKind, body: JsonObject, subresource = ""): ApiStep => ({
  method: "PATCH",
  path: `${collection(kind)}/a${subresource && `/${subresource}`}`,
  body,
});

/** A GameServer's spec with one container. */
export const game = (more: JsonObject = {}): JsonObject => ({
  template: { spec: { containers: [{ name: "duel", image: "registry.example.net/duel:3" }] } },
  ...more,
});
