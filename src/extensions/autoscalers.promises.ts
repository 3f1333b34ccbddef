/** FleetAutoscalers and GameServerAllocationPolicies as an API server takes them. */
import type { JsonObject } from "#api/meta/json.ts";
import { type ApiPromise, create, merge } from "./api-promise.fixture.ts";

const buffer: JsonObject = { type: "Buffer", buffer: { bufferSize: 3, maxReplicas: 30 } };
const fas = (policy: JsonObject, spec: JsonObject = {}) =>
  create("FleetAutoscaler", { spec: { fleetName: "duel", policy, ...spec } });

const taken = (section: string, name: string, policy: JsonObject, shows: JsonObject = {}): ApiPromise => ({
  section,
  name,
  requests: [fas(policy)],
  code: 201,
  shows,
});
const refused = (name: string, policy: JsonObject, message: string, spec?: JsonObject): ApiPromise => ({
  section: "8.1",
  name,
  requests: [fas(policy, spec)],
  code: 422,
  message,
});

const schedule = (inner: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "Schedule",
  schedule: { policy: inner, ...more },
});
const chain = (...chain: (JsonObject | null)[]): JsonObject => ({ type: "Chain", chain });
const off = { ScheduledAutoscaler: false };
const types = '"Buffer", "Webhook", "Counter", "List", "Wasm"';
const wasm = { WasmAutoscaler: true };
const from = { url: { url: "http://files.example.net/scaler.wasm" } };

const fields: readonly ApiPromise[] = [
  taken("8.1", "the smallest is completed", buffer, {
    spec: { sync: { type: "FixedInterval", fixedInterval: { seconds: 30 } } },
  }),
  {
    section: "8.1",
    name: "without a spec it is refused for what it lacks",
    requests: [create("FleetAutoscaler", {})],
    code: 422,
    message: "spec.fleetName: Required value, spec.policy: Required value",
  },
  refused("a fleet's name must not be empty", buffer, "spec.fleetName in body should be at least 1 chars long", {
    fleetName: "",
  }),
  refused("a fleet's name is a name", buffer, "spec.fleetName in body should match", { fleetName: "Duel" }),
  {
    section: "8.1",
    name: "a fleet's name may hold dots",
    requests: [fas(buffer, { fleetName: "duel.eu" })],
    code: 201,
  },
  refused("a policy has a type", { buffer: buffer.buffer ?? null }, "spec.policy.type: Required value"),
  refused(
    "a policy's type is known",
    { type: "Guess" },
    `spec.policy.type: Unsupported value: "Guess": supported values: ${types}, "Schedule", "Chain"`,
  ),
  refused("a buffer has a maximum", { type: "Buffer", buffer: {} }, "spec.policy.buffer.maxReplicas: Required value"),
  refused(
    "a maximum is at least 1",
    { type: "Buffer", buffer: { bufferSize: 1, maxReplicas: 0 } },
    "spec.policy.buffer.maxReplicas in body should be greater than or equal to 1",
  ),
  refused(
    "a counter names what it counts",
    { type: "Counter", counter: {} },
    "spec.policy.counter.key: Required value, spec.policy.counter.maxCapacity: Required value, spec.policy.counter.bufferSize: Required value",
  ),
  taken(
    "8.1",
    "capacities are exact",
    { type: "List", list: { key: "roster", bufferSize: 5, minCapacity: 5, maxCapacity: 9223372036854775807n } },
    { spec: { policy: { list: { maxCapacity: 9223372036854775807n } } } },
  ),
  refused(
    "a service has a name and a namespace",
    { type: "Webhook", webhook: { service: {} } },
    "spec.policy.webhook.service.namespace: Required value, spec.policy.webhook.service.name: Required value",
  ),
  refused(
    "a CA bundle is base64",
    { type: "Webhook", webhook: { url: "https://a", caBundle: "%" } },
    "spec.policy.webhook.caBundle in body must be of type byte",
  ),
  {
    section: "8.1",
    name: "the function of a module is scale",
    gates: wasm,
    requests: [fas({ type: "Wasm", wasm: { from } })],
    code: 201,
    shows: { spec: { policy: { wasm: { function: "scale", from } } } },
  },
  refused("a module comes from somewhere", { type: "Wasm", wasm: {} }, "spec.policy.wasm.from: Required value"),
  refused(
    "a hash has 64 digits",
    { type: "Wasm", wasm: { from, hash: "ab" } },
    "spec.policy.wasm.hash in body should match '^[a-fA-F0-9]{64}$'",
  ),
  refused("there is one type of sync", buffer, 'spec.sync.type: Unsupported value: "Cron"', { sync: { type: "Cron" } }),
  refused("an interval is positive", buffer, "spec.sync.fixedInterval.seconds in body should be greater than 0", {
    sync: { type: "FixedInterval", fixedInterval: { seconds: -1 } },
  }),
  {
    section: "8.1",
    name: "an interval of 0 takes the default",
    requests: [fas(buffer, { sync: { type: "FixedInterval", fixedInterval: { seconds: 0 } } })],
    code: 201,
    shows: { spec: { sync: { fixedInterval: { seconds: 30 } } } },
  },
  taken("8.1", "what the schema does not know is dropped", { ...buffer, future: 1 }),
  taken("8.1", "members of other policies may be there, or null", {
    ...buffer,
    webhook: null,
    list: null,
    chain: null,
  }),
];

