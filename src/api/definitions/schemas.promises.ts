/** What the schemas of the definitions say of their members. */
import type { PromiseRow } from "../meta/promise-row.ts";

type StoredKind = "GameServer" | "GameServerSet" | "Fleet" | "FleetAutoscaler" | "GameServerAllocationPolicy";

interface SchemaPromise extends PromiseRow {
  readonly kind: StoredKind;
  /** `a.b[]{}`: properties by dots, items and map values by brackets. */
  readonly path: string;
  /** Keywords with their exact values; `undefined` is absent. */
  readonly says: Readonly<Record<string, unknown>>;
}

const integer = { type: "integer" };
const int32 = { ...integer, format: "int32" };
const port = { ...int32, minimum: 1, maximum: 65535 };
const count = { ...int32, minimum: 0 };
// Beyond 32 bits by one: an API server would refuse every value of a format with a maximum outside it.
const seconds = { ...integer, format: undefined, minimum: 0, maximum: 2147483648 };
const text = { type: "string" };
const time = { ...text, format: "date-time", nullable: true };
const nullable = { nullable: true };
const once = { ...int32, minimum: 1, maximum: 1, default: 1 };
const scheduling = { ...text, enum: ["Packed", "Distributed"], default: undefined };
const states = [
  ..."PortAllocation Creating Starting Scheduled RequestReady Ready Shutdown Error".split(" "),
  ..."Unhealthy Reserved Allocated".split(" "),
];
const amount = { ...integer, format: "int64", minimum: 0 };

type Says = readonly [path: string, says: SchemaPromise["says"]];
const rows = (section: string, kind: StoredKind, all: readonly Says[]): readonly SchemaPromise[] =>
  all.map(([path, says]) => ({ section, name: `${kind} ${path}`, kind, path, says }));

const maps = (base: string): readonly Says[] => [
  [`${base}counters`, { type: "object", nullable: true, maxProperties: 1000 }],
  [`${base}counters{}.count`, { ...amount, default: 0 }],
  [`${base}counters{}.capacity`, { ...amount, default: 1000, maximum: undefined }],
  [`${base}lists`, { type: "object", nullable: true, maxProperties: 1000 }],
  [`${base}lists{}.capacity`, { ...amount, maximum: 1000, default: 1000 }],
  [`${base}lists{}.values`, { type: "array", "x-kubernetes-list-type": "set", maxItems: 1000, default: [] }],
];

