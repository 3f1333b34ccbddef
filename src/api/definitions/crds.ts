/** All CustomResourceDefinitions that an installation puts into its cluster. */
import { LIST_MAX_ITEMS } from "../agones/constants.ts";
import { agonesDefinitions } from "../agones/crds.ts";
import { type FeatureGates, featureGates } from "../agones/feature-gates.ts";
import { fleetAutoscalerDefinition } from "../autoscaling/crds.ts";
import type { CustomResourceDefinition } from "../core/custom-resource-definition.ts";
import { gameServerAllocationPolicyDefinition } from "../multicluster/crds.ts";

/** What an installation may change of them. */
export interface CrdOptions {
  /** Default: each gate's own. */
  readonly gates?: FeatureGates;
  /** Most values of a list, and its largest capacity. Default 1000. */
  readonly listsMaxItems?: number;
  /** Keeps members of the pod template that its schema does not know; otherwise they are dropped. Default false. */
  readonly podPreserveUnknownFields?: boolean;
}

/** GameServer, GameServerSet, Fleet, FleetAutoscaler and GameServerAllocationPolicy, with structural schemas. */
export function buildCustomResourceDefinitions({
  gates = featureGates(),
  listsMaxItems = LIST_MAX_ITEMS,
  podPreserveUnknownFields = false,
}: CrdOptions = {}): readonly CustomResourceDefinition[] {
  return [
    ...agonesDefinitions({ listsMaxItems, podPreserveUnknownFields }),
    fleetAutoscalerDefinition(gates),
    gameServerAllocationPolicyDefinition(),
  ];
}
