/** The smallest and the fullest manifest of each kind, as documentation shows them. */
import type { PromiseRow } from "#api/meta/promise-row.ts";

interface ManifestPromise extends PromiseRow {
  /** Where it is sent to. */
  readonly path: string;
  /** In YAML. */
  readonly manifest: string;
}

const row = (name: string, group: string, plural: string, manifest: string): ManifestPromise => ({
  section: "15",
  name,
  path: `/apis/${group}/v1/namespaces/default/${plural}`,
  manifest: `apiVersion: ${group}/v1\n${manifest}`,
});
const server = (name: string, manifest: string) => row(name, "agones.dev", "gameservers", manifest);
const set = (name: string, manifest: string) => row(name, "agones.dev", "gameserversets", manifest);
const fleet = (name: string, manifest: string) => row(name, "agones.dev", "fleets", manifest);
const autoscaler = (name: string, manifest: string) =>
  row(name, "autoscaling.agones.dev", "fleetautoscalers", manifest);
const policy = (name: string, manifest: string) =>
  row(name, "multicluster.agones.dev", "gameserverallocationpolicies", manifest);
const allocation = (name: string, manifest: string) =>
  row(name, "allocation.agones.dev", "gameserverallocations", manifest);

export const manifests: readonly ManifestPromise[] = [
  server(
    "the smallest GameServer",
    `kind: GameServer
metadata: {name: duel-1}
spec:
  template:
    spec:
      containers: [{name: duel, image: "registry.example.net/duel:3"}]`,
  ),
  server(
    "the fullest GameServer",
    `kind: GameServer
metadata:
  generateName: duel-
  labels: {mode: ranked}
  annotations: {owner: team-duel}
spec:
  container: duel
  scheduling: Distributed
  ports:
    - {name: play, portPolicy: Dynamic, range: default, containerPort: 7654, protocol: UDP}
    - {name: both, portPolicy: Dynamic, containerPort: 7655, protocol: TCPUDP}
    - {name: pass, portPolicy: Passthrough, protocol: UDP}
    - {name: fixed, portPolicy: Static, containerPort: 7700, hostPort: 30700, protocol: TCP}
    - {name: inside, portPolicy: None, containerPort: 7800, protocol: TCP}
    - {name: query, portPolicy: Dynamic, container: query-proxy, containerPort: 9000, protocol: UDP}
  health: {disabled: false, initialDelaySeconds: 12, periodSeconds: 4, failureThreshold: 2}
  sdkServer: {logLevel: Debug, grpcPort: 9457, httpPort: 9458}
  counters:
    rounds: {count: 0, capacity: 12}
    kills: {}
  lists:
    roster: {capacity: 4, values: [ann, bo]}
    bans: {}
  eviction: {safe: OnUpgrade}
  immutableReplicas: 1
  template:
    metadata: {labels: {app: duel}, annotations: {team: duel}}
    spec:
      serviceAccountName: duel-sa
      terminationGracePeriodSeconds: 90
      restartPolicy: Never
      tolerations: [{key: pool, operator: Equal, value: games, effect: NoSchedule}]
      initContainers:
        - {name: query-proxy, image: "registry.example.net/query:1", restartPolicy: Always}
      containers:
        - name: duel
          image: registry.example.net/duel:3
          resources: {requests: {cpu: 250m, memory: 128Mi}, limits: {cpu: "1", memory: 256Mi}}
        - {name: log-tail, image: "registry.example.net/tail:2"}`,
  ),
  set(
    "the smallest GameServerSet",
    `kind: GameServerSet
metadata: {name: duel-set}
spec:
  replicas: 2
  template: {spec: {template: {spec: {containers: [{name: duel, image: "registry.example.net/duel:3"}]}}}}`,
  ),
  set(
    "the fullest GameServerSet",
    `kind: GameServerSet
metadata: {name: duel-set-full, labels: {agones.dev/fleet: duel}}
spec:
  replicas: 5
  scheduling: Packed
  allocationOverflow: {labels: {drain: "yes"}, annotations: {drain-note: replaced}}
  priorities: [{type: Counter, key: rounds, order: Ascending}, {type: List, key: roster, order: Descending}]
  template:
    metadata: {labels: {mode: casual}}
    spec:
      ports: [{name: play, containerPort: 7654}]
      counters: {rounds: {capacity: 12}}
      lists: {roster: {capacity: 4}}
      template: {spec: {containers: [{name: duel, image: "registry.example.net/duel:3"}]}}`,
  ),
  fleet(
    "the smallest Fleet",
    `kind: Fleet
metadata: {name: duel}
spec:
  template: {spec: {template: {spec: {containers: [{name: duel, image: "registry.example.net/duel:3"}]}}}}`,
  ),
  fleet(
    "the fullest Fleet",
    `kind: Fleet
metadata: {name: duel-full, labels: {tier: gold}}
spec:
  replicas: 20
  scheduling: Packed
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 20%, maxUnavailable: 2}}
  allocationOverflow: {labels: {drain: "yes", cohort: ""}, annotations: {drain-note: replaced}}
  priorities:
    - {type: Counter, key: rounds}
    - {type: List, key: roster, order: Descending}
  template:
    metadata: {labels: {mode: ranked}, annotations: {cost-centre: "42"}}
    spec:
      ports: [{name: play, portPolicy: Passthrough, protocol: TCPUDP}]
      health: {periodSeconds: 20, initialDelaySeconds: 45}
      sdkServer: {logLevel: Error}
      counters: {rounds: {capacity: 12}}
      lists: {roster: {capacity: 4, values: []}}
      eviction: {safe: Always}
      template:
        spec:
          terminationGracePeriodSeconds: 300
          containers: [{name: duel, image: "registry.example.net/duel:3", resources: {requests: {cpu: 2}}}]`,
  ),
  autoscaler(
    "the smallest FleetAutoscaler",
    `kind: FleetAutoscaler
metadata: {name: duel-fas}
spec:
  fleetName: duel
  policy: {type: Buffer, buffer: {bufferSize: 3, maxReplicas: 30}}`,
  ),
  autoscaler(
    "the fullest FleetAutoscaler",
    `kind: FleetAutoscaler
metadata: {name: duel-fas-full}
spec:
  fleetName: duel-full
  sync: {type: FixedInterval, fixedInterval: {seconds: 15}}
  policy:
    type: Chain
    chain:
      - id: cup-final
        type: Schedule
        schedule:
          between: {start: "2030-05-01T00:00:00Z", end: "2099-05-02T00:00:00Z"}
          activePeriod: {timezone: Europe/Oslo, startCron: "30 17 * * 6,0", duration: 5h30m}
          policy:
            type: Counter
            counter: {key: rounds, bufferSize: 25%, minCapacity: 60, maxCapacity: 900}
      - id: oracle
        type: Webhook
        webhook: {service: {name: oracle, namespace: tools, path: /fleet-size, port: 8443}}
      - id: roster
        type: List
        list: {key: roster, bufferSize: 8, minCapacity: 16, maxCapacity: 400}
      - id: floor
        type: Buffer
        buffer: {bufferSize: 10%, minReplicas: 5, maxReplicas: 50}`,
  ),
  policy(
    "the smallest GameServerAllocationPolicy",
    `kind: GameServerAllocationPolicy
metadata: {name: here}
spec: {priority: 1, weight: 100, connectionInfo: {namespace: games}}`,
  ),
  policy(
    "the fullest GameServerAllocationPolicy",
    `kind: GameServerAllocationPolicy
metadata: {name: north, labels: {region: north}}
spec:
  priority: 2
  weight: 30
  connectionInfo:
    clusterName: north-1
    allocationEndpoints: [alloc.north.example.net, "198.51.100.9:8443"]
    secretName: north-client
    namespace: games
    serverCa: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==`,
  ),
  allocation("the smallest GameServerAllocation", `kind: GameServerAllocation`),
  allocation(
    "a GameServerAllocation in the older form",
    `kind: GameServerAllocation
spec: {required: {matchLabels: {agones.dev/fleet: duel}}, preferred: [{matchLabels: {canary: "1"}}]}`,
  ),
  allocation(
    "the fullest GameServerAllocation",
    `kind: GameServerAllocation
spec:
  multiClusterSetting: {enabled: false, policySelector: {matchLabels: {region: north}}}
  scheduling: Distributed
  selectors:
    - matchLabels: {agones.dev/fleet: duel-full}
      gameServerState: Allocated
      counters: {rounds: {minAvailable: 1, maxCount: 10}}
      lists: {roster: {minAvailable: 2, containsValue: ann}}
    - matchLabels: {agones.dev/fleet: duel-full}
      matchExpressions: [{key: mode, operator: NotIn, values: [casual]}]
      gameServerState: Ready
  priorities: [{type: List, key: roster, order: Ascending}]
  metadata: {labels: {match: m-77}, annotations: {map: harbour}}
  counters: {rounds: {action: Increment, amount: 1, capacity: 15}}
  lists: {roster: {addValues: [cy], deleteValues: [bo], capacity: 6}}`,
  ),
];
