/** What may change after creation, and where documentation, schema and behaviour of the contract part. */
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { JsonObject } from "#api/meta/json.ts";
import type { PromiseRow } from "#api/meta/promise-row.ts";
import { type ApiPromise, create, game, merge } from "./api-promise.fixture.ts";

const server = (more: JsonObject = {}) => create("GameServer", { spec: game(more) });
const set = (more: JsonObject = {}) =>
  create("GameServerSet", { spec: { replicas: 1, template: { spec: game() }, ...more } });
const fleet = (more: JsonObject = {}, spec: JsonObject = {}) =>
  create("Fleet", { spec: { template: { spec: game(spec) }, ...more } });
const rolling = (maxSurge: number | string) => ({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge } } });
const buffer = (bufferSize: number | string, minReplicas: number) =>
  create("FleetAutoscaler", {
    spec: { fleetName: "duel", policy: { type: "Buffer", buffer: { bufferSize, minReplicas, maxReplicas: 30 } } },
  });
const priority = { type: "Counter", key: "rooms" };

const updates: readonly ApiPromise[] = [
  {
    section: "13",
    name: "a GameServer's spec may change, and nobody heeds it",
    requests: [server(), merge("GameServer", { spec: { container: "nobody", health: { periodSeconds: 7 } } })],
    code: 200,
    shows: { spec: { container: "nobody", health: { periodSeconds: 7 } } },
  },
  {
    section: "13",
    name: "a GameServer's state may change with its spec, by anybody who may write it",
    requests: [server(), merge("GameServer", { status: { state: "Ready" }, metadata: { labels: { a: "b" } } })],
    code: 200,
    shows: { status: { state: "Ready" }, metadata: { labels: { a: "b" }, generation: 2 } },
  },
  {
    section: "13",
    name: "a set's size, scheduling and priorities may change",
    requests: [
      set(),
      merge("GameServerSet", { spec: { replicas: 7, scheduling: "Distributed", priorities: [priority] } }),
    ],
    code: 200,
    shows: { spec: { replicas: 7, scheduling: "Distributed", priorities: [priority] } },
  },
  {
    section: "13",
    name: "a set's template may not change",
    requests: [set(), merge("GameServerSet", { spec: { template: { spec: { container: "other" } } } })],
    code: 422,
    message: "GameServerSet template cannot be updated",
  },
  {
    section: "13",
    name: "a Fleet's template may change",
    requests: [fleet(), merge("Fleet", { spec: { template: { spec: { health: { periodSeconds: 7 } } } } })],
    code: 200,
    shows: { spec: { template: { spec: { health: { periodSeconds: 7 } } } } },
  },
  {
    section: "13",
    name: "a Fleet is checked in full on update, and not completed",
    requests: [fleet(), merge("Fleet", { spec: { strategy: null } })],
    code: 422,
    message: 'spec.strategy.type: Unsupported value: "": supported values: "RollingUpdate", "Recreate"',
  },
  {
    section: "13",
    name: "a stale write of the SDK fails as invalid",
    requests: [
      server(),
      {
        method: "PATCH",
        path: "/apis/agones.dev/v1/namespaces/default/gameservers/a",
        body: [
          { op: "test", path: "/metadata/resourceVersion", value: "1" },
          { op: "replace", path: "/status/state", value: "Ready" },
        ],
      },
    ],
    code: 422,
    shows: { reason: "Invalid" },
  },
];

