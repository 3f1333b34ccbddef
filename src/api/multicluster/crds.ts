/** The CustomResourceDefinition of multicluster.agones.dev. */
import { customResourceDefinition, objectSchema } from "../agones/definition.ts";
import type { CustomResourceDefinition } from "../core/custom-resource-definition.ts";
import { GameServerAllocationPolicySpec, MULTICLUSTER_GROUP } from "./gameserverallocationpolicy.ts";

export function gameServerAllocationPolicyDefinition(): CustomResourceDefinition {
  return customResourceDefinition(
    {
      group: MULTICLUSTER_GROUP,
      kind: "GameServerAllocationPolicy",
      plural: "gameserverallocationpolicies",
      shortNames: ["gsap"],
    },
    {
      schema: {
        openAPIV3Schema: objectSchema("A cluster that allocations may be sent to.", {
          spec: GameServerAllocationPolicySpec,
        }),
      },
    },
  );
}
