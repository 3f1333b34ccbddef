/** `FleetAutoscaler` of autoscaling.agones.dev/v1: sets the size of a Fleet by a policy. */
import type { Static } from "typebox";
import * as Type from "typebox";
import { Conditions } from "../agones/common.ts";
import { described, Int32, Nullable, OneOf } from "../agones/schema.ts";
import type { KubeObject } from "../meta/object.ts";
import { FleetAutoscalerPolicy } from "./policy.ts";

export const AUTOSCALING_GROUP = "autoscaling.agones.dev";

/** When the policy is asked. */
export const FleetAutoscalerSync = Type.Object(
  {
    type: OneOf(["FixedInterval"], { description: "After the same time again and again. Default: FixedInterval." }),
    fixedInterval: Type.Optional(
      Nullable(
        Type.Object(
          {
            seconds: Int32({
              minimum: 0,
              exclusiveMinimum: true,
              description: "Time from one look to the next. Default: 30.",
            }),
          },
          { description: "For the type FixedInterval." },
        ),
      ),
    ),
  },
  { description: "When the policy is asked." },
);
export type FleetAutoscalerSync = Readonly<Static<typeof FleetAutoscalerSync>>;

/** What the policy of a FleetAutoscaler is, whatever it may hold. */
export const POLICY = "How the size is decided.";

export const FleetAutoscalerSpec = Type.Object({
  fleetName: Type.String({
    minLength: 1,
    maxLength: 63,
    pattern: "^[a-z0-9]([-\\.a-z0-9]*[a-z0-9])?$",
    description: "The Fleet whose size it sets; one of its own namespace.",
  }),
  policy: described(FleetAutoscalerPolicy, POLICY),
  sync: Type.Optional(FleetAutoscalerSync),
});
export type FleetAutoscalerSpec = Readonly<Static<typeof FleetAutoscalerSpec>>;

export const FleetAutoscalerStatus = Type.Object({
  currentReplicas: Type.Optional(Int32({ description: "Servers of the fleet at the last look." })),
  desiredReplicas: Type.Optional(Int32({ description: "Servers that the policy wants." })),
  lastScaleTime: Type.Optional(
    Nullable(
      Type.Unsafe<string>({
        type: "string",
        format: "date-time",
        description: "When it last changed the fleet's size.",
      }),
    ),
  ),
  ableToScale: Type.Optional(
    Type.Boolean({ description: "Whether the policy gave a size, and the fleet could get it." }),
  ),
  scalingLimited: Type.Optional(
    Type.Boolean({ description: "Whether the policy wants more, or less, than its limits allow." }),
  ),
  lastAppliedPolicy: Type.Optional(
    Type.String({
      default: "",
      description: "The policy's type; of a chain Chain:<id>:<type>; empty when it could not be asked.",
    }),
  ),
  conditions: Type.Optional(Conditions),
});
export type FleetAutoscalerStatus = Readonly<Static<typeof FleetAutoscalerStatus>>;

export interface FleetAutoscaler extends KubeObject {
  readonly spec: FleetAutoscalerSpec;
  readonly status?: FleetAutoscalerStatus;
}
