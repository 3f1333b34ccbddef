/** The conditions of FleetAutoscalers, with the reasons each may give; `docs/reference/conditions.md` tells what they mean. */
import type { ConditionReasons } from "../agones/condition-types.ts";

export const FLEETAUTOSCALER_CONDITIONS = {
  /** The fleet can be read, the policy asked, and the size written: as `status.ableToScale`. */
  AbleToScale: ["FleetFound", "FleetNotFound", "FleetBeingDeleted", "FleetTaken", "FleetNotWritable", "PolicyFailed"],
  /** The policy gives a size. */
  ScalingActive: ["PolicyApplied", "PolicyFailed", "ScheduleInactive"],
  /** The size that the policy asks for is beyond its limits. */
  ScalingLimited: ["AtMinimum", "AtMaximum", "WithinLimits"],
} as const satisfies ConditionReasons;
