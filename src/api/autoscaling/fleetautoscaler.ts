/** `FleetAutoscaler` of autoscaling.agones.dev/v1: sets the size of a Fleet by a policy. */
import { type Static, Type } from "typebox";
import { Conditions } from "../agones/common.ts";
import { Int32, Nullable, OneOf } from "../agones/schema.ts";
import type { KubeObject } from "../meta/object.ts";
import { FleetAutoscalerPolicy } from "./policy.ts";

export const AUTOSCALING_GROUP = "autoscaling.agones.dev";

/** When the policy is asked. */
export const FleetAutoscalerSync = Type.Object({
  type: OneOf(["FixedInterval"]),
  fixedInterval: Type.Optional(Nullable(Type.Object({ seconds: Int32({ minimum: 0, exclusiveMinimum: true }) }))),
});
export type FleetAutoscalerSync = Readonly<Static<typeof FleetAutoscalerSync>>;

export const FleetAutoscalerSpec = Type.Object({
  /** A Fleet of the same namespace. */
  fleetName: Type.String({ minLength: 1, maxLength: 63, pattern: "^[a-z0-9]([-\\.a-z0-9]*[a-z0-9])?$" }),
  policy: FleetAutoscalerPolicy,
  sync: Type.Optional(FleetAutoscalerSync),
});
export type FleetAutoscalerSpec = Readonly<Static<typeof FleetAutoscalerSpec>>;

export const FleetAutoscalerStatus = Type.Object({
  currentReplicas: Type.Optional(Int32()),
  desiredReplicas: Type.Optional(Int32()),
  lastScaleTime: Type.Optional(Nullable(Type.Unsafe<string>({ type: "string", format: "date-time" }))),
  ableToScale: Type.Optional(Type.Boolean()),
  scalingLimited: Type.Optional(Type.Boolean()),
  /** A policy type; of a chain `Chain:<id>:<type>`; empty while unable to scale. */
  lastAppliedPolicy: Type.Optional(Type.String({ default: "" })),
  conditions: Type.Optional(Conditions),
});
export type FleetAutoscalerStatus = Readonly<Static<typeof FleetAutoscalerStatus>>;

export interface FleetAutoscaler extends KubeObject {
  readonly spec: FleetAutoscalerSpec;
  readonly status?: FleetAutoscalerStatus;
}
