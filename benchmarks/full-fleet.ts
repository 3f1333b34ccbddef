/** A Fleet with nearly every field of the contract, as its documentation shows them. */
export const FULL_FLEET = {
  apiVersion: "agones.dev/v1",
  kind: "Fleet",
  metadata: { name: "duel-full", namespace: "default", labels: { tier: "gold" } },
  spec: {
    replicas: 20,
    scheduling: "Packed",
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "20%", maxUnavailable: 2 } },
    allocationOverflow: { labels: { drain: "yes", cohort: "" }, annotations: { "drain-note": "replaced" } },
    priorities: [
      { type: "Counter", key: "rounds" },
      { type: "List", key: "roster", order: "Descending" },
    ],
    template: {
      metadata: { labels: { mode: "ranked" }, annotations: { "cost-centre": "42" } },
      spec: {
        container: "duel",
        scheduling: "Packed",
        ports: [
          { name: "play", portPolicy: "Dynamic", range: "default", containerPort: 7654, protocol: "UDP" },
          { name: "both", portPolicy: "Dynamic", containerPort: 7655, protocol: "TCPUDP" },
          { name: "pass", portPolicy: "Passthrough", protocol: "UDP" },
          { name: "fixed", portPolicy: "Static", containerPort: 7700, hostPort: 30700, protocol: "TCP" },
          { name: "inside", portPolicy: "None", containerPort: 7800, protocol: "TCP" },
          { name: "query", portPolicy: "Dynamic", container: "query-proxy", containerPort: 9000, protocol: "UDP" },
        ],
        health: { disabled: false, initialDelaySeconds: 12, periodSeconds: 4, failureThreshold: 2 },
        sdkServer: { logLevel: "Debug", grpcPort: 9457, httpPort: 9458 },
        counters: { rounds: { count: 0, capacity: 12 }, kills: { capacity: 1000 } },
        lists: { roster: { capacity: 4, values: ["ann", "bo"] }, bans: { capacity: 1000, values: [] } },
        eviction: { safe: "OnUpgrade" },
        immutableReplicas: 1,
        template: {
          metadata: { labels: { app: "duel" }, annotations: { team: "duel" } },
          spec: {
            serviceAccountName: "duel-sa",
            terminationGracePeriodSeconds: 90,
            restartPolicy: "Never",
            tolerations: [{ key: "pool", operator: "Equal", value: "games", effect: "NoSchedule" }],
            initContainers: [{ name: "query-proxy", image: "registry.example.net/query:1", restartPolicy: "Always" }],
            containers: [
              {
                name: "duel",
                image: "registry.example.net/duel:3",
                env: [{ name: "MAP", value: "harbour" }],
                resources: { requests: { cpu: "250m", memory: "128Mi" }, limits: { cpu: "1", memory: "256Mi" } },
              },
              { name: "log-tail", image: "registry.example.net/tail:2" },
            ],
          },
        },
      },
    },
  },
};
