/** A GameServer as the SDK protocol shows it. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import type { GameServerSchema } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";

export type SdkGameServer = MessageInitShape<typeof GameServerSchema>;

/** Seconds of Go's zero time: what clients see of a creation time that is not set. */
const ZERO_TIME = -62135596800n;

/** Players only with PlayerTracking, counters and lists only with CountsAndLists. */
export function toSdkGameServer({ metadata, spec, status }: GameServer, gates: FeatureGates): SdkGameServer {
  const { health } = spec;
  const players = gates.PlayerTracking ? status?.players : undefined;
  return {
    objectMeta: {
      name: metadata.name,
      namespace: metadata.namespace,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      generation: BigInt(metadata.generation ?? 0),
      creationTimestamp: seconds(metadata.creationTimestamp) ?? ZERO_TIME,
      deletionTimestamp: seconds(metadata.deletionTimestamp) ?? 0n,
      annotations: { ...metadata.annotations },
      labels: { ...metadata.labels },
    },
    spec: {
      health: {
        disabled: health?.disabled,
        periodSeconds: health?.periodSeconds,
        failureThreshold: health?.failureThreshold,
        initialDelaySeconds: health?.initialDelaySeconds,
      },
    },
    status: {
      state: status?.state,
      address: status?.address,
      addresses: (status?.addresses ?? []).map(({ type, address }) => ({ type, address })),
      ports: (status?.ports ?? []).map(({ name, port }) => ({ name, port })),
      ...(players && { players: { count: players.count, capacity: players.capacity, ids: [...(players.ids ?? [])] } }),
      ...(gates.CountsAndLists && countsAndLists(status)),
    },
  };
}

const countsAndLists = (status: GameServer["status"]) => ({
  counters: mapValues(status?.counters, ({ count, capacity }) => ({ count, capacity })),
  lists: mapValues(status?.lists, ({ capacity, values }) => ({ capacity, values: [...(values ?? [])] })),
});

function mapValues<T, U>(map: Readonly<Record<string, T>> | null | undefined, change: (value: T) => U) {
  return Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key, change(value)]));
}

function seconds(timestamp: string | null | undefined): bigint | undefined {
  const ms = Date.parse(timestamp ?? "");
  return Number.isNaN(ms) ? undefined : BigInt(Math.floor(ms / 1000));
}