const serverSpec: readonly Says[] = [
  ["", { required: ["template"] }],
  ["container", { ...text, minLength: 0, maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" }],
  ["ports", { type: "array", nullable: true, maxItems: undefined }],
  ["ports[].name", { ...text, maxLength: undefined }],
  ["ports[].range", text],
  ["ports[].portPolicy", { ...text, enum: ["Dynamic", "Static", "Passthrough", "None"], default: undefined }],
  ["ports[].container", text],
  ["ports[].containerPort", port],
  ["ports[].hostPort", port],
  ["ports[].protocol", { ...text, enum: ["UDP", "TCP", "TCPUDP"] }],
  ["health.disabled", { type: "boolean" }],
  ["health.initialDelaySeconds", seconds],
  ["health.periodSeconds", seconds],
  ["health.failureThreshold", { ...seconds, minimum: 1 }],
  ["scheduling", scheduling],
  ["sdkServer.logLevel", { ...text, enum: ["Error", "Info", "Debug", "Trace"] }],
  ["sdkServer.grpcPort", port],
  ["sdkServer.httpPort", port],
  ["players", nullable],
  ["players.initialCapacity", amount],
  ...maps(""),
  ["eviction.safe", { ...text, enum: ["Always", "OnUpgrade", "Never"] }],
  ["immutableReplicas", once],
];
const below = (base: string, all: readonly Says[]): readonly Says[] =>
  all.map(([path, says]) => [path === "" ? base : `${base}.${path}`, says]);

const gameServer: readonly SchemaPromise[] = [
  ...rows("4.1", "GameServer", [["", { required: ["spec"] }], ...below("spec", serverSpec)]),
  ...rows("4.1", "Fleet", below("spec.template.spec", serverSpec)),
  ...rows("4.1", "GameServerSet", below("spec.template.spec", serverSpec)),
  ...rows("4.2", "GameServer", [
    ["status", { required: undefined }],
    ["status.state", { ...text, enum: states }],
    ["status.ports", { type: "array", nullable: true }],
    ["status.ports[].port", { ...int32, minimum: undefined }],
    ["status.address", text],
    ["status.addresses", { type: "array", nullable: true }],
    ["status.addresses[].type", { ...text, enum: undefined }],
    ["status.nodeName", text],
    ["status.reservedUntil", time],
    ["status.players", nullable],
    ["status.players.count", { ...integer, minimum: undefined }],
    ["status.players.ids", { type: "array", nullable: true }],
    ...maps("status."),
    ["status.eviction.safe", { ...text, enum: ["Always", "OnUpgrade", "Never"] }],
    ["status.immutableReplicas", once],
  ]),
];

const POD = "spec.template.spec";
const podTemplates: readonly SchemaPromise[] = [
  ...rows("4.3", "GameServer", [
    ["spec.template", { type: "object", "x-kubernetes-preserve-unknown-fields": undefined }],
    ["spec.template.metadata.creationTimestamp", { ...time }],
    [POD, { required: ["containers"] }],
    [
      `${POD}.containers`,
      { type: "array", "x-kubernetes-list-type": undefined, "x-kubernetes-patch-strategy": undefined },
    ],
    [`${POD}.containers[]`, { required: ["name"] }],
    [`${POD}.initContainers[]`, { required: ["name"] }],
    [`${POD}.ephemeralContainers[]`, { required: ["name"] }],
    [`${POD}.containers[].ports[].protocol`, { ...text, default: undefined }],
    [`${POD}.containers[].resources.limits`, { type: "object" }],
    [`${POD}.containers[].resources.limits{}`, text],
    [`${POD}.overhead{}`, text],
    [
      `${POD}.containers[].livenessProbe.httpGet.port`,
      { type: undefined, format: "int-or-string", "x-kubernetes-int-or-string": true },
    ],
    [
      `${POD}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`,
      { "x-kubernetes-map-type": "atomic" },
    ],
  ]),
  ...rows("4.3", "Fleet", [
    ["spec.template.metadata.labels{}", text],
    ["spec.template.metadata.finalizers", { type: "array" }],
    ["spec.template.metadata.creationTimestamp", { ...time }],
  ]),
];

const overflow: readonly Says[] = [
  ["spec.allocationOverflow", { type: "object", nullable: true }],
  ["spec.allocationOverflow.labels{}", text],
  ["spec.allocationOverflow.annotations{}", text],
];
const priorities: readonly Says[] = [
  ["spec.priorities", { type: "array", nullable: true }],
  ["spec.priorities[].type", { ...text, enum: ["Counter", "List"] }],
  ["spec.priorities[].key", text],
];
const order = { ...text, enum: ["Ascending", "Descending"] };
const totals: readonly Says[] = [
  ["status.replicas", count],
  ["status.readyReplicas", count],
  ["status.reservedReplicas", count],
  ["status.allocatedReplicas", count],
  ["status.players", nullable],
  ["status.players.count", { ...integer, minimum: 0 }],
  ["status.counters", { nullable: true, maxProperties: 1000 }],
  ["status.counters{}.count", { ...amount, default: 0 }],
  ["status.counters{}.allocatedCapacity", { ...amount, default: undefined }],
  ["status.lists", { nullable: true, maxProperties: 1000 }],
  ["status.conditions", { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] }],
  ["status.conditions[].status", { ...text, enum: ["True", "False", "Unknown"] }],
];

const replicated: readonly SchemaPromise[] = [
  ...rows("6", "GameServerSet", [
    ["", { required: undefined }],
    ["spec", { required: ["replicas", "template"] }],
    ["spec.replicas", { ...count, default: undefined }],
    ["spec.template", { required: ["spec"] }],
    ["spec.scheduling", scheduling],
    ...overflow,
    ...priorities,
    ["spec.priorities[].order", { ...order, default: undefined }],
    ...totals,
    ["status.shutdownReplicas", count],
  ]),
  ...rows("7", "Fleet", [
    ["", { required: undefined }],
    ["spec", { required: ["template"] }],
    ["spec.replicas", { ...count, default: 0 }],
    ["spec.template", { required: ["spec"] }],
    ["spec.strategy.type", { ...text, enum: ["Recreate", "RollingUpdate"] }],
    ["spec.strategy.rollingUpdate", nullable],
    ["spec.strategy.rollingUpdate.maxSurge", { type: undefined, "x-kubernetes-int-or-string": true }],
    ["spec.strategy.rollingUpdate.maxUnavailable", { type: undefined, "x-kubernetes-int-or-string": true }],
    ["spec.scheduling", scheduling],
    ...overflow,
    ...priorities,
    ["spec.priorities[].order", { ...order, default: "Ascending" }],
    ...totals,
  ]),
];

const others: readonly SchemaPromise[] = [
  ...rows("8.1", "FleetAutoscaler", [
    ["spec", { required: ["fleetName", "policy"] }],
    ["spec.fleetName", { ...text, minLength: 1, maxLength: 63, pattern: "^[a-z0-9]([-\\.a-z0-9]*[a-z0-9])?$" }],
    ["spec.policy", { required: ["type"] }],
    ["spec.policy.buffer", { nullable: true, required: ["maxReplicas"] }],
    ["spec.policy.buffer.maxReplicas", { ...int32, minimum: 1 }],
    ["spec.policy.buffer.minReplicas", count],
    ["spec.policy.buffer.bufferSize", { type: undefined, "x-kubernetes-int-or-string": true }],
    ["spec.policy.counter", { nullable: true, required: ["key", "maxCapacity", "bufferSize"] }],
    ["spec.policy.counter.maxCapacity", { ...amount, minimum: 1 }],
    ["spec.policy.list.minCapacity", amount],
    ["spec.policy.webhook.service", { required: ["namespace", "name"] }],
    ["spec.policy.webhook.caBundle", { ...text, format: "byte" }],
    ["spec.policy.schedule", { nullable: true, required: ["policy"] }],
    ["spec.policy.chain", { type: "array", nullable: true }],
    ["spec.policy.chain[]", { nullable: true, required: ["type"] }],
    ["spec.policy.wasm.function", { ...text, default: "scale" }],
    ["spec.policy.wasm.from", { required: ["url"] }],
    ["spec.policy.wasm.hash", { ...text, pattern: "^[a-fA-F0-9]{64}$" }],
    ["spec.sync", { required: ["type"] }],
    ["spec.sync.type", { ...text, enum: ["FixedInterval"] }],
    ["spec.sync.fixedInterval", { nullable: true, required: ["seconds"] }],
    ["spec.sync.fixedInterval.seconds", { ...int32, minimum: 0, exclusiveMinimum: true }],
    ["status.lastScaleTime", time],
    ["status.lastAppliedPolicy", { ...text, default: "" }],
    ["status.conditions[].reason", { minLength: 1, maxLength: 1024 }],
  ]),
  ...rows("10", "GameServerAllocationPolicy", [
    ["", { required: undefined }],
    ["spec", { required: ["priority", "weight"] }],
    ["spec.priority", count],
    ["spec.weight", amount],
    ["spec.connectionInfo", { required: ["namespace"] }],
    ["spec.connectionInfo.allocationEndpoints", { type: "array", minItems: 1 }],
    ["spec.connectionInfo.serverCa", { ...text, format: "byte" }],
  ]),
];

export const schemas: readonly SchemaPromise[] = [...gameServer, ...podTemplates, ...replicated, ...others];

interface DefinitionPromise extends PromiseRow {
  readonly name: string;
  readonly group: string;
  readonly kind: StoredKind;
  readonly singular?: string;
  readonly shortNames: readonly string[];
  readonly subresources?: object;
}

const scaled = {
  status: {},
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.labelSelector",
  },
};
const constant = { specReplicasPath: ".spec.immutableReplicas", statusReplicasPath: ".status.immutableReplicas" };
const agones = { section: "1.1", group: "agones.dev" };

