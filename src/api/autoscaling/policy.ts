/** How a FleetAutoscaler decides on the size of its fleet: the policies of autoscaling.agones.dev/v1. */
import { type Static, Type } from "typebox";
import { ArrayOf, Int32, Int64, IntOrString, MapOf, Nullable, OneOf } from "../agones/schema.ts";

/** Keeps servers that are not allocated: an absolute number, or a percentage (`20%`) of the resulting total. */
export const BufferPolicy = Type.Object({
  maxReplicas: Int32({ minimum: 1 }),
  /** 0 is no minimum. */
  minReplicas: Type.Optional(Int32({ minimum: 0 })),
  bufferSize: Type.Optional(IntOrString()),
});
export type BufferPolicy = Readonly<Static<typeof BufferPolicy>>;

/** Keeps free places in a counter or list, summed over the fleet. */
export const CapacityPolicy = Type.Object({
  key: Type.String(),
  maxCapacity: Int64({ minimum: 1 }),
  minCapacity: Type.Optional(Int64({ minimum: 0 })),
  bufferSize: IntOrString(),
});
export type CapacityPolicy = Readonly<Static<typeof CapacityPolicy>>;

/** Where to ask: a URL, or a Service of the cluster. */
export const UrlConfiguration = Type.Object({
  url: Type.Optional(Type.String()),
  service: Type.Optional(
    Type.Object({
      namespace: Type.String(),
      name: Type.String(),
      path: Type.Optional(Type.String()),
      /** Default 8000. */
      port: Type.Optional(Int32()),
    }),
  ),
  /** PEM certificates in base64: the only roots that are trusted. */
  caBundle: Type.Optional(Type.String({ format: "byte" })),
});
export type UrlConfiguration = Readonly<Static<typeof UrlConfiguration>>;

export const WasmPolicy = Type.Object({
  /** The exported function to call. */
  function: Type.Optional(Type.String({ default: "scale" })),
  config: Type.Optional(MapOf(Type.String())),
  from: Type.Object({ url: Nullable(UrlConfiguration) }),
  /** SHA-256 of the module, in hexadecimal. */
  hash: Type.Optional(Type.String({ pattern: "^[a-fA-F0-9]{64}$" })),
});
export type WasmPolicy = Readonly<Static<typeof WasmPolicy>>;

/** The members of the policies that hold no other; which one counts is said by `type` alone. */
const simple = {
  buffer: Type.Optional(Nullable(BufferPolicy)),
  webhook: Type.Optional(Nullable(UrlConfiguration)),
  counter: Type.Optional(Nullable(CapacityPolicy)),
  list: Type.Optional(Nullable(CapacityPolicy)),
  wasm: Type.Optional(Nullable(WasmPolicy)),
};
const simpleTypes = ["Buffer", "Webhook", "Counter", "List", "Wasm"] as const;

/** A policy that holds no other: what a schedule may apply, and all there is without the gate ScheduledAutoscaler. */
export const SimplePolicy = Type.Object({ type: OneOf(simpleTypes), ...simple });
export type SimplePolicy = Readonly<Static<typeof SimplePolicy>>;

/** Applies a policy at certain times. */
export const SchedulePolicy = Type.Object({
  between: Type.Optional(
    Nullable(
      Type.Object({
        /** RFC 3339. Without a start it has begun, without an end it goes on for ever. */
        start: Type.Optional(Type.String()),
        end: Type.Optional(Type.String()),
      }),
    ),
  ),
  activePeriod: Type.Optional(
    Nullable(
      Type.Object({
        /** An IANA name; empty is UTC. */
        timezone: Type.Optional(Type.String()),
        /** Empty: active throughout `between`. */
        startCron: Type.Optional(Type.String()),
        /** A Go duration (`2h45m`); empty is without end. */
        duration: Type.Optional(Type.String()),
      }),
    ),
  ),
  policy: SimplePolicy,
});
export type SchedulePolicy = Readonly<Static<typeof SchedulePolicy>>;

const schedule = Type.Optional(Nullable(SchedulePolicy));

/** One policy of a chain. Its identity must be its own in the chain, an omitted one included. */
export const ChainEntry = Type.Object({
  id: Type.Optional(Type.String()),
  type: OneOf([...simpleTypes, "Schedule"]),
  ...simple,
  schedule,
});
export type ChainEntry = Readonly<Static<typeof ChainEntry>>;

export const FleetAutoscalerPolicy = Type.Object({
  type: OneOf([...simpleTypes, "Schedule", "Chain"]),
  ...simple,
  schedule,
  /** The first that gives an answer is applied. */
  chain: Type.Optional(Nullable(ArrayOf(Nullable(ChainEntry)))),
});
export type FleetAutoscalerPolicy = Readonly<Static<typeof FleetAutoscalerPolicy>>;
