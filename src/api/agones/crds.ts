/** The CustomResourceDefinitions of agones.dev, made from the schemas of our types. */
import type {
  CustomResourceColumn,
  CustomResourceDefinition,
  CustomResourceVersion,
} from "../core/custom-resource-definition.ts";
import { GROUP } from "./constants.ts";
import { customResourceDefinition, objectSchema } from "./definition.ts";
import { FleetSpec, FleetStatus, GameServerSetSpec, GameServerSetStatus } from "./fleet.ts";
import { GameServerSpec, GameServerStatus } from "./gameserver.ts";
import { type StructuralOptions, structuralSchema } from "./structural-schema.ts";

/** GameServer, GameServerSet and Fleet, with structural schemas that a Kubernetes API server takes. */
export function agonesDefinitions(options: StructuralOptions): readonly CustomResourceDefinition[] {
  const definition = (
    kind: string,
    shortNames: readonly string[],
    schema: ReturnType<typeof objectSchema>,
    version: Partial<CustomResourceVersion>,
  ): CustomResourceDefinition => {
    const singular = kind.toLowerCase();
    return customResourceDefinition(
      { group: GROUP, kind, plural: `${singular}s`, singular, shortNames },
      { schema: { openAPIV3Schema: structuralSchema(schema, options) }, ...version },
    );
  };
  return [
    definition("GameServer", ["gs"], gameServer, {
      // Only so that a PodDisruptionBudget can resolve the owner of a Pod: the count is always 1.
      subresources: {
        scale: {
          specReplicasPath: ".spec.immutableReplicas",
          statusReplicasPath: ".status.immutableReplicas",
        },
      },
      additionalPrinterColumns: gameServerColumns,
    }),
    definition(
      "GameServerSet",
      ["gss", "gsset"],
      objectSchema(GAMESERVERSET, { spec: GameServerSetSpec, status: GameServerSetStatus }),
      replicated,
    ),
    definition("Fleet", ["flt"], objectSchema(FLEET, { spec: FleetSpec, status: FleetStatus }), replicated),
  ];
}

const GAMESERVERSET = "A number of game servers from one template. A Fleet makes them; there is seldom a need to.";
const FLEET = "A number of game servers that are kept ready, and that a new template replaces step by step.";
const gameServer = objectSchema(
  "One dedicated game server: a Pod with a game in it, its ports, and its life from start to shutdown.",
  { spec: GameServerSpec, status: GameServerStatus },
  ["spec"],
);

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
