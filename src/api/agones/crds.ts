/** The CustomResourceDefinitions of agones.dev, made from the schemas of our types. */
import type { TSchema } from "typebox";
import type {
  CustomResourceColumn,
  CustomResourceDefinition,
  CustomResourceVersion,
} from "../core/custom-resource-definition.ts";
import type { JsonObject } from "../meta/json.ts";
import { LIST_MAX_ITEMS } from "./common.ts";
import { GROUP, VERSION } from "./constants.ts";
import { FleetSpec, FleetStatus, GameServerSetSpec, GameServerSetStatus } from "./fleet.ts";
import { GameServerSpec, GameServerStatus } from "./gameserver.ts";
import { structuralSchema } from "./structural-schema.ts";

/** What an installation may change of them. */
export interface CrdOptions {
  /** Most values of a list, and its largest capacity. Default 1000. */
  readonly listsMaxItems?: number;
  /** Keeps members of the pod template that its schema does not know; otherwise they are dropped. Default false. */
  readonly podPreserveUnknownFields?: boolean;
}

/** GameServer, GameServerSet and Fleet, with structural schemas that a Kubernetes API server takes. */
export function buildCustomResourceDefinitions({
  listsMaxItems = LIST_MAX_ITEMS,
  podPreserveUnknownFields = false,
}: CrdOptions = {}): readonly CustomResourceDefinition[] {
  const schemaOf = (properties: { spec: TSchema; status: TSchema }, required: readonly string[] = []): JsonObject =>
    structuralSchema(
      { type: "object", properties, ...(required.length > 0 && { required }) } as unknown as JsonObject,
      { listsMaxItems, podPreserveUnknownFields },
    );
  return [
    definition("GameServer", ["gs"], {
      schema: { openAPIV3Schema: schemaOf({ spec: GameServerSpec, status: GameServerStatus }, ["spec"]) },
      // Only so that a PodDisruptionBudget can resolve the owner of a Pod: the count is always 1.
      subresources: {
        scale: {
          specReplicasPath: ".spec.immutableReplicas",
          statusReplicasPath: ".status.immutableReplicas",
        },
      },
      additionalPrinterColumns: gameServerColumns,
    }),
    definition("GameServerSet", ["gss", "gsset"], {
      schema: { openAPIV3Schema: schemaOf({ spec: GameServerSetSpec, status: GameServerSetStatus }) },
      ...replicated,
    }),
    definition("Fleet", ["flt"], {
      schema: { openAPIV3Schema: schemaOf({ spec: FleetSpec, status: FleetStatus }) },
      ...replicated,
    }),
  ];
}

const column = (name: string, type: CustomResourceColumn["type"], jsonPath: string): CustomResourceColumn => ({
  name,
  type,
  jsonPath,
});
const age = column("Age", "date", ".metadata.creationTimestamp");

const gameServerColumns: readonly CustomResourceColumn[] = [
  column("State", "string", ".status.state"),
  column("Address", "string", ".status.address"),
  column("Port", "string", ".status.ports[0].port"),
  column("Node", "string", ".status.nodeName"),
  age,
];

/** What Fleet and GameServerSet have in common. `.status.labelSelector` is part of the contract and never filled. */
const replicated = {
  subresources: {
    status: {},
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.labelSelector",
    },
  },
  additionalPrinterColumns: [
    column("Scheduling", "string", ".spec.scheduling"),
    column("Desired", "integer", ".spec.replicas"),
    column("Current", "integer", ".status.replicas"),
    column("Allocated", "integer", ".status.allocatedReplicas"),
    column("Ready", "integer", ".status.readyReplicas"),
    age,
  ],
} as const satisfies Partial<CustomResourceVersion>;

function definition(
  kind: string,
  shortNames: readonly string[],
  version: Omit<CustomResourceVersion, "name" | "served" | "storage">,
): CustomResourceDefinition {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}`, labels: { component: "crd" } },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames },
      versions: [{ name: VERSION, served: true, storage: true, ...version }],
    },
  };
}
