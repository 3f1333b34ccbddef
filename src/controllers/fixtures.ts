/** Objects for the controllers' tests: the smallest that make sense, with what a test says on top. */
import type { Fleet, GameServerSet, GameServerSetStatus } from "#api/agones/fleet.ts";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import type { ObjectMeta } from "#api/meta/object.ts";

const template = { spec: { template: { spec: { containers: [{ name: "game", image: "game:1" }] } } } };

export function buildGameServer(
  name: string,
  state: GameServerState | undefined,
  more: {
    readonly metadata?: ObjectMeta;
    readonly spec?: Partial<GameServer["spec"]>;
    readonly status?: GameServer["status"];
  } = {},
): GameServer {
  return {
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: "2030-01-01T00:00:00Z",
      finalizers: ["agones.dev/controller"],
      ...more.metadata,
    },
    spec: { ...template.spec, container: "game", ...more.spec },
    status: { state, eviction: { safe: "Never" }, ...more.status },
  };
}

export function buildSet(
  name: string,
  replicas: number,
  status?: GameServerSetStatus,
  more: { readonly metadata?: ObjectMeta; readonly spec?: Partial<GameServerSet["spec"]> } = {},
): GameServerSet {
  return {
    apiVersion: "agones.dev/v1",
    kind: "GameServerSet",
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "1", ...more.metadata },
    spec: { replicas, template, ...more.spec },
    ...(status && { status }),
  };
}

export function buildFleet(
  replicas: number | undefined,
  more: {
    readonly metadata?: ObjectMeta;
    readonly spec?: Partial<Fleet["spec"]>;
    readonly status?: Fleet["status"];
  } = {},
): Fleet {
  return {
    apiVersion: "agones.dev/v1",
    kind: "Fleet",
    metadata: { name: "arena", namespace: "default", uid: "uid-arena", resourceVersion: "1", ...more.metadata },
    spec: {
      ...(replicas !== undefined && { replicas }),
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      scheduling: "Packed",
      template,
      ...more.spec,
    },
    ...(more.status && { status: more.status }),
  };
}
