/** Types that several `agones.dev/v1` kinds share. */
import { type Static, Type } from "typebox";
import type { Condition } from "../meta/conditions.ts";
import { Int32, Int64, MapOf, Nullable, OneOf } from "./schema.ts";

export const SchedulingStrategy = OneOf(["Packed", "Distributed"]);
export type SchedulingStrategy = Static<typeof SchedulingStrategy>;

/** Which servers to prefer: in allocation the search order, in scale-down the deletion order. */
export const Priority = Type.Object({
  type: Type.Optional(OneOf(["Counter", "List"])),
  key: Type.Optional(Type.String()),
  order: Type.Optional(OneOf(["Ascending", "Descending"])),
});
export type Priority = Readonly<Static<typeof Priority>>;

/** A priority whose order the schema fills in, as in a Fleet. */
export const PriorityWithOrder = Type.Object({
  ...Priority.properties,
  order: Type.Optional(OneOf(["Ascending", "Descending"], { default: "Ascending" })),
});

/** Most values a list may hold, unless the installation says otherwise. */
export const LIST_MAX_ITEMS = 1000;
/** Marks a limit of lists that an installation may set; `structural-schema.ts` puts its value in. */
const installLimit = { "x-stadion-lists-max-items": true };
/** Most counters or lists of one server. */
export const MAP_MAX_KEYS = 1000;

export const CounterStatus = Type.Object({
  count: Type.Optional(Int64({ minimum: 0, default: 0 })),
  capacity: Type.Optional(Int64({ minimum: 0, default: 1000 })),
});
export type CounterStatus = Readonly<Static<typeof CounterStatus>>;

export const ListStatus = Type.Object({
  capacity: Type.Optional(Int64({ minimum: 0, maximum: LIST_MAX_ITEMS, default: 1000, ...installLimit })),
  values: Type.Optional(
    Type.Unsafe<readonly string[]>({
      type: "array",
      items: { type: "string" },
      "x-kubernetes-list-type": "set",
      maxItems: LIST_MAX_ITEMS,
      default: [],
      ...installLimit,
    }),
  ),
});
export type ListStatus = Readonly<Static<typeof ListStatus>>;

export const Counters = Nullable(MapOf(CounterStatus, { maxProperties: MAP_MAX_KEYS }));
export const Lists = Nullable(MapOf(ListStatus, { maxProperties: MAP_MAX_KEYS }));

export const AggregatedPlayerStatus = Type.Object({
  count: Type.Optional(Int64({ minimum: 0 })),
  capacity: Type.Optional(Int64({ minimum: 0 })),
});
export type AggregatedPlayerStatus = Readonly<Static<typeof AggregatedPlayerStatus>>;

/** Sums over the servers of a set or fleet; they saturate at 2^63−1. */
export const AggregatedStatus = Type.Object({
  allocatedCount: Type.Optional(Int64({ minimum: 0 })),
  allocatedCapacity: Type.Optional(Int64({ minimum: 0 })),
  count: Type.Optional(Int64({ minimum: 0, default: 0 })),
  capacity: Type.Optional(Int64({ minimum: 0 })),
});
export type AggregatedStatus = Readonly<Static<typeof AggregatedStatus>>;

/** Marks for Allocated servers beyond `spec.replicas`. */
export const AllocationOverflow = Type.Object({
  labels: Type.Optional(MapOf(Type.String())),
  annotations: Type.Optional(MapOf(Type.String())),
});
export type AllocationOverflow = Readonly<Static<typeof AllocationOverflow>>;

export interface GameServerStatusPort {
  readonly name?: string;
  readonly port: number;
}
/** Writers always give `port`; the schema asks for nothing, as all of a status. */
export const GameServerStatusPort = Type.Unsafe<GameServerStatusPort>({
  type: "object",
  properties: { name: Type.String(), port: Int32() },
});

/** Standard conditions, one of each type: Stadion's own addition to the contract. Limits are those of `Condition` of meta/v1. */
export const Conditions = Type.Unsafe<readonly Condition[]>({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["type", "status", "reason", "message", "lastTransitionTime"],
    properties: {
      type: { type: "string", maxLength: 316 },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      reason: { type: "string", minLength: 1, maxLength: 1024, pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$" },
      message: { type: "string", maxLength: 32768 },
      lastTransitionTime: { type: "string", format: "date-time" },
      observedGeneration: { type: "integer", minimum: 0 },
    },
  },
});
