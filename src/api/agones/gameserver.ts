/** `GameServer` of agones.dev/v1: one dedicated game server process and its life. */
import { type Static, Type } from "typebox";
import type { NodeAddress } from "../core/node.ts";
import type { PodTemplateSpec } from "../core/pod.ts";
import type { KubeObject, ObjectMeta } from "../meta/object.ts";
import { Counters, GameServerStatusPort, Lists, SchedulingStrategy } from "./common.ts";
import { ArrayOf, Int32, Int64, Nullable, OneOf } from "./schema.ts";

export const GAMESERVER_STATES = [
  "PortAllocation",
  "Creating",
  "Starting",
  "Scheduled",
  "RequestReady",
  "Ready",
  "Shutdown",
  "Error",
  "Unhealthy",
  "Reserved",
  "Allocated",
] as const;
export type GameServerState = (typeof GAMESERVER_STATES)[number];

export const PortPolicy = OneOf(["Dynamic", "Static", "Passthrough", "None"]);
export type PortPolicy = Static<typeof PortPolicy>;
export const GameServerProtocol = OneOf(["UDP", "TCP", "TCPUDP"]);
export type GameServerProtocol = Static<typeof GameServerProtocol>;

export const GameServerPort = Type.Object({
  name: Type.Optional(Type.String()),
  range: Type.Optional(Type.String()),
  portPolicy: Type.Optional(PortPolicy),
  container: Type.Optional(Type.String()),
  containerPort: Type.Optional(Int32({ minimum: 1, maximum: 65535 })),
  hostPort: Type.Optional(Int32({ minimum: 1, maximum: 65535 })),
  protocol: Type.Optional(GameServerProtocol),
});
export type GameServerPort = Readonly<Static<typeof GameServerPort>>;

export const Health = Type.Object({
  disabled: Type.Optional(Type.Boolean()),
  initialDelaySeconds: Type.Optional(Int32({ minimum: 0, maximum: 2147483648 })),
  periodSeconds: Type.Optional(Int32({ minimum: 0, maximum: 2147483648 })),
  failureThreshold: Type.Optional(Int32({ minimum: 1, maximum: 2147483648 })),
});
export type Health = Readonly<Static<typeof Health>>;

export const SdkServer = Type.Object({
  logLevel: Type.Optional(OneOf(["Error", "Info", "Debug", "Trace"])),
  grpcPort: Type.Optional(Int32({ minimum: 1, maximum: 65535 })),
  httpPort: Type.Optional(Int32({ minimum: 1, maximum: 65535 })),
});
export type SdkServer = Readonly<Static<typeof SdkServer>>;

export const Eviction = Type.Object({ safe: Type.Optional(OneOf(["Always", "OnUpgrade", "Never"])) });
export type Eviction = Readonly<Static<typeof Eviction>>;

const immutableReplicas = Int32({ minimum: 1, maximum: 1, default: 1 });

/** Stands where the pod template's schema goes; `structural-schema.ts` puts the generated one in its place. */
const PodTemplate = Type.Unsafe<PodTemplateSpec>({ "x-stadion-pod-template": true });

export const GameServerSpec = Type.Object({
  container: Type.Optional(Type.String({ minLength: 0, maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" })),
  ports: Type.Optional(Nullable(ArrayOf(GameServerPort))),
  health: Type.Optional(Health),
  scheduling: Type.Optional(SchedulingStrategy),
  sdkServer: Type.Optional(SdkServer),
  players: Type.Optional(Nullable(Type.Object({ initialCapacity: Type.Optional(Int64({ minimum: 0 })) }))),
  counters: Type.Optional(Counters),
  lists: Type.Optional(Lists),
  eviction: Type.Optional(Eviction),
  immutableReplicas: Type.Optional(immutableReplicas),
  template: PodTemplate,
});
export type GameServerSpec = Readonly<Static<typeof GameServerSpec>>;

export const PlayerStatus = Type.Object({
  count: Type.Optional(Int64()),
  capacity: Type.Optional(Int64()),
  ids: Type.Optional(Nullable(ArrayOf(Type.String()))),
});
export type PlayerStatus = Readonly<Static<typeof PlayerStatus>>;

export const GameServerStatus = Type.Object({
  state: Type.Optional(OneOf(GAMESERVER_STATES)),
  ports: Type.Optional(Nullable(ArrayOf(GameServerStatusPort))),
  address: Type.Optional(Type.String()),
  addresses: Type.Optional(
    Nullable(
      Type.Unsafe<readonly NodeAddress[]>({
        type: "array",
        items: { type: "object", properties: { type: { type: "string" }, address: { type: "string" } } },
      }),
    ),
  ),
  nodeName: Type.Optional(Type.String()),
  reservedUntil: Type.Optional(Nullable(Type.Unsafe<string>({ type: "string", format: "date-time" }))),
  players: Type.Optional(Nullable(PlayerStatus)),
  counters: Type.Optional(Counters),
  lists: Type.Optional(Lists),
  eviction: Type.Optional(Eviction),
  immutableReplicas: Type.Optional(immutableReplicas),
});
export type GameServerStatus = Readonly<Static<typeof GameServerStatus>>;

export interface GameServer extends KubeObject {
  readonly spec: GameServerSpec;
  readonly status?: GameServerStatus;
}

/** Stands where the schema of a full ObjectMeta goes; `structural-schema.ts` puts it in its place. */
export const TemplateMetadata = Type.Unsafe<ObjectMeta>({ "x-stadion-object-meta": true });

/** A GameServer in a Fleet or GameServerSet before it has a name. */
export const GameServerTemplateSpec = Type.Object({ metadata: Type.Optional(TemplateMetadata), spec: GameServerSpec });
export type GameServerTemplateSpec = Readonly<Static<typeof GameServerTemplateSpec>>;
