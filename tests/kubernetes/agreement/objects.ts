/** Objects as documentation shows them, and as short as they are valid. */
import { parse } from "yaml";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { manifests as documented } from "#extensions/manifests.promises.ts";

/** Of every kind the smallest and the fullest; in no namespace yet. */
export const manifests: readonly { readonly name: string; readonly object: JsonObject }[] = documented.map(
  ({ name, manifest }) => {
    const object = parse(manifest) as JsonObject;
    const { namespace: _, ...metadata } = (object.metadata ?? {}) as JsonObject;
    return { name, object: { ...object, metadata } };
  },
);

const podTemplate: JsonObject = { spec: { containers: [{ name: "duel", image: "duel:3" }] } };

/** `spec` is laid over the smallest one; a member that is undefined is left out. */
export const gameServer = (
  spec: Record<string, JsonValue | undefined> = {},
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  metadata: { name: "duel", ...metadata },
  spec: { template: podTemplate, ...spec } as JsonObject,
});

export const gameServerSet = (
  spec: Record<string, JsonValue | undefined> = {},
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion: "agones.dev/v1",
  kind: "GameServerSet",
  metadata: { name: "duel", ...metadata },
  spec: { replicas: 1, template: { spec: { template: podTemplate } }, ...spec } as JsonObject,
});

export const fleet = (spec: Record<string, JsonValue | undefined> = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "agones.dev/v1",
  kind: "Fleet",
  metadata: { name: "duel", ...metadata },
  spec: { template: { spec: { template: podTemplate } }, ...spec } as JsonObject,
});

export const fleetAutoscaler = (policy: JsonValue, spec: Record<string, JsonValue | undefined> = {}): JsonObject => ({
  apiVersion: "autoscaling.agones.dev/v1",
  kind: "FleetAutoscaler",
  metadata: { name: "duel" },
  spec: { fleetName: "duel", policy, ...spec } as JsonObject,
});

export const allocation = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "allocation.agones.dev/v1",
  kind: "GameServerAllocation",
  metadata,
  spec,
});

export const AGONES = "/apis/agones.dev/v1/namespaces/NS";
