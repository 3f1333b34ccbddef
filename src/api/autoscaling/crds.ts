/** The CustomResourceDefinition of autoscaling.agones.dev. */
import { Type } from "typebox";
import { customResourceDefinition, objectSchema } from "../agones/definition.ts";
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { CustomResourceDefinition } from "../core/custom-resource-definition.ts";
import { AUTOSCALING_GROUP, FleetAutoscalerSpec, FleetAutoscalerStatus } from "./fleetautoscaler.ts";
import { SimplePolicy } from "./policy.ts";

/** Without the gate ScheduledAutoscaler its schema knows no schedules and chains. */
export function fleetAutoscalerDefinition({ ScheduledAutoscaler }: FeatureGates): CustomResourceDefinition {
  const spec = ScheduledAutoscaler
    ? FleetAutoscalerSpec
    : Type.Object({ ...FleetAutoscalerSpec.properties, policy: SimplePolicy });
  return customResourceDefinition(
    {
      group: AUTOSCALING_GROUP,
      kind: "FleetAutoscaler",
      plural: "fleetautoscalers",
      singular: "fleetautoscaler",
      shortNames: ["fas"],
    },
    {
      schema: { openAPIV3Schema: objectSchema({ spec, status: FleetAutoscalerStatus }) },
      subresources: { status: {} },
    },
  );
}
