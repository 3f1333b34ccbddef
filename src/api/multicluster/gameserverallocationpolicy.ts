/** `GameServerAllocationPolicy` of multicluster.agones.dev/v1: a cluster that allocations may be sent to. */
import type { Static } from "typebox";
import * as Type from "typebox";
import { VERSION } from "../agones/constants.ts";
import { customResource } from "../agones/custom-resource.ts";
import { ArrayOf, Int32, Int64 } from "../agones/schema.ts";
import type { KubeObject } from "../meta/object.ts";

export const MULTICLUSTER_GROUP = "multicluster.agones.dev";

export const ConnectionInfo = Type.Object(
  {
    clusterName: Type.Optional(
      Type.String({ description: "The cluster's name: policies of one name and priority are one cluster." }),
    ),
    allocationEndpoints: Type.Optional(
      ArrayOf(Type.String(), {
        minItems: 1,
        description: "Where it is asked: hosts, with a port or 443, tried in order. Without it, this cluster itself.",
      }),
    ),
    secretName: Type.Optional(
      Type.String({ description: "A Secret of the policy's namespace with tls.crt, tls.key and, if need be, ca.crt." }),
    ),
    namespace: Type.String({ description: "Where servers are looked for, in this cluster too." }),
    serverCa: Type.Optional(
      Type.String({ format: "byte", description: "PEM certificates in base64, trusted besides ca.crt." }),
    ),
  },
  { description: "How the cluster is reached. Without it the policy never finds a server." },
);
export type ConnectionInfo = Readonly<Static<typeof ConnectionInfo>>;

export const GameServerAllocationPolicySpec = Type.Object({
  priority: Int32({ minimum: 0, description: "The lowest is tried first." }),
  weight: Int64({
    minimum: 0,
    description: "Its share of the requests among clusters of one priority; 0 for all of them skips the priority.",
  }),
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
