/** `GameServerAllocationPolicy` of multicluster.agones.dev/v1: a cluster that allocations may be sent to. */
import { type Static, Type } from "typebox";
import { VERSION } from "../agones/constants.ts";
import { customResource } from "../agones/resources.ts";
import { ArrayOf, Int32, Int64 } from "../agones/schema.ts";
import type { KubeObject } from "../meta/object.ts";

export const MULTICLUSTER_GROUP = "multicluster.agones.dev";

export const ConnectionInfo = Type.Object({
  /** Policies of one name and priority are one cluster. */
  clusterName: Type.Optional(Type.String()),
  /** Host names or addresses, with a port or 443, tried in order; absent is this cluster itself. */
  allocationEndpoints: Type.Optional(ArrayOf(Type.String(), { minItems: 1 })),
  /** A Secret of the policy's namespace with `tls.crt`, `tls.key` and, if need be, `ca.crt`. */
  secretName: Type.Optional(Type.String()),
  /** Where servers are looked for, in this cluster too. */
  namespace: Type.String(),
  /** PEM certificates in base64, trusted besides `ca.crt`. */
  serverCa: Type.Optional(Type.String({ format: "byte" })),
});
export type ConnectionInfo = Readonly<Static<typeof ConnectionInfo>>;

export const GameServerAllocationPolicySpec = Type.Object({
  /** The lowest is tried first. */
  priority: Int32({ minimum: 0 }),
  /** The share of requests among clusters of one priority; a priority whose weights are all 0 is skipped. */
  weight: Int64({ minimum: 0 }),
  /** Without it a policy is valid and never finds a server. */
  connectionInfo: Type.Optional(ConnectionInfo),
});
export type GameServerAllocationPolicySpec = Readonly<Static<typeof GameServerAllocationPolicySpec>>;

/** It has no status, no defaults but those of its schema, and no rules beyond it. */
export interface GameServerAllocationPolicy extends KubeObject {
  readonly spec?: GameServerAllocationPolicySpec;
}

export const GAMESERVERALLOCATIONPOLICIES = customResource<GameServerAllocationPolicy>(
  {
    group: MULTICLUSTER_GROUP,
    version: VERSION,
    kind: "GameServerAllocationPolicy",
    plural: "gameserverallocationpolicies",
  },
  GameServerAllocationPolicySpec,
);
