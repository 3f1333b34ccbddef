/**
 * GameServers as a client needs them, without the schemas: what runs beside every game is small. Which members are int64 is said by the
 * schemas of `gameserver.ts`; a test holds this against them.
 */
import { int64Decoder } from "../meta/int64.ts";
import type { JsonObject } from "../meta/json.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { GROUP, VERSION } from "./constants.ts";
import type { GameServer } from "./gameserver.ts";

const int64 = { format: "int64" };
const members = (properties: JsonObject): JsonObject => ({ properties });
const named = (additionalProperties: JsonObject): JsonObject => ({ additionalProperties });

const counters = named(members({ count: int64, capacity: int64 }));
const lists = named(members({ capacity: int64 }));

const decode = int64Decoder(
  members({
    spec: members({ players: members({ initialCapacity: int64 }), counters, lists }),
    status: members({ players: members({ count: int64, capacity: int64 }), counters, lists }),
  }),
);

export const GAMESERVERS: ResourceType<GameServer> = {
  group: GROUP,
  version: VERSION,
  kind: "GameServer",
  plural: "gameservers",
  namespaced: true,
  decode: (json) => decode(json) as unknown as GameServer,
};
