/** What our rules refuse, and what they let through, reads the same from both servers. */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { agree } from "./agreement/agree.ts";
import { AGONES, allocation, fleet, fleetAutoscaler, gameServer, gameServerSet } from "./agreement/objects.ts";

const long = "a".repeat(64);
const container = { name: "duel", image: "duel:3" };
const pod = (spec: JsonObject, metadata?: JsonObject): JsonObject => ({
  template: { ...(metadata && { metadata }), spec: { containers: [container], ...spec } },
});
const two = { containers: [container, { name: "tail", image: "tail:1" }] };
const port = (fields: JsonObject): JsonObject => ({ ports: [{ name: "play", ...fields }] });
const dev = (value: string): JsonObject => ({ annotations: { "agones.dev/dev-address": value } });
const limits = (requests: JsonObject, most?: JsonObject): JsonObject =>
  pod({ containers: [{ ...container, resources: { requests, ...(most && { limits: most }) } }] });

/** Specs of GameServers by what is right or wrong with them; each is also held as the template of a Fleet and of a set. */
const specs: Readonly<Record<string, JsonObject>> = {
  "players without their gate": { players: { initialCapacity: 3 } },
  "several containers and none named": pod(two),
  "a container that is not there": { ...pod(two), container: "ghost" },
  "a container name that is none": { ...pod(two), container: "Ghost_" },
  "no containers": { template: { spec: { containers: [] } } },
  "a dynamic port without container port": port({}),
  "a static port without container port": port({ portPolicy: "Static", hostPort: 7000 }),
  "a static port without host port": port({ portPolicy: "Static", containerPort: 7000 }),
  "a passthrough port with a container port": port({ portPolicy: "Passthrough", containerPort: 7000 }),
  "a dynamic port with a host port": port({ containerPort: 7000, hostPort: 7000 }),
  "a port of a container that is not there": port({ containerPort: 7000, container: "ghost" }),
  "a port of the second container": {
    ...pod(two),
    container: "duel",
    ...port({ containerPort: 7000, container: "tail" }),
  },
  "port policy None": port({ portPolicy: "None", containerPort: 7000 }),
  "an unknown port policy": port({ portPolicy: "Sometimes", containerPort: 7000 }),
  "an unknown protocol": port({ containerPort: 7000, protocol: "SCTP" }),
  "a port that is none": port({ containerPort: 70000 }),
  "port 0": port({ containerPort: 0 }),
  "a negative request": limits({ cpu: "-1" }),
  "a negative limit": limits({}, { memory: "-1Gi" }),
  "a request above its limit": limits({ cpu: "2" }, { cpu: "1" }),
  "a quantity that is none": limits({ cpu: "lots" }),
  "quantities as numbers": limits({ cpu: 0.5, memory: 1024 }),
  "a label value of 64 characters in the pod": pod({}, { labels: { mode: long } }),
  "an annotation key that is none in the pod": pod({}, { annotations: { "not a key": "x" } }),
  "several faults": { ...pod({ ...two, serviceAccountName: "x" }, { labels: { "-": "x" } }), ...port({ hostPort: 1 }) },
  "an unknown scheduling": { scheduling: "Random" },
  "an unknown log level": { sdkServer: { logLevel: "Loud" } },
  "an SDK port of 0": { sdkServer: { grpcPort: 0 } },
  "a negative delay": { health: { initialDelaySeconds: -1 } },
  "a threshold of 0": { health: { failureThreshold: 0 } },
  "an unknown eviction": { eviction: { safe: "Maybe" } },
  "two replicas": { immutableReplicas: 2 },
  "a counter below zero": { counters: { rounds: { count: -1 } } },
  "a counter beyond 2^53": { counters: { rounds: { count: 9007199254740993n, capacity: 9223372036854775807n } } },
  "a list with a value twice": { lists: { roster: { values: ["ann", "bo", "ann"] } } },
  "a list of more than it may hold": { lists: { roster: { capacity: 1001 } } },
  "a text for a number": { health: { periodSeconds: "5" } },
  "a number for a text": { container: 5 },
  "a list for an object": { health: [] },
  "null for an object": { health: null },
  "null for a nullable map": { counters: null, lists: null, ports: null },
  "an unknown member": { colour: "red", health: { loud: true } },
  "no template": { template: undefined as unknown as JsonValue },
  "a template without spec": { template: {} },
  "a container without a name": pod({ containers: [{ image: "duel:3" }] }),
  "fractions of a second": { health: { periodSeconds: 1.5 } },
  "a number beyond int32": { health: { periodSeconds: 2147483649 } },
};

