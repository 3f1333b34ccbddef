/** Types that several `agones.dev/v1` kinds share. */
import type { Static } from "typebox";
import * as Type from "typebox";
import type { Condition } from "../meta/conditions.ts";
import { LIST_MAX_ITEMS } from "./constants.ts";
import { Int32, Int64, MapOf, Nullable, OneOf } from "./schema.ts";

export const SchedulingStrategy = OneOf(["Packed", "Distributed"], {
  description: "Packed: onto as few nodes as can be; Distributed: over all of them. Default: Packed.",
});
export type SchedulingStrategy = Static<typeof SchedulingStrategy>;

const PRIORITY_ORDER = "Ascending: the least free room first; Descending: the most.";

/** Which servers to prefer: in allocation the search order, in scale-down the deletion order. */
export const Priority = Type.Object({
  type: Type.Optional(OneOf(["Counter", "List"], { description: "What is compared." })),
  key: Type.Optional(Type.String({ description: "The counter's or list's name. Servers without it come last." })),
  order: Type.Optional(OneOf(["Ascending", "Descending"], { description: PRIORITY_ORDER })),
});
export type Priority = Readonly<Static<typeof Priority>>;

/** A priority whose order the schema fills in, as in a Fleet. */
export const PriorityWithOrder = Type.Object({
  ...Priority.properties,
  order: Type.Optional(
    OneOf(["Ascending", "Descending"], { default: "Ascending", description: `${PRIORITY_ORDER} Default: Ascending.` }),
  ),
});

/** Marks a limit of lists that an installation may set; `structural-schema.ts` puts its value in. */
const installLimit = { "x-stadion-lists-max-items": true };
/** Most counters or lists of one server. */
export const MAP_MAX_KEYS = 1000;

export const CounterStatus = Type.Object({
  count: Type.Optional(Int64({ minimum: 0, default: 0, description: "Where it stands. Default: 0." })),
  capacity: Type.Optional(Int64({ minimum: 0, default: 1000, description: "The most it counts to. Default: 1000." })),
});
export type CounterStatus = Readonly<Static<typeof CounterStatus>>;

export const ListStatus = Type.Object({
  capacity: Type.Optional(
    Int64({
      minimum: 0,
      maximum: LIST_MAX_ITEMS,
      default: 1000,
      description: "The most values it holds. Default: 1000.",
      ...installLimit,
    }),
  ),
  values: Type.Optional(
    Type.Unsafe<readonly string[]>({
      type: "array",
      items: { type: "string" },
      "x-kubernetes-list-type": "set",
      maxItems: LIST_MAX_ITEMS,
      default: [],
      description: "Its values, each once. Default: [].",
      ...installLimit,
    }),
  ),
});
export type ListStatus = Readonly<Static<typeof ListStatus>>;

const NEEDS_COUNTS = "Needs the feature gate CountsAndLists.";

/** Named counters; `description` says whose. */
export const countersOf = (description: string) =>
  Nullable(MapOf(CounterStatus, { maxProperties: MAP_MAX_KEYS, description: `${description} ${NEEDS_COUNTS}` }));
/** Named lists; `description` says whose. */
export const listsOf = (description: string) =>
  Nullable(MapOf(ListStatus, { maxProperties: MAP_MAX_KEYS, description: `${description} ${NEEDS_COUNTS}` }));

export const AggregatedPlayerStatus = Type.Object(
  {
    count: Type.Optional(Int64({ minimum: 0, description: "Players of all servers." })),
    capacity: Type.Optional(Int64({ minimum: 0, description: "Players that all servers can take." })),
  },
  { description: "Players of the Ready, Reserved and Allocated servers. Needs the feature gate PlayerTracking." },
);
export type AggregatedPlayerStatus = Readonly<Static<typeof AggregatedPlayerStatus>>;

/** Sums over the servers of a set or fleet; they saturate at 2^63−1. */
export const AggregatedStatus = Type.Object({
  allocatedCount: Type.Optional(Int64({ minimum: 0, description: "Counts of the Allocated servers." })),
  allocatedCapacity: Type.Optional(Int64({ minimum: 0, description: "Capacities of the Allocated servers." })),
  count: Type.Optional(Int64({ minimum: 0, default: 0, description: "Counts of all servers. Default: 0." })),
  capacity: Type.Optional(Int64({ minimum: 0, description: "Capacities of all servers." })),
});
export type AggregatedStatus = Readonly<Static<typeof AggregatedStatus>>;

/** Marks for Allocated servers beyond `spec.replicas`. */
export const AllocationOverflow = Type.Object(
  {
    labels: Type.Optional(
      MapOf(Type.String(), { description: "Set over the server's own; an empty value blanks one." }),
    ),
    annotations: Type.Optional(
      MapOf(Type.String(), { description: "Set over the server's own; an empty value blanks one." }),
    ),
  },
  { description: "Marks for Allocated servers beyond the number of replicas." },
);
export type AllocationOverflow = Readonly<Static<typeof AllocationOverflow>>;

export interface GameServerStatusPort {
  readonly name?: string;
  readonly port: number;
}
/** Writers always give `port`; the schema asks for nothing, as all of a status. */
export const GameServerStatusPort = Type.Unsafe<GameServerStatusPort>({
  type: "object",
  properties: {
    name: Type.String({ description: "The port's name in the spec." }),
    port: Int32({ description: "Where clients reach it." }),
  },
});

/** Standard conditions, one of each type: Stadion's own addition to the contract. Limits are those of `Condition` of meta/v1. */
export const Conditions = Type.Unsafe<readonly Condition[]>({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  description: "How it fares: one standard condition of each type.",
  items: {
    type: "object",
    required: ["type", "status", "reason", "message", "lastTransitionTime"],
    properties: {
      type: { type: "string", maxLength: 316, description: "Which condition." },
      status: { type: "string", enum: ["True", "False", "Unknown"], description: "Whether it holds." },
      reason: {
        type: "string",
        minLength: 1,
        maxLength: 1024,
        pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        description: "Why, in one word for programs.",
      },
      message: { type: "string", maxLength: 32768, description: "Why, for people." },
      lastTransitionTime: { type: "string", format: "date-time", description: "When its status last changed." },
      observedGeneration: { type: "integer", minimum: 0, description: "The generation that it speaks of." },
    },
  },
});
