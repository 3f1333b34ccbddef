/** The rules of a Fleet that its schema cannot say; the same at creation and on every update. */
import { child, type FieldError, invalid, notSupported, required } from "../meta/field.ts";
import type { IntOrString } from "../meta/int-or-string.ts";
import type { CloudProduct } from "./cloud-product/cloud-product.ts";
import { generic } from "./cloud-product/generic.ts";
import type { FeatureGates } from "./feature-gates.ts";
import type { Fleet, FleetSpec, FleetStrategy } from "./fleet.ts";
import { TEMPLATE_METADATA, validatePrioritiesGate, validateServers } from "./validate-gameserverset.ts";
import { validateMetadata, validateName } from "./validate-metadata.ts";

const MISSING = "must be set when the strategy type is RollingUpdate";

export function validateFleet(
  fleet: Fleet,
  gates: FeatureGates,
  product: CloudProduct = generic,
): readonly FieldError[] {
  const spec: Partial<FleetSpec> = fleet.spec ?? {};
  return [
    ...validateName(fleet.metadata),
    ...validateStrategy(spec.strategy ?? {}),
    ...validateServers(spec, gates, product),
    ...validateMetadata(spec.template?.metadata, TEMPLATE_METADATA),
    ...validateMetadata(spec.allocationOverflow ?? undefined, "spec.allocationOverflow"),
    ...validatePrioritiesGate(spec.priorities, gates),
  ];
}

function validateStrategy({ type, rollingUpdate }: FleetStrategy): readonly FieldError[] {
  if (type === "Recreate") return [];
  if (type !== "RollingUpdate") {
    return [notSupported("spec.strategy.type", type ?? "", ["RollingUpdate", "Recreate"])];
  }
  const path = "spec.strategy.rollingUpdate";
  if (!rollingUpdate) return [required(path, MISSING)];
  return [
    ...validateShare(rollingUpdate.maxUnavailable, child(path, "maxUnavailable")),
    ...validateShare(rollingUpdate.maxSurge, child(path, "maxSurge")),
  ];
}

/** An absolute number, or a percentage whose sign may be missing: the string `30` is 30 %. */
function validateShare(value: IntOrString | null | undefined, path: string): readonly FieldError[] {
  if (value === undefined || value === null) {
    return [required(path, MISSING)];
  }
  if (typeof value === "number") return value < 1 ? [invalid(path, value, "must be at least 1")] : [];
  const digits = value.replaceAll("%", "");
  const percent = /^[+-]?\d+$/.test(digits) ? Number(digits) : 0;
  return percent < 1 || percent > 99 ? [invalid(path, value, "must be between 1% and 99%")] : [];
}