for (const [what, spec] of Object.entries(specs)) {
  agree(`a GameServer with ${what}`, async (api) => {
    await api.create(gameServer(spec));
  });
  agree(`a Fleet of servers with ${what}`, async (api) => {
    await api.create(fleet({ template: { spec: { ...(pod({}) as object), ...spec } } }));
  });
  agree(`a set of servers with ${what}`, async (api) => {
    await api.create(gameServerSet({ template: { spec: { ...(pod({}) as object), ...spec } } }));
  });
}

const objects: Readonly<Record<string, JsonObject>> = {
  "a GameServer's name of 64 characters": gameServer({}, { name: long }),
  "a GameServer's generated name of 60 characters": gameServer({}, { name: "", generateName: "a".repeat(60) }),
  "a GameServer's name with capitals": gameServer({}, { name: "Duel" }),
  "a GameServer without name": gameServer({}, { name: "" }),
  "a GameServer without spec": { apiVersion: "agones.dev/v1", kind: "GameServer", metadata: { name: "duel" } },
  "a Fleet without spec": { apiVersion: "agones.dev/v1", kind: "Fleet", metadata: { name: "duel" } },
  "a set without spec": { apiVersion: "agones.dev/v1", kind: "GameServerSet", metadata: { name: "duel" } },
  "a Fleet's name of 64 characters": fleet({}, { name: long }),
  "a set's name of 64 characters": gameServerSet({}, { name: long }),
  "a GameServer's label value of 64 characters": gameServer({}, { labels: { mode: long } }),
  "a GameServer in a state it names": { ...gameServer(), status: { state: "Ready" } },
  "a GameServer in no known state": { ...gameServer(), status: { state: "Happy" } },
  "a Fleet's template label of 64 characters": fleet({
    template: { metadata: { labels: { mode: long } }, spec: pod({}) },
  }),
  "a Fleet's template metadata of a wrong kind": fleet({
    template: { metadata: { labels: { mode: 5 } }, spec: pod({}) },
  }),
  "a development server": gameServer(
    port({ portPolicy: "Static", hostPort: 7000, containerPort: 7000 }),
    dev("10.1.2.3"),
  ),
  "a development server without an address": gameServer(port({ containerPort: 7000 }), dev("there")),
  "a Fleet's surge of 0": fleet({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0 } } }),
  "a Fleet's surge of 100%": fleet({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "100%" } } }),
  "a Fleet's surge of many": fleet({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "many" } } }),
  "a Fleet's surge of true": fleet({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: true } } }),
  "a Fleet's strategy Recreate": fleet({ strategy: { type: "Recreate" } }),
  "a Fleet's unknown strategy": fleet({ strategy: { type: "Slowly" } }),
  "a Fleet's negative replicas": fleet({ replicas: -1 }),
  "a Fleet's fractional replicas": fleet({ replicas: 1.5 }),
  "a Fleet's whole replicas as a fraction": fleet({ replicas: 2.0 }),
  "a Fleet's replicas as text": fleet({ replicas: "3" }),
  "a Fleet's overflow label of 64 characters": fleet({ allocationOverflow: { labels: { mode: long } } }),
  "a Fleet's unknown priority": fleet({ priorities: [{ type: "Players", key: "x" }] }),
  "a set without replicas": gameServerSet({ replicas: undefined }),
  "a set without template": gameServerSet({ template: undefined }),
  "a set's priority without order": gameServerSet({ priorities: [{ type: "List", key: "x" }] }),
  "a policy without weight": {
    apiVersion: "multicluster.agones.dev/v1",
    kind: "GameServerAllocationPolicy",
    metadata: { name: "here" },
    spec: { priority: -1, connectionInfo: { allocationEndpoints: [], serverCa: "no base64!" } },
  },
};

for (const [what, object] of Object.entries(objects)) {
  agree(what, async (api) => {
    api.generates("a".repeat(58));
    await api.create(object);
  });
}

