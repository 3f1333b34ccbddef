/** `GameServer` of agones.dev/v1: one dedicated game server process and its life. */
import type { Static } from "typebox";
import * as Type from "typebox";
import type { NodeAddress } from "../core/node.ts";
import type { PodTemplateSpec } from "../core/pod.ts";
import type { KubeObject, ObjectMeta } from "../meta/object.ts";
import { countersOf, GameServerStatusPort, listsOf, SchedulingStrategy } from "./common.ts";
import { ArrayOf, described, Int32, Int64, Nullable, OneOf } from "./schema.ts";

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
  name: Type.Optional(Type.String({ description: "A name, shown in the status beside the port's number." })),
  range: Type.Optional(
    Type.String({
      description: "The range that the host port comes from. Default: default. Needs the feature gate PortRanges.",
    }),
  ),
  portPolicy: Type.Optional(
    described(
      PortPolicy,
      "Dynamic: a free host port; Passthrough: the same, and the container listens on it; Static: the host port given; " +
        "None: no host port, which needs the gate PortPolicyNone. Default: Dynamic.",
    ),
  ),
  container: Type.Optional(
    Type.String({
      description: "The container that listens: one of the template, or a sidecar. Default: spec.container.",
    }),
  ),
  containerPort: Type.Optional(
    Int32({ minimum: 1, maximum: 65535, description: "Where the container listens. Not with the policy Passthrough." }),
  ),
  hostPort: Type.Optional(
    Int32({
      minimum: 1,
      maximum: 65535,
      description: "The port of the node. Yours to give with the policy Static alone.",
    }),
  ),
  protocol: Type.Optional(described(GameServerProtocol, "TCPUDP stands for two ports of one number. Default: UDP.")),
});
export type GameServerPort = Readonly<Static<typeof GameServerPort>>;

export const Health = Type.Object(
  {
    disabled: Type.Optional(
      Type.Boolean({ description: "Whether the game need not say that it is well. Default: false." }),
    ),
    initialDelaySeconds: Type.Optional(
      Int32({ minimum: 0, maximum: 2147483648, description: "Time for the first word. Default: 5." }),
    ),
    periodSeconds: Type.Optional(
      Int32({ minimum: 0, maximum: 2147483648, description: "Time from one word to the next. Default: 5." }),
    ),
    failureThreshold: Type.Optional(
      Int32({
        minimum: 1,
        maximum: 2147483648,
        description: "Missed words in a row until it is Unhealthy. Default: 3.",
      }),
    ),
  },
  { description: "How often the game must say, through the SDK, that it is well." },
);
export type Health = Readonly<Static<typeof Health>>;

export const SdkServer = Type.Object(
  {
    logLevel: Type.Optional(
      OneOf(["Error", "Info", "Debug", "Trace"], { description: "What its log tells. Default: Info." }),
    ),
    grpcPort: Type.Optional(
      Int32({ minimum: 1, maximum: 65535, description: "Its port for gRPC, on loopback. Default: 9357." }),
    ),
    httpPort: Type.Optional(
      Int32({ minimum: 1, maximum: 65535, description: "Its port for REST, on loopback. Default: 9358." }),
    ),
  },
  { description: "The SDK server that the game talks to." },
);
export type SdkServer = Readonly<Static<typeof SdkServer>>;

export const Eviction = Type.Object(
  {
    safe: Type.Optional(
      OneOf(["Always", "OnUpgrade", "Never"], {
        description: "Always: at any time; OnUpgrade: when its node is upgraded; Never: not at all. Default: Never.",
      }),
    ),
  },
  { description: "Whether its Pod may be moved by the cluster." },
);
export type Eviction = Readonly<Static<typeof Eviction>>;

const immutableReplicas = Int32({
  minimum: 1,
  maximum: 1,
  default: 1,
  description: "Always 1: lets a PodDisruptionBudget find the owner of the Pod. Default: 1.",
});

/** Stands where the pod template's schema goes; `structural-schema.ts` puts the generated one in its place. */
const PodTemplate = Type.Unsafe<PodTemplateSpec>({
  "x-stadion-pod-template": true,
  description: "The Pod of the game server, as Kubernetes describes a PodTemplateSpec.",
});