const nesting: readonly ApiPromise[] = [
  taken("8.1", "a schedule holds a simple policy", schedule(buffer)),
  taken("8.1", "a chain holds simple policies and schedules", chain({ id: "a", ...schedule(buffer) }, buffer)),
  refused(
    "a schedule holds no schedule",
    schedule(schedule(buffer)),
    `spec.policy.schedule.policy.type: Unsupported value: "Schedule": supported values: ${types}`,
  ),
  refused(
    "a schedule holds no chain",
    schedule(chain()),
    'spec.policy.schedule.policy.type: Unsupported value: "Chain"',
  ),
  refused(
    "a chain holds no chain",
    chain({ id: "a", ...chain() }),
    `spec.policy.chain[0].type: Unsupported value: "Chain": supported values: ${types}, "Schedule"`,
  ),
  refused("a schedule has a policy", { type: "Schedule", schedule: {} }, "spec.policy.schedule.policy: Required value"),
  refused("an entry has a type", chain({ id: "a" }), "spec.policy.chain[0].type: Required value"),
  refused(
    "an entry that is null is no policy",
    chain(null),
    "spec.policy.chain[0]: Required value: valid policy is missing",
  ),
  {
    section: "8.1",
    name: "without their gate there are no schedules and chains",
    gates: off,
    requests: [fas(schedule(buffer))],
    code: 422,
    message: `spec.policy.type: Unsupported value: "Schedule": supported values: ${types}`,
  },
  {
    section: "8.1",
    name: "without their gate the members of schedules and chains are dropped",
    gates: off,
    requests: [fas({ ...buffer, schedule: { policy: buffer }, chain: [] })],
    code: 201,
    shows: { spec: { policy: buffer } },
    without: ["spec.policy.schedule", "spec.policy.chain"],
  },
];

