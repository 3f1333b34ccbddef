/**
 * The kinds of agones.dev/v1 as a client needs them, without their schemas: what starts often, or runs beside every game, does not
 * load those. Which members are int64, and become `bigint` when an object is read, is said by the schemas; a test holds this against
 * them.
 */
import { int64Decoder } from "../meta/int64.ts";
import type { JsonObject } from "../meta/json.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { GROUP, VERSION } from "./constants.ts";
import type { Fleet, GameServerSet } from "./fleet.ts";
import type { GameServer } from "./gameserver.ts";

const int64 = { format: "int64" };
const members = (properties: JsonObject): JsonObject => ({ properties });
const named = (additionalProperties: JsonObject): JsonObject => ({ additionalProperties });

const players = members({ count: int64, capacity: int64 });
const counters = named(players);
const lists = named(members({ capacity: int64 }));
const gameServerSpec = members({ players: members({ initialCapacity: int64 }), counters, lists });

const sums = members({ allocatedCount: int64, allocatedCapacity: int64, count: int64, capacity: int64 });
const ofMany = members({
  spec: members({ template: members({ spec: gameServerSpec }) }),
  status: members({ players, counters: named(sums), lists: named(sums) }),
});

function agones<T extends KubeObject>(kind: string, plural: string, schema: JsonObject): ResourceType<T> {
  const decode = int64Decoder(schema);
  return {
    group: GROUP,
    version: VERSION,
    kind,
    plural,
    namespaced: true,
    decode: (json) => decode(json) as unknown as T,
  };
}

export const GAMESERVERS = agones<GameServer>(
  "GameServer",
  "gameservers",
  members({ spec: gameServerSpec, status: members({ players, counters, lists }) }),
);
export const GAMESERVERSETS = agones<GameServerSet>("GameServerSet", "gameserversets", ofMany);
export const FLEETS = agones<Fleet>("Fleet", "fleets", ofMany);
