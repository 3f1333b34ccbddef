/** The rules of a GameServerSet that its schema cannot say. */
import { semanticEqual } from "../meta/equality.ts";
import { type FieldError, forbidden, invalid } from "../meta/field.ts";
import type { JsonValue } from "../meta/json.ts";
import type { CloudProduct } from "./cloud-product/cloud-product.ts";
import { generic } from "./cloud-product/generic.ts";
import { defaultGameServerSpec } from "./defaults.ts";
import type { FeatureGates } from "./feature-gates.ts";
import type { GameServerSet, GameServerSetSpec } from "./fleet.ts";
import { validateGameServerSpec } from "./validate-gameserver.ts";
import { validateMetadata, validateName } from "./validate-metadata.ts";

export function validateGameServerSet(
  set: GameServerSet,
  gates: FeatureGates,
  product: CloudProduct = generic,
): readonly FieldError[] {
  const spec: Partial<GameServerSetSpec> = set.spec ?? {};
  return [
    ...validateName(set.metadata),
    ...validateServers(spec, gates, product),
    ...validatePrioritiesGate(spec.priorities, gates),
    ...validateMetadata(spec.template?.metadata, TEMPLATE_METADATA),
  ];
}

/** Only the name and the template are looked at: the template never changes, a Fleet makes a new set instead. */
export function validateGameServerSetUpdate(before: GameServerSet, after: GameServerSet): readonly FieldError[] {
  return [
    ...validateName(after.metadata),
    ...(semanticEqual(templateOf(before), templateOf(after))
      ? []
      : [invalid("spec.template", templateOf(after), "GameServerSet template cannot be updated")]),
  ];
}

const templateOf = ({ spec }: GameServerSet): JsonValue => (spec?.template ?? null) as unknown as JsonValue;

/** Where the labels and annotations stand that the servers of a set or Fleet get. */
export const TEMPLATE_METADATA = "spec.template.metadata";

/** The servers of a set or Fleet, with the defaults they will get filled in first, and the scheduling they will have. */
export function validateServers(
  { template, scheduling }: Partial<Pick<GameServerSetSpec, "template" | "scheduling">>,
  gates: FeatureGates,
  product: CloudProduct,
): readonly FieldError[] {
  const spec = template?.spec ?? { template: { spec: { containers: [] } } };
  return [
    ...validateGameServerSpec(defaultGameServerSpec(spec), gates, "spec.template.spec", product),
    ...product.validateScheduling(scheduling, "spec.scheduling"),
  ];
}

export function validatePrioritiesGate(priorities: unknown, gates: FeatureGates): readonly FieldError[] {
  return priorities && !gates.CountsAndLists
    ? [forbidden("spec.priorities", "FeatureCountsAndLists is not enabled")]
    : [];
}
