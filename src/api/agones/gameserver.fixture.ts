/** Objects for tests: small, valid, and as admission would have stored them. */
import { defaultGameServer } from "./defaults.ts";
import { featureGates } from "./feature-gates.ts";
import type { Fleet, FleetSpec, GameServerSet, GameServerSetSpec } from "./fleet.ts";
import type { GameServer, GameServerSpec, GameServerStatus } from "./gameserver.ts";

export const duel = { name: "duel", image: "registry.example.net/duel:3" };

/** As somebody writes it: one container `duel`, and what is given. */
export function manifest(spec: Partial<GameServerSpec> = {}, metadata: GameServer["metadata"] = {}): GameServer {
  return {
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: { name: "duel-1", namespace: "games", uid: "u-1", ...metadata },
    spec: { template: { spec: { containers: [duel] } }, ...spec },
  };
}

/** As it is stored, in the given status. */
export function stored(
  status: GameServerStatus = {},
  metadata: GameServer["metadata"] = {},
  spec: Partial<GameServerSpec> = {},
): GameServer {
  const defaulted = defaultGameServer(manifest(spec, metadata), { gates: featureGates(), version: "1.0.0" });
  return { ...defaulted, status: { ...defaulted.status, ...status } };
}

export function fleet(spec: Partial<FleetSpec> = {}, metadata: Fleet["metadata"] = {}): Fleet {
  return {
    apiVersion: "agones.dev/v1",
    kind: "Fleet",
    metadata: { name: "duel", namespace: "games", uid: "u-fleet", ...metadata },
    spec: { template: { spec: manifest().spec }, ...spec },
  };
}

export function gameServerSet(
  spec: Partial<GameServerSetSpec> = {},
  metadata: GameServerSet["metadata"] = {},
): GameServerSet {
  return {
    apiVersion: "agones.dev/v1",
    kind: "GameServerSet",
    metadata: { name: "duel-abc", namespace: "games", uid: "u-set", ...metadata },
    spec: { replicas: 2, template: { spec: manifest().spec }, ...spec },
  };
}