const disagreements: readonly ApiPromise[] = [
  {
    section: "14",
    name: "a Static port needs no host port",
    requests: [server({ ports: [{ portPolicy: "Static", containerPort: 7000 }] })],
    code: 201,
    without: ["spec.ports.0.hostPort"],
  },
  {
    section: "14",
    name: "the identity of a chain's entry has no default: two without one collide",
    requests: [
      create("FleetAutoscaler", {
        spec: {
          fleetName: "duel",
          policy: {
            type: "Chain",
            chain: [1, 2].map((bufferSize) => ({ type: "Buffer", buffer: { bufferSize, maxReplicas: 30 } })),
          },
        },
      }),
    ],
    code: 422,
    message: 'spec.policy.chain: Invalid value: "": id of chain entry must be unique',
  },
  {
    section: "14",
    name: "a surge of the text 30 is 30 percent",
    requests: [fleet(rolling("30"))],
    code: 201,
    shows: { spec: { strategy: { rollingUpdate: { maxSurge: "30", maxUnavailable: "25%" } } } },
  },
  {
    section: "14",
    name: "a buffer's percentage needs its sign",
    requests: [buffer("30", 1)],
    code: 422,
    message: 'spec.policy.buffer.bufferSize: Invalid value: "30": bufferSize should be between 1% and 99%',
  },
  {
    section: "14",
    name: "what must be greater than 0 is told as greater than or equal",
    requests: [buffer("30%", 0)],
    code: 422,
    message: "spec.policy.buffer.minReplicas: Invalid value: 0: must be greater than or equal to 0",
  },
  {
    section: "14",
    name: "a set's priorities get no order",
    requests: [set({ priorities: [priority] })],
    code: 201,
    shows: { spec: { priorities: [priority] } },
    without: ["spec.priorities.0.order"],
  },
  {
    section: "14",
    name: "a Fleet's priorities do",
    requests: [fleet({ priorities: [priority] })],
    code: 201,
    shows: { spec: { priorities: [{ ...priority, order: "Ascending" }] } },
  },
  {
    section: "14",
    name: "a GameServer's players are refused without their gate",
    requests: [server({ players: { initialCapacity: 4 } })],
    code: 422,
    message: "spec.players: Forbidden: Value cannot be set unless feature flag PlayerTracking is enabled",
  },
  {
    section: "14",
    name: "a Wasm policy is refused without its gate",
    requests: [
      create("FleetAutoscaler", {
        spec: { fleetName: "duel", policy: { type: "Wasm", wasm: { from: { url: { url: "http://a" } } } } },
      }),
    ],
    code: 422,
    message: "spec.policy.wasm: Forbidden: feature WasmAutoscaler must be enabled",
  },
  {
    section: "14",
    name: "marks for servers beyond the size need no gate",
    requests: [fleet({ allocationOverflow: { labels: { drain: "yes" } } })],
    code: 201,
    shows: { spec: { allocationOverflow: { labels: { drain: "yes" } } } },
  },
  {
    section: "14",
    name: "the SDK server's level is logLevel, and logging is dropped",
    requests: [server({ sdkServer: { logging: "Debug", logLevel: "Trace" } })],
    code: 201,
    shows: { spec: { sdkServer: { logLevel: "Trace" } } },
    without: ["spec.sdkServer.logging"],
  },
];

export const promises: readonly ApiPromise[] = [...updates, ...disagreements];

interface GatesPromise extends PromiseRow {
  readonly text: string;
  readonly error: string;
}

export const gateTexts: readonly GatesPromise[] = [
  {
    section: "14",
    name: "the name of a gate that is no more is fatal",
    text: "FleetAllocationOverflow=true",
    error: 'Feature Gate "FleetAllocationOverflow" is not a valid Feature Gate',
  },
];

interface SelectorPromise extends PromiseRow {
  readonly gates: Partial<FeatureGates>;
  /** Paths of the faults of a selector that wants between 5 and 1 free places for players. */
  readonly faults: readonly string[];
}

export const selectors: readonly SelectorPromise[] = [
  { section: "14", name: "players of a selector are not looked at without their gate", gates: {}, faults: [] },
  {
    section: "14",
    name: "players of a selector are looked at with their gate",
    gates: { PlayerAllocationFilter: true },
    faults: ["spec.selectors[0].players.minAvailable"],
  },
];
