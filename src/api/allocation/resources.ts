/** The kind of allocation.agones.dev/v1, described as a client needs it. */
import { customResource } from "../agones/custom-resource.ts";
import {
  type GameServerAllocation,
  GameServerAllocationSpec,
  GameServerAllocationStatus,
  GROUP,
  VERSION,
} from "./gameserverallocation.ts";

export const GAMESERVERALLOCATIONS = customResource<GameServerAllocation>(
  { group: GROUP, version: VERSION, kind: "GameServerAllocation", plural: "gameserverallocations" },
  GameServerAllocationSpec,
  GameServerAllocationStatus,
);
