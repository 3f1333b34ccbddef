/** Counters and lists (beta) and players (alpha) over a session; each refused while its feature gate is off. */
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import type { SDK as AlphaSDK } from "#proto/gen/agones/dev/sdk/alpha/alpha_pb.ts";
import type { SDK as BetaSDK } from "#proto/gen/agones/dev/sdk/beta/beta_pb.ts";
import type { ServiceHandlers } from "#runtime/grpc/handlers.ts";
import { RpcError } from "#runtime/grpc/rpc-error.ts";
import { counterOf, decideCounter } from "./decide-counter.ts";
import { decideAddition, decideList, decideRemoval, listOf } from "./decide-list.ts";
import {
  decideConnect,
  decideDisconnect,
  decidePlayerCapacity,
  playerCapacityOf,
  playersOf,
} from "./decide-players.ts";
import type { GameServerSession } from "./game-server-session.ts";

/** Whose calls are served. */
export interface Served {
  readonly session: GameServerSession;
  readonly gates: FeatureGates;
}

export const betaHandlers: ServiceHandlers<typeof BetaSDK, Served> = {
  getCounter: async ({ name }, { signal }, { session, gates }) => {
    requireGate(gates, "CountsAndLists");
    return counterMessage(await session.readCounts(signal), name);
  },
  updateCounter: async ({ counterUpdateRequest: request }, { signal }, { session, gates }) => {
    requireGate(gates, "CountsAndLists");
    if (!request) throw refusal("invalid argument. CounterUpdateRequest: <nil> cannot be nil");
    const { gameServer } = await session.count(signal, (seen) => decideCounter(seen, request));
    return counterMessage(gameServer, request.name);
  },
  getList: async ({ name }, { signal }, { session, gates }) => {
    requireGate(gates, "CountsAndLists");
    return listMessage(await session.readCounts(signal), name);
  },
  updateList: async ({ list, updateMask }, { signal }, { session, gates }) => {
    requireGate(gates, "CountsAndLists");
    const request = { list, mask: updateMask?.paths };
    const { gameServer } = await session.count(signal, (seen) => decideList(seen, request));
    return listMessage(gameServer, list?.name ?? "");
  },
  addListValue: async ({ name, value }, { signal }, { session, gates }) => {
    requireGate(gates, "CountsAndLists");
    const { gameServer } = await session.count(signal, (seen) => decideAddition(seen, name, value));
    return listMessage(gameServer, name);
  },
  removeListValue: async ({ name, value }, { signal }, { session, gates }) => {
    requireGate(gates, "CountsAndLists");
    const { gameServer } = await session.count(signal, (seen) => decideRemoval(seen, name, value));
    return listMessage(gameServer, name);
  },
};

export const alphaHandlers: ServiceHandlers<typeof AlphaSDK, Served> = {
  playerConnect: async ({ playerID }, { signal }, { session, gates }) => {
    requireGate(gates, "PlayerTracking");
    return { bool: (await session.count(signal, (seen) => decideConnect(seen, playerID))).changed };
  },
  playerDisconnect: async ({ playerID }, { signal }, { session, gates }) => {
    requireGate(gates, "PlayerTracking");
    return { bool: (await session.count(signal, (seen) => decideDisconnect(seen, playerID))).changed };
  },
  setPlayerCapacity: async ({ count }, { signal }, { session, gates }) => {
    requireGate(gates, "PlayerTracking");
    await session.count(signal, () => decidePlayerCapacity(count));
    return {};
  },
  getPlayerCapacity: async (_request, { signal }, { session, gates }) => {
    requireGate(gates, "PlayerTracking");
    return { count: playerCapacityOf(await session.readCounts(signal)) };
  },
  getPlayerCount: async (_request, { signal }, { session, gates }) => {
    requireGate(gates, "PlayerTracking");
    return { count: BigInt(playersOf(await session.readCounts(signal)).length) };
  },
  isPlayerConnected: async ({ playerID }, { signal }, { session, gates }) => {
    requireGate(gates, "PlayerTracking");
    return { bool: playersOf(await session.readCounts(signal)).includes(playerID) };
  },
  getConnectedPlayers: async (_request, { signal }, { session, gates }) => {
    requireGate(gates, "PlayerTracking");
    return { list: [...playersOf(await session.readCounts(signal))] };
  },
};

/** What the original's clients and tests match: nearly every refusal of these calls has the code `Unknown`. */
const refusal = (text: string): RpcError => new RpcError("Unknown", text);

function requireGate(gates: FeatureGates, gate: "CountsAndLists" | "PlayerTracking"): void {
  if (!gates[gate]) throw refusal(`${gate} not enabled`);
}

function counterMessage(gameServer: GameServer, name: string) {
  const counter = counterOf(gameServer, name);
  if (!counter) throw refusal(`counter not found: ${name}`);
  return { name, count: counter.count, capacity: counter.capacity };
}

function listMessage(gameServer: GameServer, name: string) {
  const list = listOf(gameServer, name);
  if (!list) throw refusal(`list not found: ${name}`);
  return { name, capacity: list.capacity, values: [...(list.values ?? [])] };
}
