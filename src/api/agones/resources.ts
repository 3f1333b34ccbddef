/** The kinds of agones.dev/v1, described as a client needs them. int64 fields become `bigint` when an object is read. */
import { type TSchema, Type } from "typebox";
import { int64Decoder } from "../meta/int64.ts";
import type { JsonObject } from "../meta/json.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { GROUP, VERSION } from "./constants.ts";
import {
  type Fleet,
  FleetSpec,
  FleetStatus,
  type GameServerSet,
  GameServerSetSpec,
  GameServerSetStatus,
} from "./fleet.ts";

export { GAMESERVERS } from "./gameserver-resource.ts";

/** Describes a namespaced custom resource with the schemas of its spec and, where it has one, its status. */
export function customResource<T extends KubeObject>(
  names: Pick<ResourceType<T>, "group" | "version" | "kind" | "plural">,
  spec: TSchema,
  status?: TSchema,
): ResourceType<T> {
  const decode = int64Decoder(Type.Object({ spec, ...(status && { status }) }) as unknown as JsonObject);
  return { ...names, namespaced: true, decode: (json) => decode(json) as unknown as T };
}

const agones = (kind: string, plural: string) => ({ group: GROUP, version: VERSION, kind, plural });

export const GAMESERVERSETS = customResource<GameServerSet>(
  agones("GameServerSet", "gameserversets"),
  GameServerSetSpec,
  GameServerSetStatus,
);
export const FLEETS = customResource<Fleet>(agones("Fleet", "fleets"), FleetSpec, FleetStatus);
