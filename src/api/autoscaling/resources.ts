/** The kind of autoscaling.agones.dev/v1, described as a client needs it. */
import { VERSION } from "../agones/constants.ts";
import { customResource } from "../agones/custom-resource.ts";
import {
  AUTOSCALING_GROUP,
  type FleetAutoscaler,
  FleetAutoscalerSpec,
  FleetAutoscalerStatus,
} from "./fleetautoscaler.ts";

export const FLEETAUTOSCALERS = customResource<FleetAutoscaler>(
  { group: AUTOSCALING_GROUP, version: VERSION, kind: "FleetAutoscaler", plural: "fleetautoscalers" },
  FleetAutoscalerSpec,
  FleetAutoscalerStatus,
);
