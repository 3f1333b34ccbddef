/** `GameServerAllocation` of allocation.agones.dev/v1: a request and its answer in one document, never stored. */
import type { Static } from "typebox";
import * as Type from "typebox";
import {
  CounterStatus,
  GameServerStatusPort,
  ListStatus,
  PriorityWithOrder,
  SchedulingStrategy,
} from "../agones/common.ts";
import { ADDRESS } from "../agones/gameserver.ts";
import { ArrayOf, described, Int64, MapOf, OneOf } from "../agones/schema.ts";
import type { NodeAddress } from "../core/node.ts";
import type { LabelSelector } from "../meta/label-selector.ts";
import type { KubeObject } from "../meta/object.ts";

export const GROUP = "allocation.agones.dev";
export const VERSION = "v1";

const room = {
  minAvailable: Type.Optional(Int64({ description: "The least free room." })),
  maxAvailable: Type.Optional(Int64({ description: "The most free room; 0 is no limit." })),
};

export const CounterSelector = Type.Object({
  minCount: Type.Optional(Int64({ description: "The least count." })),
  maxCount: Type.Optional(Int64({ description: "The largest count; 0 is no limit." })),
  ...room,
});
export type CounterSelector = Readonly<Static<typeof CounterSelector>>;

export const ListSelector = Type.Object({
  containsValue: Type.Optional(Type.String({ description: "A value that the list must hold; empty for any." })),
  ...room,
});
export type ListSelector = Readonly<Static<typeof ListSelector>>;

const NEEDS_COUNTS = "Needs the feature gate CountsAndLists.";

const matchLabels = Type.Optional(
  MapOf(Type.String(), { description: "Labels and their values, all of which it must have." }),
);
const matchExpressions = Type.Unsafe<NonNullable<LabelSelector["matchExpressions"]>>({
  type: "array",
  description: "Conditions on labels, all of which must hold.",
  items: {
    type: "object",
    required: ["key", "operator"],
    properties: {
      key: { type: "string", description: "The label's key." },
      operator: { type: "string", description: "In, NotIn, Exists or DoesNotExist." },
      values: { type: "array", items: { type: "string" }, description: "Values for In and NotIn." },
    },
  },
});

export const GameServerSelector = Type.Object({
  matchLabels,
  matchExpressions: Type.Optional(matchExpressions),
  /** Any string is carried here; validation says which are allowed. */
  gameServerState: Type.Optional(Type.String({ description: "Ready or Allocated. Default: Ready." })),
  players: Type.Optional(
    Type.Object(
      {
        minAvailable: Type.Optional(Int64({ description: "The fewest players that it can still take." })),
        maxAvailable: Type.Optional(Int64({ description: "The most; 0 looks at no players at all." })),
      },
      { description: "Room for players. Needs the feature gate PlayerAllocationFilter." },
    ),
  ),
  counters: Type.Optional(
    MapOf(CounterSelector, { description: `Counters that it must have, by name. ${NEEDS_COUNTS}` }),
  ),
  lists: Type.Optional(MapOf(ListSelector, { description: `Lists that it must have, by name. ${NEEDS_COUNTS}` })),
});
export type GameServerSelector = Readonly<Static<typeof GameServerSelector>>;

export const CounterAction = Type.Object({
  action: Type.Optional(Type.String({ description: "Increment or Decrement." })),
  amount: Type.Optional(Int64({ description: "By how much; what goes beyond 0 or the capacity is cut." })),
  capacity: Type.Optional(Int64({ description: "The new capacity, set before the count changes." })),
});
export type CounterAction = Readonly<Static<typeof CounterAction>>;

export const ListAction = Type.Object({
  addValues: Type.Optional(ArrayOf(Type.String(), { description: "Values to put in, as far as there is room." })),
  deleteValues: Type.Optional(ArrayOf(Type.String(), { description: "Values to take out, after the others are in." })),
  capacity: Type.Optional(Int64({ description: "The new capacity, from 0 to 1000, set before the values change." })),
});
export type ListAction = Readonly<Static<typeof ListAction>>;

