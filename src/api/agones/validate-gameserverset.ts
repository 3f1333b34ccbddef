/** The rules of a GameServerSet that its schema cannot say. */
import { semanticEqual } from "../meta/equality.ts";
import { type FieldError, forbidden, invalid } from "../meta/field.ts";
import type { JsonValue } from "../meta/json.ts";
import { defaultGameServerSpec } from "./defaults.ts";
import type { FeatureGates } from "./feature-gates.ts";
import type { GameServerSet, GameServerSetSpec } from "./fleet.ts";
import type { GameServerTemplateSpec } from "./gameserver.ts";
import { validateGameServerSpec } from "./validate-gameserver.ts";
import { validateMetadata, validateName } from "./validate-metadata.ts";

export function validateGameServerSet(set: GameServerSet, gates: FeatureGates): readonly FieldError[] {
  const spec: Partial<GameServerSetSpec> = set.spec ?? {};
  return [
    ...validateName(set.metadata),
    ...validateTemplate(spec.template, gates),
    ...validatePrioritiesGate(spec.priorities, gates),
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

/** The template of a set or Fleet, with the defaults its servers will get filled in first. */
export function validateTemplate(
  template: GameServerTemplateSpec | undefined,
  gates: FeatureGates,
): readonly FieldError[] {
  const spec = template?.spec ?? { template: { spec: { containers: [] } } };
  return [
    ...validateGameServerSpec(defaultGameServerSpec(spec), gates, "spec.template.spec"),
    ...validateMetadata(template?.metadata, "spec.template.metadata"),
  ];
}

export function validatePrioritiesGate(priorities: unknown, gates: FeatureGates): readonly FieldError[] {
  return priorities && !gates.CountsAndLists
    ? [forbidden("spec.priorities", "FeatureCountsAndLists is not enabled")]
    : [];
}
