/** `GameServerAllocation` of allocation.agones.dev/v1: a request and its answer in one document, never stored. */
import { type Static, Type } from "typebox";
import { CounterStatus, GameServerStatusPort, ListStatus, Priority, SchedulingStrategy } from "../agones/common.ts";
import { ArrayOf, Int64, MapOf, OneOf } from "../agones/schema.ts";
import type { NodeAddress } from "../core/node.ts";
import type { LabelSelector } from "../meta/label-selector.ts";
import type { KubeObject } from "../meta/object.ts";

export const GROUP = "allocation.agones.dev";
export const VERSION = "v1";

export const CounterSelector = Type.Object({
  minCount: Type.Optional(Int64()),
  maxCount: Type.Optional(Int64()),
  minAvailable: Type.Optional(Int64()),
  maxAvailable: Type.Optional(Int64()),
});
export type CounterSelector = Readonly<Static<typeof CounterSelector>>;

export const ListSelector = Type.Object({
  containsValue: Type.Optional(Type.String()),
  minAvailable: Type.Optional(Int64()),
  maxAvailable: Type.Optional(Int64()),
});
export type ListSelector = Readonly<Static<typeof ListSelector>>;

const matchExpressions = Type.Unsafe<NonNullable<LabelSelector["matchExpressions"]>>({
  type: "array",
  items: {
    type: "object",
    required: ["key", "operator"],
    properties: {
      key: { type: "string" },
      operator: { type: "string" },
      values: { type: "array", items: { type: "string" } },
    },
  },
});

export const GameServerSelector = Type.Object({
  matchLabels: Type.Optional(MapOf(Type.String())),
  matchExpressions: Type.Optional(matchExpressions),
  /** Any string is carried here; validation says which are allowed. */
  gameServerState: Type.Optional(Type.String()),
  players: Type.Optional(Type.Object({ minAvailable: Type.Optional(Int64()), maxAvailable: Type.Optional(Int64()) })),
  counters: Type.Optional(MapOf(CounterSelector)),
  lists: Type.Optional(MapOf(ListSelector)),
});
export type GameServerSelector = Readonly<Static<typeof GameServerSelector>>;

export const CounterAction = Type.Object({
  action: Type.Optional(Type.String()),
  amount: Type.Optional(Int64()),
  capacity: Type.Optional(Int64()),
});
export type CounterAction = Readonly<Static<typeof CounterAction>>;

export const ListAction = Type.Object({
  addValues: Type.Optional(ArrayOf(Type.String())),
  deleteValues: Type.Optional(ArrayOf(Type.String())),
  capacity: Type.Optional(Int64()),
});
export type ListAction = Readonly<Static<typeof ListAction>>;

const stringMap = () => Type.Optional(MapOf(Type.String()));

export const GameServerAllocationSpec = Type.Object({
  multiClusterSetting: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      policySelector: Type.Optional(
        Type.Object({ matchLabels: stringMap(), matchExpressions: Type.Optional(matchExpressions) }),
      ),
    }),
  ),
  required: Type.Optional(GameServerSelector),
  preferred: Type.Optional(ArrayOf(GameServerSelector)),
  priorities: Type.Optional(ArrayOf(Priority)),
  selectors: Type.Optional(ArrayOf(GameServerSelector)),
  scheduling: Type.Optional(SchedulingStrategy),
  metadata: Type.Optional(Type.Object({ labels: stringMap(), annotations: stringMap() })),
  counters: Type.Optional(MapOf(CounterAction)),
  lists: Type.Optional(MapOf(ListAction)),
});
export type GameServerAllocationSpec = Readonly<Static<typeof GameServerAllocationSpec>>;

export const AllocationState = OneOf(["Allocated", "UnAllocated", "Contention"]);
export type AllocationState = Static<typeof AllocationState>;

export const GameServerAllocationStatus = Type.Object({
  state: AllocationState,
  gameServerName: Type.String(),
  ports: Type.Optional(ArrayOf(GameServerStatusPort)),
  address: Type.Optional(Type.String()),
  addresses: Type.Optional(
    Type.Unsafe<readonly NodeAddress[]>({
      type: "array",
      items: { type: "object", properties: { type: { type: "string" }, address: { type: "string" } } },
    }),
  ),
  nodeName: Type.Optional(Type.String()),
  source: Type.String(),
  metadata: Type.Optional(Type.Object({ labels: stringMap(), annotations: stringMap() })),
  counters: Type.Optional(MapOf(CounterStatus)),
  lists: Type.Optional(MapOf(ListStatus)),
});
export type GameServerAllocationStatus = Readonly<Static<typeof GameServerAllocationStatus>>;

export interface GameServerAllocation extends KubeObject {
  readonly spec?: GameServerAllocationSpec;
  readonly status?: GameServerAllocationStatus;
}
