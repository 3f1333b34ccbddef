/** Objects made from others: the GameServer of a set, the set of a Fleet. */
import type { ObjectMeta } from "../meta/object.ts";
import { FLEET_LABEL, GAMESERVERSET_LABEL, GROUP, VERSION } from "./constants.ts";
import { controllerReference } from "./controller-reference.ts";
import type { FeatureGates } from "./feature-gates.ts";
import type { Fleet, GameServerSet } from "./fleet.ts";
import type { GameServer } from "./gameserver.ts";

const apiVersion = `${GROUP}/${VERSION}`;

/**
 * A new server of the set, named `name` or by the API server (`<set>-…`). The set's scheduling replaces the template's;
 * a set of no Fleet gives an empty fleet label.
 */
export function gameServerFromSet(set: GameServerSet, name?: string): GameServer {
  const { scheduling: _, ...spec } = set.spec.template.spec;
  const { scheduling } = set.spec;
  const labels = {
    [GAMESERVERSET_LABEL]: set.metadata.name ?? "",
    [FLEET_LABEL]: set.metadata.labels?.[FLEET_LABEL] ?? "",
  };
  return {
    apiVersion,
    kind: "GameServer",
    metadata: childMetadata(set, labels, name),
    spec: { ...spec, ...(scheduling && { scheduling }) },
  };
}

export interface SetOptions {
  readonly name?: string;
  readonly replicas: number;
  /** Without CountsAndLists the set gets no priorities: it would be refused. */
  readonly gates: Pick<FeatureGates, "CountsAndLists">;
}

/**
 * A new set of the Fleet, named `name` or by the API server (`<fleet>-…`). The template's labels and annotations go on
 * the set as well as on its servers.
 */
export function gameServerSetFromFleet(fleet: Fleet, { name, replicas, gates }: SetOptions): GameServerSet {
  const { template, scheduling, allocationOverflow, priorities } = fleet.spec;
  return {
    apiVersion,
    kind: "GameServerSet",
    metadata: childMetadata(fleet, { [FLEET_LABEL]: fleet.metadata.name ?? "" }, name),
    spec: {
      replicas,
      template,
      ...(scheduling && { scheduling }),
      ...(allocationOverflow && { allocationOverflow }),
      ...(priorities && gates.CountsAndLists && { priorities }),
    },
  };
}

function childMetadata(
  owner: GameServerSet | Fleet,
  labels: Readonly<Record<string, string>>,
  name: string | undefined,
): ObjectMeta {
  const { name: _, resourceVersion: __, uid: ___, ...template } = owner.spec.template.metadata ?? {};
  return {
    ...template,
    ...(name && { name }),
    generateName: `${owner.metadata.name}-`,
    namespace: owner.metadata.namespace,
    labels: { ...template.labels, ...labels },
    ownerReferences: [...(template.ownerReferences ?? []), controllerReference(owner)],
  };
}
