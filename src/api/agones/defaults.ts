/**
 * What admission fills in at creation. Every function is idempotent and returns the object it was given when nothing
 * was missing. int64 values are only carried, never computed with, so objects straight from JSON may be passed.
 */
import { FINALIZER, SAFE_TO_EVICT_ANNOTATION, SDK_VERSION_ANNOTATION } from "./constants.ts";
import { podSpecOf } from "./containers.ts";
import type { FeatureGates } from "./feature-gates.ts";
import { filled, mapped } from "./filled.ts";
import type { Fleet, FleetStrategy } from "./fleet.ts";
import type { GameServer, GameServerPort, GameServerSpec, GameServerStatus, Health } from "./gameserver.ts";
import { needsHostPort } from "./port-policy.ts";

export interface DefaultingOptions {
  readonly gates: FeatureGates;
  /** Stadion's version, stamped into the `agones.dev/sdk-version` annotation. */
  readonly version: string;
}

/** Completes a new GameServer; `status` takes its first state and its counters, lists and eviction from the spec. */
export function defaultGameServer(gameServer: GameServer, { gates, version }: DefaultingOptions): GameServer {
  const { metadata } = gameServer;
  const finalizers = metadata.finalizers ?? [];
  const spec = defaultGameServerSpec(gameServer.spec);
  return filled(gameServer, {
    metadata: filled(metadata, {
      annotations: filled(metadata.annotations ?? {}, { [SDK_VERSION_ANNOTATION]: version }),
      finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER],
    }),
    spec,
    status: defaultStatus(gameServer.status ?? {}, spec, gates),
  });
}

/** Completes a spec; also run in memory, and not stored, before a template of a Fleet or GameServerSet is validated. */
export function defaultGameServerSpec(spec: GameServerSpec): GameServerSpec {
  const { containers } = podSpecOf(spec);
  const container = containers.length === 1 ? containers[0]?.name : spec.container;
  return filled(spec, {
    ...(container !== undefined && { container }),
    ...(spec.ports && { ports: mapped(spec.ports, (port) => defaultPort(port, container)) }),
    health: defaultHealth(spec.health ?? {}),
    eviction: filled(spec.eviction ?? {}, { safe: spec.eviction?.safe || "Never" }),
    scheduling: spec.scheduling || "Packed",
    sdkServer: filled(spec.sdkServer ?? {}, {
      logLevel: spec.sdkServer?.logLevel || "Info",
      grpcPort: spec.sdkServer?.grpcPort || 9357,
      httpPort: spec.sdkServer?.httpPort || 9358,
    }),
  });
}

/** Completes a new Fleet; its template stays as written. */
export function defaultFleet(fleet: Fleet, version: string): Fleet {
  return filled(fleet, {
    metadata: filled(fleet.metadata, {
      annotations: filled(fleet.metadata.annotations ?? {}, { [SDK_VERSION_ANNOTATION]: version }),
    }),
    spec: filled(fleet.spec, {
      strategy: defaultStrategy(fleet.spec.strategy ?? {}),
      scheduling: fleet.spec.scheduling || "Packed",
    }),
  });
}

function defaultPort(port: GameServerPort, container: string | undefined): GameServerPort {
  const named = port.container || container;
  return filled(port, {
    portPolicy: port.portPolicy || "Dynamic",
    range: port.range || "default",
    protocol: port.protocol || "UDP",
    ...(named !== undefined && { container: named }),
  });
}

function defaultHealth(health: Health): Health {
  if (health.disabled) return health;
  const positive = (value: number | undefined, otherwise: number): number => (value && value > 0 ? value : otherwise);
  return filled(health, {
    periodSeconds: positive(health.periodSeconds, 5),
    failureThreshold: positive(health.failureThreshold, 3),
    initialDelaySeconds: positive(health.initialDelaySeconds, 5),
  });
}

function defaultStatus(status: GameServerStatus, spec: GameServerSpec, gates: FeatureGates): GameServerStatus {
  const evictable = spec.template?.metadata?.annotations?.[SAFE_TO_EVICT_ANNOTATION] === "true";
  return filled(status, {
    state: status.state || (spec.ports?.some(needsHostPort) ? "PortAllocation" : "Creating"),
    ...(gates.PlayerTracking && {
      players: filled(status.players ?? {}, spec.players ? { capacity: spec.players.initialCapacity ?? 0n } : {}),
    }),
    eviction: evictable ? filled(spec.eviction ?? {}, { safe: "Always" }) : spec.eviction,
    ...(gates.CountsAndLists && spec.counters && { counters: spec.counters }),
    ...(gates.CountsAndLists && spec.lists && { lists: spec.lists }),
  });
}

function defaultStrategy(strategy: FleetStrategy): FleetStrategy {
  const type = strategy.type || "RollingUpdate";
  const rolling = strategy.rollingUpdate ?? {};
  return filled(strategy, {
    type,
    ...(type === "RollingUpdate" && {
      rollingUpdate: filled(rolling, {
        maxSurge: rolling.maxSurge ?? "25%",
        maxUnavailable: rolling.maxUnavailable ?? "25%",
      }),
    }),
  });
}
