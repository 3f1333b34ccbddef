/** The schema of a whole GameServerAllocation: no CustomResourceDefinition has it, since the kind is never stored. */
import { objectSchema } from "../agones/definition.ts";
import type { JsonObject } from "../meta/json.ts";
import { GameServerAllocationSpec, GameServerAllocationStatus } from "./gameserverallocation.ts";

export function gameServerAllocationSchema(): JsonObject {
  return objectSchema("Asks for a game server, and answers which. Nothing is stored.", {
    spec: GameServerAllocationSpec,
    status: GameServerAllocationStatus,
  });
}
