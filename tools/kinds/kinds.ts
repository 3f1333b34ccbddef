/** The kinds of the contract as their reference pages tell of them. */
import { GROUP, VERSION } from "#api/allocation/gameserverallocation.ts";
import { gameServerAllocationSchema } from "#api/allocation/schema.ts";
import type { CustomResourceColumn, CustomResourceVersion } from "#api/core/custom-resource-definition.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import type { JsonObject } from "#api/meta/json.ts";

export interface Kind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly schema: JsonObject;
  readonly subresources: CustomResourceVersion["subresources"];
  readonly columns: readonly CustomResourceColumn[];
  /** Whether objects of the kind are kept. */
  readonly stored: boolean;
}

export function contractKinds(): readonly Kind[] {
  const stored = buildCustomResourceDefinitions().flatMap(({ spec: { group, names, versions } }) =>
    versions.map(({ name, schema, subresources, additionalPrinterColumns }) => ({
      kind: names.kind,
      apiVersion: `${group}/${name}`,
      plural: names.plural,
      shortNames: names.shortNames ?? [],
      schema: schema?.openAPIV3Schema ?? {},
      subresources,
      columns: additionalPrinterColumns ?? [],
      stored: true,
    })),
  );
  const allocation: Kind = {
    kind: "GameServerAllocation",
    apiVersion: `${GROUP}/${VERSION}`,
    plural: "gameserverallocations",
    shortNames: ["gsa"],
    schema: gameServerAllocationSchema(),
    subresources: undefined,
    columns: [],
    stored: false,
  };
  return [...stored, allocation];
}