const statuses: readonly ApiPromise[] = [
  {
    section: "8.1",
    name: "a status has a policy that was applied last, an empty one at first",
    requests: [
      fas(buffer),
      merge("FleetAutoscaler", { status: { currentReplicas: 3, lastScaleTime: null } }, "status"),
    ],
    code: 200,
    shows: { status: { currentReplicas: 3, lastAppliedPolicy: "" } },
  },
  {
    section: "8.1",
    name: "a status is written by its subresource alone",
    requests: [fas(buffer), merge("FleetAutoscaler", { status: { ableToScale: true } })],
    code: 200,
    without: ["status"],
  },
  {
    section: "13",
    name: "a status does not raise the generation",
    requests: [fas(buffer), merge("FleetAutoscaler", { status: { ableToScale: true } }, "status")],
    code: 200,
    shows: { metadata: { generation: 1 }, status: { ableToScale: true } },
  },
  {
    section: "13",
    name: "a spec raises the generation, which starts the timer anew",
    requests: [fas(buffer), merge("FleetAutoscaler", { spec: { fleetName: "other" } })],
    code: 200,
    shows: { metadata: { generation: 2 } },
  },
  {
    section: "13",
    name: "an update is completed as a creation is",
    requests: [fas(buffer), merge("FleetAutoscaler", { spec: { sync: null } })],
    code: 200,
    shows: { spec: { sync: { type: "FixedInterval", fixedInterval: { seconds: 30 } } } },
  },
  {
    section: "13",
    name: "an update is checked as a creation is",
    requests: [fas(buffer), merge("FleetAutoscaler", { spec: { policy: { buffer: { bufferSize: 31 } } } })],
    code: 422,
    message:
      'FleetAutoscaler.autoscaling.agones.dev "a" is invalid: spec.policy.buffer.maxReplicas: Invalid value: 30: maxReplicas should be bigger than or equal to bufferSize',
  },
];

const times: readonly ApiPromise[] = [
  taken(
    "2.3",
    "times of a schedule are stored in UTC",
    schedule(buffer, { between: { start: "2030-05-01T02:00:00+02:00", end: null } }),
    { spec: { policy: { schedule: { between: { start: "2030-05-01T00:00:00Z" } } } } },
  ),
  {
    section: "14",
    name: "an end that is empty cannot be read",
    requests: [fas(schedule(buffer, { between: { end: "" } }))],
    code: 500,
    message:
      'error unmarshalling FleetAutoscaler json after schema validation: spec.policy.schedule.between.end: "" is not a time of RFC 3339',
  },
];

const policy = (spec: JsonObject) => create("GameServerAllocationPolicy", { spec });
const least = { priority: 1, weight: 100 };

const allocationPolicies: readonly ApiPromise[] = [
  {
    section: "10",
    name: "priority and weight are enough",
    requests: [policy(least)],
    code: 201,
    shows: { spec: least },
  },
  {
    section: "10",
    name: "priority and weight are required",
    requests: [policy({})],
    code: 422,
    message: "[spec.priority: Required value, spec.weight: Required value]",
  },
  {
    section: "10",
    name: "neither may be negative",
    requests: [policy({ priority: -1, weight: -1 })],
    code: 422,
    message: "spec.weight in body should be greater than or equal to 0",
  },
  {
    section: "10",
    name: "a weight is exact",
    requests: [policy({ priority: 0, weight: 9223372036854775807n })],
    code: 201,
    shows: { spec: { weight: 9223372036854775807n } },
  },
  {
    section: "10",
    name: "a connection has a namespace",
    requests: [policy({ ...least, connectionInfo: {} })],
    code: 422,
    message: "spec.connectionInfo.namespace: Required value",
  },
  {
    section: "10",
    name: "endpoints are not none",
    requests: [policy({ ...least, connectionInfo: { namespace: "games", allocationEndpoints: [] } })],
    code: 422,
    message: "spec.connectionInfo.allocationEndpoints in body should have at least 1 items",
  },
  {
    section: "10",
    name: "a certificate is base64, whatever it holds",
    requests: [policy({ ...least, connectionInfo: { namespace: "games", serverCa: "%" } })],
    code: 422,
    message: "spec.connectionInfo.serverCa in body must be of type byte",
  },
  {
    section: "10",
    name: "it has no status, nor defaults",
    requests: [create("GameServerAllocationPolicy", { spec: least, status: { ready: true } })],
    code: 201,
    shows: { spec: least },
    without: ["status", "spec.connectionInfo"],
  },
  {
    section: "13",
    name: "an allocation policy may change at any time",
    requests: [
      policy(least),
      merge("GameServerAllocationPolicy", { spec: { priority: 7, connectionInfo: { namespace: "b" } } }),
    ],
    code: 200,
    shows: { spec: { priority: 7, weight: 100, connectionInfo: { namespace: "b" } } },
  },
];

export const promises: readonly ApiPromise[] = [...fields, ...nesting, ...statuses, ...times, ...allocationPolicies];
