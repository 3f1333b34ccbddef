/** `GameServerSet` and `Fleet` of agones.dev/v1. Their schemas share the GameServer's, wrapped in a template. */
import type { Static } from "typebox";
import * as Type from "typebox";
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
import { ArrayOf, described, Int32, IntOrString, MapOf, Nullable, OneOf } from "./schema.ts";

const replicaCount = (description: string) => Type.Optional(Int32({ minimum: 0, description }));
const aggregates = (what: string) =>
  Nullable(
    MapOf(AggregatedStatus, {
      maxProperties: MAP_MAX_KEYS,
      description: `Sums over the servers' ${what}, by name. Needs the feature gate CountsAndLists.`,
    }),
  );
const prioritised = "Which servers to take away first when there are too many. Needs the feature gate CountsAndLists.";
const scheduling = (who: string) =>
  described(
    SchedulingStrategy,
    `Packed: onto as few nodes as can be; Distributed: over all of them. Goes before the template's. ${who}`,
  );

export const GameServerSetSpec = Type.Object({
  replicas: Int32({ minimum: 0, description: "How many servers there are to be." }),
  allocationOverflow: Type.Optional(Nullable(AllocationOverflow)),
  scheduling: Type.Optional(scheduling("A Fleet gives its own.")),
  priorities: Type.Optional(Nullable(ArrayOf(Priority, { description: prioritised }))),
  template: GameServerTemplateSpec,
});
export type GameServerSetSpec = Readonly<Static<typeof GameServerSetSpec>>;

const sharedStatus = {
  replicas: replicaCount("Servers that are not being deleted."),
  readyReplicas: replicaCount("Those in state Ready."),
  reservedReplicas: replicaCount("Those in state Reserved."),
  allocatedReplicas: replicaCount("Those in state Allocated."),
  players: Type.Optional(Nullable(AggregatedPlayerStatus)),
  counters: Type.Optional(aggregates("counters")),
  lists: Type.Optional(aggregates("lists")),
  conditions: Type.Optional(Conditions),
};

export const GameServerSetStatus = Type.Object({
  ...sharedStatus,
  shutdownReplicas: replicaCount("Those that are being deleted."),
});
export type GameServerSetStatus = Readonly<Static<typeof GameServerSetStatus>>;

export interface GameServerSet extends KubeObject {
  readonly spec: GameServerSetSpec;
  readonly status?: GameServerSetStatus;
}

export const FleetStrategy = Type.Object(
  {
    type: Type.Optional(
      OneOf(["Recreate", "RollingUpdate"], {
        description:
          "Recreate: old servers go before new ones come; RollingUpdate: step by step. Default: RollingUpdate.",
      }),
    ),
    rollingUpdate: Type.Optional(
      Nullable(
        Type.Object(
          {
            maxSurge: Type.Optional(
              IntOrString({
                description: "Servers above the number wanted: a number, or 1% to 99% of it. Default: 25%.",
              }),
            ),
            maxUnavailable: Type.Optional(
              IntOrString({
                description: "Servers below the number wanted: a number, or 1% to 99% of it. Default: 25%.",
              }),
            ),
          },
          { description: "The steps of a RollingUpdate." },
        ),
      ),
    ),
  },
  { description: "How servers of an old template give way to those of a new one. Allocated ones always stay." },
);
export type FleetStrategy = Readonly<Static<typeof FleetStrategy>>;

export const FleetSpec = Type.Object({
  /** Absent, zero and a number are three things: absent keeps what an autoscaler set when re-applied. */
  replicas: Type.Optional(
    Int32({ minimum: 0, default: 0, description: "How many servers there are to be. Default: 0." }),
  ),
  strategy: Type.Optional(FleetStrategy),
  scheduling: Type.Optional(scheduling("Default: Packed.")),
  allocationOverflow: Type.Optional(Nullable(AllocationOverflow)),
  priorities: Type.Optional(Nullable(ArrayOf(PriorityWithOrder, { description: prioritised }))),
  template: GameServerTemplateSpec,
});
export type FleetSpec = Readonly<Static<typeof FleetSpec>>;

export const FleetStatus = Type.Object(sharedStatus);
export type FleetStatus = Readonly<Static<typeof FleetStatus>>;

export interface Fleet extends KubeObject {
  readonly spec: FleetSpec;
  readonly status?: FleetStatus;
}
