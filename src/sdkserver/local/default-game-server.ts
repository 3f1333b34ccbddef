import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { rfc3339 } from "#runtime/clock.ts";

/** What local mode serves where no file says otherwise. `now` is in milliseconds since 1970. */
export function defaultGameServer({ uid = "1234", now, gates }: { uid?: string; now: number; gates: FeatureGates }) {
  return {
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: {
      name: "local",
      namespace: "default",
      uid,
      generation: 1,
      creationTimestamp: rfc3339(now),
      labels: { islocal: "true" },
      annotations: { annotation: "true" },
    },
    spec: {
      health: { disabled: false, periodSeconds: 3, failureThreshold: 5, initialDelaySeconds: 10 },
      template: { spec: { containers: [] } },
    },
    status: {
      state: "Ready",
      address: "127.0.0.1",
      ports: [{ name: "default", port: 7777 }],
      ...(gates.PlayerTracking && { players: { count: 0n, capacity: 0n, ids: [] } }),
      ...(gates.CountsAndLists && {
        counters: { rooms: { count: 1n, capacity: 10n } },
        lists: { players: { capacity: 100n, values: ["test0", "test1", "test2"] } },
      }),
    },
  } satisfies GameServer;
}
