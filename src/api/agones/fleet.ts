/** `GameServerSet` and `Fleet` of agones.dev/v1. Their schemas share the GameServer's, wrapped in a template. */
import { type Static, Type } from "typebox";
import type { KubeObject } from "../meta/object.ts";
import {
  AggregatedPlayerStatus,
  AggregatedStatus,
  AllocationOverflow,
  Conditions,
  MAP_MAX_KEYS,
  Priority,
  PriorityWithOrder,
  SchedulingStrategy,
} from "./common.ts";
import { GameServerTemplateSpec } from "./gameserver.ts";
import { ArrayOf, Int32, IntOrString, MapOf, Nullable, OneOf } from "./schema.ts";

const replicaCount = () => Type.Optional(Int32({ minimum: 0 }));
const Aggregates = Nullable(MapOf(AggregatedStatus, { maxProperties: MAP_MAX_KEYS }));

export const GameServerSetSpec = Type.Object({
  replicas: Int32({ minimum: 0 }),
  allocationOverflow: Type.Optional(Nullable(AllocationOverflow)),
  scheduling: Type.Optional(SchedulingStrategy),
  priorities: Type.Optional(Nullable(ArrayOf(Priority))),
  template: GameServerTemplateSpec,
});
export type GameServerSetSpec = Readonly<Static<typeof GameServerSetSpec>>;

const sharedStatus = {
  replicas: replicaCount(),
  readyReplicas: replicaCount(),
  reservedReplicas: replicaCount(),
  allocatedReplicas: replicaCount(),
  players: Type.Optional(Nullable(AggregatedPlayerStatus)),
  counters: Type.Optional(Aggregates),
  lists: Type.Optional(Aggregates),
  conditions: Type.Optional(Conditions),
};

export const GameServerSetStatus = Type.Object({ ...sharedStatus, shutdownReplicas: replicaCount() });
export type GameServerSetStatus = Readonly<Static<typeof GameServerSetStatus>>;

export interface GameServerSet extends KubeObject {
  readonly spec: GameServerSetSpec;
  readonly status?: GameServerSetStatus;
}

export const FleetStrategy = Type.Object({
  type: Type.Optional(OneOf(["Recreate", "RollingUpdate"])),
  rollingUpdate: Type.Optional(
    Nullable(Type.Object({ maxSurge: Type.Optional(IntOrString()), maxUnavailable: Type.Optional(IntOrString()) })),
  ),
});
export type FleetStrategy = Readonly<Static<typeof FleetStrategy>>;

export const FleetSpec = Type.Object({
  /** Absent, zero and a number are three things: absent keeps what an autoscaler set when re-applied. */
  replicas: Type.Optional(Int32({ minimum: 0, default: 0 })),
  strategy: Type.Optional(FleetStrategy),
  scheduling: Type.Optional(SchedulingStrategy),
  allocationOverflow: Type.Optional(Nullable(AllocationOverflow)),
  priorities: Type.Optional(Nullable(ArrayOf(PriorityWithOrder))),
  template: GameServerTemplateSpec,
});
export type FleetSpec = Readonly<Static<typeof FleetSpec>>;

export const FleetStatus = Type.Object(sharedStatus);
export type FleetStatus = Readonly<Static<typeof FleetStatus>>;

export interface Fleet extends KubeObject {
  readonly spec: FleetSpec;
  readonly status?: FleetStatus;
}