const buffer = (fields: JsonObject): JsonObject => ({ type: "Buffer", buffer: fields });
const policies: Readonly<Record<string, JsonValue>> = {
  "no buffer": { type: "Buffer" },
  "a buffer beyond its maximum": buffer({ bufferSize: 5, maxReplicas: 3 }),
  "a minimum beyond the maximum": buffer({ bufferSize: 1, minReplicas: 9, maxReplicas: 3 }),
  "a buffer of 0": buffer({ bufferSize: 0, maxReplicas: 3 }),
  "a buffer in percent without minimum": buffer({ bufferSize: "10%", maxReplicas: 3 }),
  "a buffer of 120%": buffer({ bufferSize: "120%", minReplicas: 1, maxReplicas: 3 }),
  "no maximum": buffer({ bufferSize: 3 }),
  "an unknown type": { type: "Guess" },
  "no counter": { type: "Counter" },
  "a counter's buffer beyond its maximum": { type: "Counter", counter: { key: "x", bufferSize: 9, maxCapacity: 3 } },
  "a list in percent without minimum": { type: "List", list: { key: "x", bufferSize: "9%", maxCapacity: 3 } },
  "a webhook with service and url": {
    type: "Webhook",
    webhook: { url: "http://x", service: { name: "x", namespace: "y" } },
  },
  "a webhook with neither": { type: "Webhook", webhook: {} },
  "a webhook with a broken authority": { type: "Webhook", webhook: { url: "https://x", caBundle: "aGVsbG8=" } },
  "a schedule that is over": {
    type: "Schedule",
    schedule: { between: { end: "2020-01-01T00:00:00Z" }, policy: buffer({ bufferSize: 3, maxReplicas: 9 }) },
  },
  "a schedule with a broken cron": {
    type: "Schedule",
    schedule: { activePeriod: { startCron: "* *" }, policy: buffer({ bufferSize: 3, maxReplicas: 9 }) },
  },
  "a schedule without policy": { type: "Schedule", schedule: {} },
  "a chain with an id twice": {
    type: "Chain",
    chain: [
      { id: "a", ...buffer({ bufferSize: 3, maxReplicas: 9 }) },
      { id: "a", ...buffer({ bufferSize: 3, maxReplicas: 9 }) },
    ],
  },
  "a chain in a chain": { type: "Chain", chain: [{ id: "a", type: "Chain", chain: [] }] },
  "wasm without its gate": { type: "Wasm", wasm: { from: { url: { url: "https://x" } } } },
};

for (const [what, policy] of Object.entries(policies)) {
  agree(`a FleetAutoscaler with ${what}`, async (api) => {
    await api.create(fleetAutoscaler(policy));
  });
}
agree("a FleetAutoscaler with other faults", async (api) => {
  const good = buffer({ bufferSize: 3, maxReplicas: 9 });
  await api.create(fleetAutoscaler(good, { fleetName: "Duel_" }));
  await api.create(fleetAutoscaler(good, { fleetName: undefined }));
  await api.create(fleetAutoscaler(good, { sync: { type: "FixedInterval", fixedInterval: { seconds: -1 } } }));
  await api.create(fleetAutoscaler(good, { sync: { type: "Hourly" } }));
  await api.create(fleetAutoscaler(undefined as unknown as JsonValue));
});

const wishes: Readonly<Record<string, JsonObject>> = {
  "an unknown scheduling": { scheduling: "Random" },
  "a selector of an unknown operator": { selectors: [{ matchExpressions: [{ key: "a", operator: "Like" }] }] },
  "a state that is no choice": { selectors: [{ gameServerState: "Shutdown" }] },
  "negative counts": { selectors: [{ counters: { rounds: { minCount: -1, maxAvailable: -1 } } }] },
  "counts the wrong way round": { selectors: [{ counters: { rounds: { minCount: 5, maxCount: 3 } } }] },
  "an unknown priority": { priorities: [{ type: "Player", key: "", order: "Up" }] },
  "an amount without action": { counters: { rounds: { amount: 1 } } },
  "a label value of 64 characters": { metadata: { labels: { mode: long } } },
  "a text for a list": { selectors: "all" },
  "unknown members": { colour: "red" },
};
for (const [what, wish] of Object.entries(wishes)) {
  agree(`a request for a server with ${what}`, async (api) => {
    await api.create(allocation(wish));
  });
}

agree("updates that rules refuse", async (api) => {
  const replace = async (plural: string, change: (object: JsonObject) => JsonObject) => {
    const path = `${AGONES}/${plural}/duel`;
    const { body } = await api.server.call("GET", api.path(path));
    const object = body as JsonObject;
    await api.call("PUT", path, { ...object, spec: change(object.spec as JsonObject) });
  };
  await api.create(fleet());
  await replace("fleets", ({ strategy: _, ...spec }) => spec);
  await replace("fleets", (spec) => ({ ...spec, strategy: { type: "RollingUpdate" } }));
  await replace("fleets", (spec) => ({
    ...spec,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "200%" } },
  }));
  await replace("fleets", (spec) => ({ ...spec, replicas: 7 }));
  await api.create(gameServerSet());
  await replace("gameserversets", (spec) => ({ ...spec, template: { spec: { ...pod({}), container: "other" } } }));
  await replace("gameserversets", (spec) => ({ ...spec, replicas: 7 }));
  await api.create(gameServer());
  await replace("gameservers", (spec) => ({ ...spec, scheduling: "Random" }));
  await replace("gameservers", (spec) => ({ ...spec, scheduling: "Distributed" }));
});
