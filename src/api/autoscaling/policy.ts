/** How a FleetAutoscaler decides on the size of its fleet: the policies of autoscaling.agones.dev/v1. */
import type { Static } from "typebox";
import * as Type from "typebox";
import { ArrayOf, described, Int32, Int64, IntOrString, MapOf, Nullable, OneOf } from "../agones/schema.ts";

/** Keeps servers that are not allocated: an absolute number, or a percentage (`20%`) of the resulting total. */
export const BufferPolicy = Type.Object(
  {
    maxReplicas: Int32({ minimum: 1, description: "The most servers the fleet may have." }),
    minReplicas: Type.Optional(
      Int32({
        minimum: 0,
        description: "The fewest servers the fleet may have; 0 is no minimum. At least 1 with a percentage.",
      }),
    ),
    bufferSize: Type.Optional(
      IntOrString({ description: "Servers to keep free: a number above 0, or 1% to 99% of all. Required." }),
    ),
  },
  { description: "Keeps servers that are not allocated." },
);
export type BufferPolicy = Readonly<Static<typeof BufferPolicy>>;

/** Keeps free places in a counter or list, summed over the fleet. */
export const CapacityPolicy = Type.Object({
  key: Type.String({ description: "The counter's or list's name." }),
  maxCapacity: Int64({ minimum: 1, description: "The most capacity of all servers together." }),
  minCapacity: Type.Optional(
    Int64({ minimum: 0, description: "The least capacity of all servers together. At least 1 with a percentage." }),
  ),
  bufferSize: IntOrString({ description: "Room to keep free: a number above 0, or 1% to 99% of the capacity." }),
});
export type CapacityPolicy = Readonly<Static<typeof CapacityPolicy>>;

/** Where to ask: a URL, or a Service of the cluster. */
export const UrlConfiguration = Type.Object({
  url: Type.Optional(Type.String({ description: "A whole URL. Not together with a service." })),
  service: Type.Optional(
    Type.Object(
      {
        namespace: Type.String({ description: "Its namespace; an empty one is default." }),
        name: Type.String({ description: "Its name." }),
        path: Type.Optional(Type.String({ description: "The path to ask; a missing slash is put before it." })),
        port: Type.Optional(Int32({ description: "Its port. Default: 8000." })),
      },
      { description: "A Service of the cluster. Not together with a url." },
    ),
  ),
  caBundle: Type.Optional(
    Type.String({
      format: "byte",
      description: "PEM certificates in base64: the only roots that are trusted. A service is then asked over https.",
    }),
  ),
});
export type UrlConfiguration = Readonly<Static<typeof UrlConfiguration>>;

export const WasmPolicy = Type.Object({
  function: Type.Optional(
    Type.String({ default: "scale", description: "The exported function to call. Default: scale." }),
  ),
  config: Type.Optional(MapOf(Type.String(), { description: "What the module may read by name." })),
  from: Type.Object(
    { url: Nullable(described(UrlConfiguration, "Where to get it by HTTP.")) },
    { description: "Where the module is." },
  ),
  hash: Type.Optional(
    Type.String({
      pattern: "^[a-fA-F0-9]{64}$",
      description: "SHA-256 of the module, in hexadecimal. Any module without it.",
    }),
  ),
});
export type WasmPolicy = Readonly<Static<typeof WasmPolicy>>;

const keepsRoom = (what: string): string =>
  `Keeps room in ${what}, summed over the fleet. Needs the feature gate CountsAndLists.`;
const which = { description: "Which of the policies is applied; the others do not count." };

/** The members of the policies that hold no other; which one counts is said by `type` alone. */
const simple = {
  buffer: Type.Optional(Nullable(BufferPolicy)),
  webhook: Type.Optional(Nullable(described(UrlConfiguration, "Asks a server of yours for the size."))),
  counter: Type.Optional(Nullable(described(CapacityPolicy, keepsRoom("a counter")))),
  list: Type.Optional(Nullable(described(CapacityPolicy, keepsRoom("a list")))),
  wasm: Type.Optional(
    Nullable(described(WasmPolicy, "Asks a WebAssembly module of yours. Needs the feature gate WasmAutoscaler.")),
  ),
};
const simpleTypes = ["Buffer", "Webhook", "Counter", "List", "Wasm"] as const;

/** A policy that holds no other: what a schedule may apply, and all there is without the gate ScheduledAutoscaler. */
export const SimplePolicy = Type.Object({ type: OneOf(simpleTypes, which), ...simple });
export type SimplePolicy = Readonly<Static<typeof SimplePolicy>>;

/** Applies a policy at certain times. */
export const SchedulePolicy = Type.Object(
  {
    between: Type.Optional(
      Nullable(
        Type.Object(
          {
            start: Type.Optional(Type.String({ description: "A time of RFC 3339. Without it, it has begun." })),
            end: Type.Optional(Type.String({ description: "A time of RFC 3339. Without it, it goes on for ever." })),
          },
          { description: "The time in which it may be active at all." },
        ),
      ),
    ),
    activePeriod: Type.Optional(
      Nullable(
        Type.Object(
          {
            timezone: Type.Optional(
              Type.String({ description: "The IANA name of the cron's time zone. Default: UTC." }),
            ),
            startCron: Type.Optional(
              Type.String({
                description: "When it becomes active: five fields, or @daily and the like. Without it, always.",
              }),
            ),
            duration: Type.Optional(
              Type.String({ description: "How long it stays active, such as 2h45m. Without it, for ever." }),
            ),
          },
          { description: "Recurring times in which it is active." },
        ),
      ),
    ),
    policy: described(SimplePolicy, "What is applied while it is active."),
  },
  { description: "Applies a policy at certain times. Needs the feature gate ScheduledAutoscaler." },
);
export type SchedulePolicy = Readonly<Static<typeof SchedulePolicy>>;

const schedule = Type.Optional(Nullable(SchedulePolicy));

/** One policy of a chain. Its identity must be its own in the chain, an omitted one included. */
export const ChainEntry = Type.Object({
  id: Type.Optional(Type.String({ description: "Its name in the chain. No two may have one, and one may have none." })),
  type: OneOf([...simpleTypes, "Schedule"], which),
  ...simple,
  schedule,
});
export type ChainEntry = Readonly<Static<typeof ChainEntry>>;

export const FleetAutoscalerPolicy = Type.Object({
  type: OneOf([...simpleTypes, "Schedule", "Chain"], which),
  ...simple,
  schedule,
  chain: Type.Optional(
    Nullable(
      ArrayOf(Nullable(ChainEntry), {
        description: "The first that gives an answer is applied. Needs the feature gate ScheduledAutoscaler.",
      }),
    ),
  ),
});
export type FleetAutoscalerPolicy = Readonly<Static<typeof FleetAutoscalerPolicy>>;