export const GameServerSpec = Type.Object({
  container: Type.Optional(
    Type.String({
      minLength: 0,
      maxLength: 63,
      pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
      description: "The container that is the game. Default: the only one of the template.",
    }),
  ),
  ports: Type.Optional(Nullable(ArrayOf(GameServerPort, { description: "Ports that clients reach the game at." }))),
  health: Type.Optional(Health),
  scheduling: Type.Optional(SchedulingStrategy),
  sdkServer: Type.Optional(SdkServer),
  players: Type.Optional(
    Nullable(
      Type.Object(
        {
          initialCapacity: Type.Optional(
            Int64({ minimum: 0, description: "Players that it can take at first. Default: 0." }),
          ),
        },
        { description: "Players of the game. Needs the feature gate PlayerTracking." },
      ),
    ),
  ),
  counters: Type.Optional(countersOf("Counters as they begin, by name.")),
  lists: Type.Optional(listsOf("Lists as they begin, by name.")),
  eviction: Type.Optional(Eviction),
  immutableReplicas: Type.Optional(immutableReplicas),
  template: PodTemplate,
});
export type GameServerSpec = Readonly<Static<typeof GameServerSpec>>;

export const PlayerStatus = Type.Object({
  count: Type.Optional(Int64({ description: "Players that are connected." })),
  capacity: Type.Optional(Int64({ description: "Players that it can take." })),
  ids: Type.Optional(Nullable(ArrayOf(Type.String(), { description: "The players that are connected." }))),
});
export type PlayerStatus = Readonly<Static<typeof PlayerStatus>>;

/** The schema of a NodeAddress. */
export const ADDRESS = {
  type: "object",
  properties: {
    type: { type: "string", description: "ExternalDNS, ExternalIP, InternalDNS, InternalIP, Hostname or PodIP." },
    address: { type: "string", description: "The address itself." },
  },
} as const;

export const GameServerStatus = Type.Object({
  state: Type.Optional(OneOf(GAMESERVER_STATES, { description: "Where it is in its life." })),
  ports: Type.Optional(Nullable(ArrayOf(GameServerStatusPort, { description: "Its ports as clients reach them." }))),
  address: Type.Optional(Type.String({ description: "The address that clients reach it at." })),
  addresses: Type.Optional(
    Nullable(
      Type.Unsafe<readonly NodeAddress[]>({
        type: "array",
        items: ADDRESS,
        description: "All addresses of its node, then those of its Pod.",
      }),
    ),
  ),
  nodeName: Type.Optional(Type.String({ description: "The node that it runs on." })),
  reservedUntil: Type.Optional(
    Nullable(
      Type.Unsafe<string>({ type: "string", format: "date-time", description: "When a reservation with an end ends." }),
    ),
  ),
  players: Type.Optional(Nullable(described(PlayerStatus, "Its players. Needs the feature gate PlayerTracking."))),
  counters: Type.Optional(countersOf("Its counters as they stand, by name.")),
  lists: Type.Optional(listsOf("Its lists as they stand, by name.")),
  eviction: Type.Optional(Eviction),
  immutableReplicas: Type.Optional(immutableReplicas),
});
export type GameServerStatus = Readonly<Static<typeof GameServerStatus>>;

export interface GameServer extends KubeObject {
  readonly spec: GameServerSpec;
  readonly status?: GameServerStatus;
}

/** Stands where the schema of a full ObjectMeta goes; `structural-schema.ts` puts it in its place. */
export const TemplateMetadata = Type.Unsafe<ObjectMeta>({
  "x-stadion-object-meta": true,
  description: "Labels, annotations and the like that each game server gets.",
});

/** A GameServer in a Fleet or GameServerSet before it has a name. */
export const GameServerTemplateSpec = Type.Object(
  {
    metadata: Type.Optional(TemplateMetadata),
    spec: described(GameServerSpec, "The spec that each game server gets."),
  },
  { description: "What each game server is made from." },
);
export type GameServerTemplateSpec = Readonly<Static<typeof GameServerTemplateSpec>>;
