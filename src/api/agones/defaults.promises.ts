/** What a new GameServer and a new Fleet are completed with, step by step. */
import type { Members, PromiseRow } from "../meta/promise-row.ts";
import type { FeatureGates } from "./feature-gates.ts";
import type { FleetSpec } from "./fleet.ts";
import { duel, manifest } from "./gameserver.fixture.ts";
import type { GameServer, GameServerPort, Health } from "./gameserver.ts";

interface DefaultsPromise extends PromiseRow {
  readonly given: GameServer;
  readonly gates?: Partial<FeatureGates>;
  /** Of the completed server. */
  readonly shows: Members;
}

const two = { spec: { containers: [duel, { name: "log-tail" }] } };
const withPorts = (...ports: readonly GameServerPort[]) => manifest({ ports, template: two, container: "duel" });
const health = (given: Health, shows: Health): Pick<DefaultsPromise, "given" | "shows"> => ({
  given: manifest({ health: given }),
  shows: { "spec.health": shows },
});
const port = { portPolicy: "Dynamic", range: "default", protocol: "UDP", container: "duel" } as const;
const annotated = (value: string) => ({
  metadata: { annotations: { "cluster-autoscaler.kubernetes.io/safe-to-evict": value } },
  spec: { containers: [duel] },
});
const counters = { rooms: { count: 1n, capacity: 2n } };
const lists = { players: { capacity: 3n, values: ["a"] } };
const sdk = { grpcPort: 9357, httpPort: 9358, logLevel: "Info" };

const marks: readonly DefaultsPromise[] = [
  {
    section: "4.5.1",
    name: "the version is stamped on a server without annotations",
    given: manifest(),
    shows: { "metadata.annotations": { "agones.dev/sdk-version": "1.2.3" } },
  },
  {
    section: "4.5.1",
    name: "the version that is there is replaced, other annotations stay",
    given: manifest({}, { annotations: { owner: "x", "agones.dev/sdk-version": "0" } }),
    shows: { "metadata.annotations": { owner: "x", "agones.dev/sdk-version": "1.2.3" } },
  },
  {
    section: "4.5.2",
    name: "the finalizer comes last",
    given: manifest({}, { finalizers: ["a/b"] }),
    shows: { "metadata.finalizers": ["a/b", "agones.dev/controller"] },
  },
  {
    section: "4.5.2",
    name: "a finalizer that is there is not added again",
    given: manifest({}, { finalizers: ["agones.dev/controller", "a/b"] }),
    shows: { "metadata.finalizers": ["agones.dev/controller", "a/b"] },
  },
];

const specs: readonly DefaultsPromise[] = [
  {
    section: "4.5.3",
    name: "the only container replaces what was named",
    given: manifest({ container: "other" }),
    shows: { "spec.container": "duel" },
  },
  {
    section: "4.5.3",
    name: "of several containers the named one stays",
    given: manifest({ container: "log-tail", template: two }),
    shows: { "spec.container": "log-tail" },
  },
  {
    section: "4.5.3",
    name: "of several containers none is chosen",
    given: manifest({ template: two }),
    shows: { "spec.container": undefined },
  },
  {
    section: "4.5.3",
    name: "init containers do not count",
    given: manifest({ template: { spec: { containers: [duel], initContainers: [{ name: "init" }] } } }),
    shows: { "spec.container": "duel" },
  },
  {
    section: "4.5.4",
    name: "a port that says nothing",
    given: withPorts({ containerPort: 7000 }),
    shows: { "spec.ports": [{ ...port, containerPort: 7000 }] },
  },
  {
    section: "4.5.4",
    name: "a port's empty container is the game's",
    given: withPorts({ container: "" }),
    shows: { "spec.ports": [port] },
  },
  {
    section: "4.5.4",
    name: "a port that says everything",
    given: withPorts({ portPolicy: "Static", range: "wide", protocol: "TCP", container: "log-tail", hostPort: 7001 }),
    shows: {
      "spec.ports": [{ portPolicy: "Static", range: "wide", protocol: "TCP", container: "log-tail", hostPort: 7001 }],
    },
  },
  {
    section: "4.5.4",
    name: "ports that are null stay so",
    given: manifest({ ports: null }),
    shows: { "spec.ports": null },
  },
  {
    section: "4.5.5",
    name: "health that says nothing",
    ...health({}, { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 5 }),
  },
  {
    section: "4.5.5",
    name: "health of zero or below",
    ...health(
      { periodSeconds: 0, failureThreshold: -1 },
      { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 5 },
    ),
  },
  {
    section: "4.5.5",
    name: "health that is set",
    ...health(
      { periodSeconds: 4, failureThreshold: 2, initialDelaySeconds: 12 },
      { periodSeconds: 4, failureThreshold: 2, initialDelaySeconds: 12 },
    ),
  },
  {
    section: "4.5.5",
    name: "health that is disabled",
    ...health({ disabled: true }, { disabled: true }),
  },
  {
    section: "4.5.6",
    name: "no word on eviction",
    given: manifest(),
    shows: { "spec.eviction": { safe: "Never" } },
  },
  {
    section: "4.5.6",
    name: "an eviction that is set",
    given: manifest({ eviction: { safe: "OnUpgrade" } }),
    shows: { "spec.eviction": { safe: "OnUpgrade" } },
  },
  { section: "4.5.7", name: "no word on scheduling", given: manifest(), shows: { "spec.scheduling": "Packed" } },
  {
    section: "4.5.7",
    name: "scheduling that is set",
    given: manifest({ scheduling: "Distributed" }),
    shows: { "spec.scheduling": "Distributed" },
  },
  { section: "4.5.8", name: "no word on the SDK server", given: manifest(), shows: { "spec.sdkServer": sdk } },
  {
    section: "4.5.8",
    name: "an SDK server's port of 0",
    given: manifest({ sdkServer: { logLevel: "Trace", grpcPort: 0 } }),
    shows: { "spec.sdkServer": { ...sdk, logLevel: "Trace" } },
  },
];