const metadata = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        labels: Type.Optional(MapOf(Type.String(), { description: "Labels by key." })),
        annotations: Type.Optional(MapOf(Type.String(), { description: "Annotations by key." })),
      },
      { description },
    ),
  );

export const GameServerAllocationSpec = Type.Object({
  multiClusterSetting: Type.Optional(
    Type.Object(
      {
        enabled: Type.Optional(Type.Boolean({ description: "Whether other clusters are asked too. Default: false." })),
        policySelector: Type.Optional(
          Type.Object(
            { matchLabels, matchExpressions: Type.Optional(matchExpressions) },
            { description: "Which GameServerAllocationPolicies of the namespace count; an empty one takes all." },
          ),
        ),
      },
      { description: "Allocation across clusters." },
    ),
  ),
  required: Type.Optional(
    described(GameServerSelector, "Older form: what the server must be. Does not count where selectors are given."),
  ),
  preferred: Type.Optional(
    ArrayOf(GameServerSelector, {
      description:
        "Older form: what the server should rather be, best first. Does not count where selectors are given.",
    }),
  ),
  priorities: Type.Optional(
    ArrayOf(PriorityWithOrder, { description: `Which of the servers that match to look at first. ${NEEDS_COUNTS}` }),
  ),
  selectors: Type.Optional(
    ArrayOf(GameServerSelector, { description: "What the server must be: the first that any server matches counts." }),
  ),
  scheduling: Type.Optional(
    described(
      SchedulingStrategy,
      "Packed: from the node with the most game servers; Distributed: from any node. Default: Packed.",
    ),
  ),
  metadata: metadata("Labels and annotations that the allocated server gets."),
  counters: Type.Optional(
    MapOf(CounterAction, { description: `Changes of the allocated server's counters, by name. ${NEEDS_COUNTS}` }),
  ),
  lists: Type.Optional(
    MapOf(ListAction, { description: `Changes of the allocated server's lists, by name. ${NEEDS_COUNTS}` }),
  ),
});
export type GameServerAllocationSpec = Readonly<Static<typeof GameServerAllocationSpec>>;

export const AllocationState = OneOf(["Allocated", "UnAllocated", "Contention"], {
  description:
    "Allocated: a server is yours; UnAllocated: none matched; Contention: all that matched were taken meanwhile.",
});
export type AllocationState = Static<typeof AllocationState>;

export const GameServerAllocationStatus = Type.Object({
  state: AllocationState,
  gameServerName: Type.String({ description: "The server's name; empty for none." }),
  ports: Type.Optional(ArrayOf(GameServerStatusPort, { description: "Its ports as clients reach them." })),
  address: Type.Optional(Type.String({ description: "The address that clients reach it at." })),
  addresses: Type.Optional(
    Type.Unsafe<readonly NodeAddress[]>({
      type: "array",
      items: ADDRESS,
      description: "All addresses of its node, then those of its Pod.",
    }),
  ),
  nodeName: Type.Optional(Type.String({ description: "The node that it runs on." })),
  source: Type.String({
    description: "The word local, or the endpoint of the cluster that it is of; empty for no server.",
  }),
  metadata: metadata("Its labels and annotations, those of the request among them."),
  counters: Type.Optional(MapOf(CounterStatus, { description: `Its counters afterwards, by name. ${NEEDS_COUNTS}` })),
  lists: Type.Optional(MapOf(ListStatus, { description: `Its lists afterwards, by name. ${NEEDS_COUNTS}` })),
});
export type GameServerAllocationStatus = Readonly<Static<typeof GameServerAllocationStatus>>;

export interface GameServerAllocation extends KubeObject {
  readonly spec?: GameServerAllocationSpec;
  readonly status?: GameServerAllocationStatus;
}