/** Named by their plurals. There are no others. */
export const definitions: readonly DefinitionPromise[] = [
  {
    ...agones,
    name: "gameservers",
    kind: "GameServer",
    singular: "gameserver",
    shortNames: ["gs"],
    subresources: { scale: constant },
  },
  {
    ...agones,
    name: "gameserversets",
    kind: "GameServerSet",
    singular: "gameserverset",
    shortNames: ["gss", "gsset"],
    subresources: scaled,
  },
  { ...agones, name: "fleets", kind: "Fleet", singular: "fleet", shortNames: ["flt"], subresources: scaled },
  {
    section: "1.1",
    name: "fleetautoscalers",
    group: "autoscaling.agones.dev",
    kind: "FleetAutoscaler",
    singular: "fleetautoscaler",
    shortNames: ["fas"],
    subresources: { status: {} },
  },
  {
    section: "1.1",
    name: "gameserverallocationpolicies",
    group: "multicluster.agones.dev",
    kind: "GameServerAllocationPolicy",
    shortNames: ["gsap"],
  },
];

interface ColumnsPromise extends PromiseRow {
  readonly kind: StoredKind;
  /** Name, type and path of each. */
  readonly columns: readonly string[];
}

const replicatedColumns = [
  "Scheduling string .spec.scheduling",
  "Desired integer .spec.replicas",
  "Current integer .status.replicas",
  "Allocated integer .status.allocatedReplicas",
  "Ready integer .status.readyReplicas",
  "Age date .metadata.creationTimestamp",
];
const columnsOf = (kind: StoredKind, columns: readonly string[]): ColumnsPromise => ({
  section: "1.2",
  name: `columns of ${kind}`,
  kind,
  columns,
});

export const columns: readonly ColumnsPromise[] = [
  columnsOf("GameServer", [
    "State string .status.state",
    "Address string .status.address",
    "Port string .status.ports[0].port",
    "Node string .status.nodeName",
    "Age date .metadata.creationTimestamp",
  ]),
  columnsOf("GameServerSet", replicatedColumns),
  columnsOf("Fleet", replicatedColumns),
  columnsOf("FleetAutoscaler", []),
  columnsOf("GameServerAllocationPolicy", []),
];