const statuses: readonly DefaultsPromise[] = [
  ...(
    [
      ["Dynamic", "PortAllocation"],
      ["Passthrough", "PortAllocation"],
      ["Static", "Creating"],
      ["None", "Creating"],
    ] as const
  ).map(([portPolicy, state]) => ({
    section: "4.5.9",
    name: `a server with a ${portPolicy} port`,
    given: withPorts({ portPolicy }),
    shows: { "status.state": state },
  })),
  { section: "4.5.9", name: "a server without ports", given: manifest(), shows: { "status.state": "Creating" } },
  {
    section: "4.5.9",
    name: "a state of its own is kept",
    given: { ...withPorts({}), status: { state: "Ready" } },
    shows: { "status.state": "Ready" },
  },
  {
    section: "4.5.10",
    name: "players of a server that says nothing",
    given: manifest(),
    gates: { PlayerTracking: true },
    shows: { "status.players": {} },
  },
  {
    section: "4.5.10",
    name: "players of a server that can take some",
    given: manifest({ players: { initialCapacity: 8n } }),
    gates: { PlayerTracking: true },
    shows: { "status.players": { capacity: 8n } },
  },
  {
    section: "4.5.10",
    name: "players without their gate",
    given: manifest({ players: { initialCapacity: 8n } }),
    shows: { "status.players": undefined },
  },
  {
    section: "4.5.11",
    name: "the status' eviction is the spec's, whatever it was",
    given: { ...manifest({ eviction: { safe: "OnUpgrade" } }), status: { eviction: { safe: "Always" } } },
    shows: { "status.eviction": { safe: "OnUpgrade" } },
  },
  {
    section: "4.5.11",
    name: "a template that may be evicted makes it Always, in the status alone",
    given: manifest({ eviction: { safe: "OnUpgrade" }, template: annotated("true") }),
    shows: { "spec.eviction": { safe: "OnUpgrade" }, "status.eviction": { safe: "Always" } },
  },
  ...["false", "True", ""].map((value) => ({
    section: "4.5.11",
    name: `a template's annotation of ${JSON.stringify(value)} says nothing`,
    given: manifest({ template: annotated(value) }),
    shows: { "status.eviction": { safe: "Never" } },
  })),
  {
    section: "4.5.12",
    name: "counters and lists go over those that were there",
    given: { ...manifest({ counters, lists }), status: { counters: { other: {} }, lists: { other: {} } } },
    shows: { "status.counters": counters, "status.lists": lists },
  },
  {
    section: "4.5.12",
    name: "without counters and lists those of the status stay",
    given: { ...manifest(), status: { counters } },
    shows: { "status.counters": counters, "status.lists": undefined },
  },
  {
    section: "4.5.12",
    name: "counters and lists without their gate",
    given: { ...manifest({ counters, lists }), status: { counters: { other: {} } } },
    gates: { CountsAndLists: false },
    shows: { "status.counters": { other: {} }, "status.lists": undefined },
  },
];

export const gameServers: readonly DefaultsPromise[] = [...marks, ...specs, ...statuses];

interface FleetPromise extends PromiseRow {
  readonly given: Partial<FleetSpec>;
  readonly becomes: Partial<FleetSpec>;
}

const rolling = { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } } as const;

export const fleets: readonly FleetPromise[] = [
  { section: "7", name: "a Fleet that says nothing", given: {}, becomes: { strategy: rolling, scheduling: "Packed" } },
  {
    section: "7",
    name: "a Fleet that is recreated has no steps",
    given: { strategy: { type: "Recreate" }, scheduling: "Distributed" },
    becomes: { strategy: { type: "Recreate" }, scheduling: "Distributed" },
  },
  {
    section: "7",
    name: "a Fleet that is recreated keeps steps that it has",
    given: { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
    becomes: { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
  },
  {
    section: "7",
    name: "a Fleet whose steps are null",
    given: { strategy: { type: "RollingUpdate", rollingUpdate: null } },
    becomes: { strategy: rolling },
  },
  {
    section: "7",
    name: "a Fleet with one of its steps, a 0 included",
    given: { strategy: { rollingUpdate: { maxSurge: 0 } } },
    becomes: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: "25%" } } },
  },
];
