import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { featureGates } from "#api/agones/feature-gates.ts";
import { convertSelectors, defaultAllocation } from "#api/allocation/defaults.ts";
import type { GameServerAllocation } from "#api/allocation/gameserverallocation.ts";
import { GAMESERVERALLOCATIONS } from "#api/allocation/resources.ts";
import { validateAllocation } from "#api/allocation/validate.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { applyJsonPatch } from "#api/meta/patch/json-patch.ts";
import { agonesAdmission } from "./admission.ts";

/** The smallest and the fullest manifest of each kind, as documentation shows them. */
const manifests = `
apiVersion: agones.dev/v1
kind: GameServer
metadata: {name: duel-1}
spec:
  template:
    spec:
      containers: [{name: duel, image: "registry.example.net/duel:3"}]
---
apiVersion: agones.dev/v1
kind: GameServer
metadata:
  generateName: duel-
  namespace: games
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
        - {name: log-tail, image: "registry.example.net/tail:2"}
---
apiVersion: agones.dev/v1
kind: GameServerSet
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
      template: {spec: {containers: [{name: duel, image: "registry.example.net/duel:3"}]}}
---
apiVersion: agones.dev/v1
kind: Fleet
metadata: {name: duel}
spec:
  template: {spec: {template: {spec: {containers: [{name: duel, image: "registry.example.net/duel:3"}]}}}}
---
apiVersion: agones.dev/v1
kind: Fleet
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
          containers: [{name: duel, image: "registry.example.net/duel:3", resources: {requests: {cpu: 2}}}]
`;

const requests = `
apiVersion: allocation.agones.dev/v1
kind: GameServerAllocation
---
apiVersion: allocation.agones.dev/v1
kind: GameServerAllocation
spec: {required: {matchLabels: {agones.dev/fleet: duel}}, preferred: [{matchLabels: {canary: "1"}}]}
---
apiVersion: allocation.agones.dev/v1
kind: GameServerAllocation
metadata: {namespace: games}
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
  lists: {roster: {addValues: [cy], deleteValues: [bo], capacity: 6}}
`;

const documents = (text: string) => parseAllDocuments(text).map((document) => document.toJS() as JsonObject);
const gates = featureGates();

describe("documented manifests are admitted as they stand", () => {
  const { mutate, validate } = agonesAdmission({ gates, version: "1.2.3" });
  const rows = documents(manifests).map((object, position) => [`${object.kind} ${position}`, object] as const);

  test.each(rows)("%s", async (_, object) => {
    const group = "agones.dev";
    const request = {
      uid: "r-1",
      kind: { group, version: "v1", kind: String(object.kind) },
      resource: { group, version: "v1", resource: `${String(object.kind).toLowerCase()}s` },
      operation: "CREATE",
      userInfo: { username: "ann", groups: [] },
      object,
      oldObject: null,
    } as const;
    const { patch = [] } = await mutate!.admit(request);
    const completed = applyJsonPatch(object, patch) as JsonObject;
    expect(await validate!.admit({ ...request, object: completed })).toEqual({ allowed: true });
  });
});

describe("documented requests for a server are valid as they stand", () => {
  test.each(documents(requests).map((json) => [json] as const))("%j", (json) => {
    const request: GameServerAllocation = GAMESERVERALLOCATIONS.decode({ metadata: {}, ...json });
    const completed = defaultAllocation(request, gates);
    expect(validateAllocation(completed, gates)).toEqual([]);
    expect(convertSelectors(completed).spec?.selectors?.length).toBeGreaterThan(0);
  });
});
