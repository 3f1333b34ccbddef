/** The CustomResourceDefinition of autoscaling.agones.dev. */
import * as Type from "typebox";
import { customResourceDefinition, objectSchema } from "../agones/definition.ts";
import type { FeatureGates } from "../agones/feature-gates.ts";
import { described } from "../agones/schema.ts";
import type { CustomResourceDefinition } from "../core/custom-resource-definition.ts";
import { AUTOSCALING_GROUP, FleetAutoscalerSpec, FleetAutoscalerStatus, POLICY } from "./fleetautoscaler.ts";
import { SimplePolicy } from "./policy.ts";

/** Without the gate ScheduledAutoscaler its schema knows no schedules and chains. */
export function fleetAutoscalerDefinition({ ScheduledAutoscaler }: FeatureGates): CustomResourceDefinition {
  const spec = ScheduledAutoscaler
    ? FleetAutoscalerSpec
    : Type.Object({ ...FleetAutoscalerSpec.properties, policy: described(SimplePolicy, POLICY) });
  return customResourceDefinition(
    {
      group: AUTOSCALING_GROUP,
      kind: "FleetAutoscaler",
      plural: "fleetautoscalers",
      singular: "fleetautoscaler",
      shortNames: ["fas"],
    },
    {
      schema: {
        openAPIV3Schema: objectSchema("Sets the size of a Fleet by a policy.", { spec, status: FleetAutoscalerStatus }),
      },
      subresources: { status: {} },
    },
  );
}
