/** What happens to an object on its way into the API server, and what it answers. */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { type ApiPromise, type ApiStep, create, game, merge } from "./api-promise.fixture.ts";

const server = (spec: JsonObject = {}, more: JsonObject = {}) => create("GameServer", { spec: game(spec), ...more });
const fleet = (spec: JsonObject = {}, template: JsonObject = { spec: game() }) =>
  create("Fleet", { spec: { template, ...spec } });
const set = (spec: JsonObject = {}, template: JsonObject = { spec: game() }) =>
  create("GameServerSet", { spec: { replicas: 1, template, ...spec } });
const withCpu = (cpu: JsonValue): JsonObject => ({
  template: { spec: { containers: [{ name: "duel", image: "duel:3", resources: { limits: { cpu } } }] } },
});
const shownCpu = (cpu: string): JsonObject => ({
  template: { spec: { containers: [{ resources: { limits: { cpu } } }] } },
});
const path = (plural: string, rest = "/a") => `/apis/agones.dev/v1/namespaces/default/${plural}${rest}`;
const refused = (section: string, name: string, request: ApiStep, message: string): ApiPromise => ({
  section,
  name,
  requests: [request],
  code: 422,
  message,
});
const taken = (section: string, name: string, request: ApiStep, shows: JsonObject, without?: string[]): ApiPromise => ({
  section,
  name,
  requests: [request],
  code: 201,
  shows,
  without,
});

const order: readonly ApiPromise[] = [
  taken(
    "2.3.1",
    "what the schema does not know is dropped, in the template too",
    server({ future: 1, template: { spec: { containers: [{ name: "duel", image: "i", future: 1 }], future: 1 } } }),
    {},
    ["spec.future", "spec.template.spec.future", "spec.template.spec.containers.0.future"],
  ),
  taken(
    "2.3.1",
    "the schema's defaults are there before admission copies them",
    server({ counters: { rooms: {} }, lists: { roster: {} } }),
    {
      spec: { counters: { rooms: { count: 0, capacity: 1000 } }, lists: { roster: { capacity: 1000, values: [] } } },
      status: { counters: { rooms: { count: 0, capacity: 1000 } }, lists: { roster: { capacity: 1000, values: [] } } },
    },
  ),
  taken("2.3.2", "the schema's defaults go into what admission added", server(), {
    spec: { immutableReplicas: 1 },
    status: { state: "Creating", immutableReplicas: 1 },
  }),
  refused(
    "2.3.3",
    "the schema refuses, and validation is not asked",
    server({ container: "Other", ports: [{}], template: { spec: { containers: [{ name: "a" }, { name: "b" }] } } }),
    'GameServer.agones.dev "a" is invalid: spec.container: Invalid value: "Other": spec.container in body should match',
  ),
  refused(
    "2.3.4",
    "what the schema takes is refused by validation",
    server({ ports: [{ portPolicy: "Static" }] }),
    'GameServer.agones.dev "a" is invalid: spec.ports[0].containerPort: Required value: ContainerPort must be defined',
  ),
  taken(
    "2.1",
    "a status that is dropped is not read either: what is wrong in it hinders nothing",
    create("Fleet", {
      spec: { template: { spec: game() } },
      status: { replicas: "many", conditions: [{ lastTransitionTime: "now" }] },
    }),
    { spec: { scheduling: "Packed", strategy: { type: "RollingUpdate" } } },
    ["status"],
  ),
  taken("2.3", "quantities are stored in canonical text: space around them is not", server(withCpu(" 0.5\n")), {
    spec: shownCpu("500m"),
  }),
  taken("2.3", "quantities are stored in canonical text: as Kubernetes takes it for one", server(withCpu("1.500")), {
    spec: shownCpu("1.500"),
  }),
  {
    section: "2.3",
    name: "quantities are stored in canonical text: of a GameServer",
    requests: [server(withCpu(1))],
    code: 201,
    shows: { spec: shownCpu("1") },
  },
  taken("2.3", "quantities are stored in canonical text: half a core", server(withCpu(0.5)), {
    spec: shownCpu("500m"),
  }),
  taken("2.3", "quantities are stored in canonical text: of a Fleet", fleet({}, { spec: game(withCpu("1000m")) }), {
    spec: { template: { spec: shownCpu("1") } },
  }),
  taken("2.3", "quantities are stored in canonical text: of a set", set({}, { spec: game(withCpu(2)) }), {
    spec: { template: { spec: shownCpu("2") } },
  }),
  {
    section: "2.3",
    name: "quantities are stored in canonical text: on the update of a Fleet",
    requests: [fleet(), merge("Fleet", { spec: { template: { spec: withCpu(3) } } })],
    code: 200,
    shows: { spec: { template: { spec: shownCpu("3") } } },
  },
];

const least = (name: string, spec: JsonObject, message: string) => refused("2.4", name, server(spec), message);
const lessThanLeast = (name: string, change: JsonObject, message: string): ApiPromise => ({
  section: "2.4",
  name,
  requests: [server(), merge("GameServer", change)],
  code: 422,
  message,
});

const unsaid = { container: "", sdkServer: { grpcPort: 0 }, health: { failureThreshold: 0 } };

const values: readonly ApiPromise[] = [
  lessThanLeast("an empty container is no name", { spec: { container: "" } }, "spec.container in body should match"),
  taken("2.4", "what admission fills in may be empty or 0 in a new server", server(unsaid, { status: { state: "" } }), {
    spec: { container: "duel", sdkServer: { grpcPort: 9357 }, health: { failureThreshold: 3 } },
    status: { state: "Creating" },
  }),
  least(
    "a port of 0 is no port",
    { ports: [{ containerPort: 0 }] },
    "spec.ports[0].containerPort in body should be greater than or equal to 1",
  ),
  least(
    "a host port of 0 is no port",
    { ports: [{ portPolicy: "Static", containerPort: 1, hostPort: 0 }] },
    "spec.ports[0].hostPort in body should be greater than or equal to 1",
  ),
  lessThanLeast(
    "an SDK server's port of 0 is no port",
    { spec: { sdkServer: { grpcPort: 0, httpPort: 0 } } },
    "spec.sdkServer.grpcPort in body should be greater than or equal to 1",
  ),
  lessThanLeast(
    "a threshold of 0 is none",
    { spec: { health: { failureThreshold: 0 } } },
    "spec.health.failureThreshold in body should be greater than or equal to 1",
  ),
  lessThanLeast("an empty state is none", { status: { state: "" } }, 'status.state: Unsupported value: ""'),
  taken(
    "2.4",
    "nulls are taken where the schema lets them",
    server(
      { ports: null, players: null, counters: null, lists: null },
      { status: { ports: null, addresses: null, reservedUntil: null, players: null } },
    ),
    { spec: { ports: null, players: null } },
  ),
  taken("2.4", "numbers of 64 bits are exact", server({ counters: { rooms: { capacity: 9223372036854775807n } } }), {
    spec: { counters: { rooms: { capacity: 9223372036854775807n } } },
    status: { counters: { rooms: { capacity: 9223372036854775807n } } },
  }),
  taken("2.4", "a text of digits stays a text, a number a number", fleet(rolling("5", 5)), {
    spec: rolling("5", 5),
  }),
  refused(
    "2.4",
    "a time is of RFC 3339",
    server({}, { status: { reservedUntil: "" } }),
    "status.reservedUntil in body must be of type date-time",
  ),
  refused(
    "4.1",
    "the values of a list are each there once",
    server({ lists: { roster: { values: ["a", "b", "a"] } } }),
    'spec.lists[roster].values[2]: Duplicate value: "a"',
  ),
];

function rolling(maxSurge: JsonValue, maxUnavailable: JsonValue): JsonObject {
  return { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } };
}

const long = "y".repeat(64);

const kinds: readonly ApiPromise[] = [
  taken("4.4", "a state that came with a new server is kept", server({}, { status: { state: "Ready" } }), {
    status: { state: "Ready" },
  }),
  refused(
    "4.4",
    "there are eleven states",
    server({}, { status: { state: "Waiting" } }),
    'status.state: Unsupported value: "Waiting": supported values: "PortAllocation", "Creating", "Starting", "Scheduled", "RequestReady", "Ready", "Shutdown", "Error", "Unhealthy", "Reserved", "Allocated"',
  ),
  {
    section: "1.1",
    name: "a GameServer has no status of its own",
    requests: [server(), merge("GameServer", { status: { state: "Ready" } }, "status")],
    code: 404,
  },
  {
    section: "1.1",
    name: "a GameServer's scale is 1",
    requests: [server(), { method: "GET", path: path("gameservers", "/a/scale") }],
    code: 200,
    shows: { kind: "Scale", spec: { replicas: 1 }, status: { replicas: 1 } },
    without: ["status.selector"],
  },
  {
    section: "1.1",
    name: "a Fleet's scale is its size, and reaches no webhook",
    requests: [fleet({ replicas: 2 }), merge("Fleet", { spec: { replicas: 5 } }, "scale")],
    code: 200,
    shows: { kind: "Scale", spec: { replicas: 5 } },
    without: ["status.selector"],
  },
  {
    section: "1.3",
    name: "a status reaches no webhook",
    requests: [fleet(), merge("Fleet", { spec: { strategy: null }, status: { replicas: 3 } }, "status")],
    code: 200,
    shows: { spec: rolling("25%", "25%"), status: { replicas: 3 } },
  },
  refused(
    "4.1",
    "a GameServer without a spec",
    create("GameServer", {}),
    'GameServer.agones.dev "a" is invalid: spec: Required value',
  ),
  taken(
    "6",
    "nothing of a set is filled in but by its schema",
    set({}, { spec: game({ ports: [{ containerPort: 7 }], counters: { rooms: {} } }) }),
    { spec: { template: { spec: { counters: { rooms: { count: 0, capacity: 1000 } }, immutableReplicas: 1 } } } },
    ["spec.scheduling", "spec.template.spec.health", "spec.template.spec.ports.0.protocol", "metadata.annotations"],
  ),
  taken(
    "7",
    "a Fleet's template is stored as written",
    fleet({}, { spec: game({ ports: [{ containerPort: 7 }] }) }),
    { spec: { replicas: 0, scheduling: "Packed", ...rolling("25%", "25%") } },
    ["spec.template.spec.scheduling", "spec.template.spec.ports.0.protocol", "spec.template.spec.container"],
  ),
  refused(
    "7",
    "a label value of 64 characters in a Fleet's template is refused with its field",
    fleet({}, { metadata: { labels: { mode: long } }, spec: game() }),
    `Fleet.agones.dev "a" is invalid: spec.template.metadata.labels: Invalid value: "${long}": must be no more than 63 characters`,
  ),
  {
    section: "7",
    name: "a Fleet's name of 64 bytes is refused with its field",
    requests: [{ ...fleet(), body: { ...(fleet().body as JsonObject), metadata: { name: "n".repeat(64) } } }],
    code: 422,
    message: `Fleet.agones.dev "${"n".repeat(64)}" is invalid: metadata.name: Too long: may not be more than 63 bytes`,
    shows: { details: { causes: [{ reason: "FieldValueTooLong", field: "metadata.name" }] } },
  },
  {
    section: "4.3",
    name: "members of the template that nobody knows are dropped on update too",
    requests: [fleet(), merge("Fleet", { spec: { template: { spec: { template: { spec: { future: 1 } } } } } })],
    code: 200,
    without: ["spec.template.spec.template.spec.future"],
  },
];

const ALLOCATIONS = "/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations";
const allocate = (body: JsonValue): ApiStep => ({ method: "POST", path: ALLOCATIONS, body });
const GSA = { apiVersion: "allocation.agones.dev/v1", kind: "GameServerAllocation" };

/** No server matches anything. */
const allocations: readonly ApiPromise[] = [
  {
    section: "9.1",
    name: "there is one resource, which can be created",
    requests: [{ method: "GET", path: "/apis/allocation.agones.dev/v1" }],
    code: 200,
    shows: {
      kind: "APIResourceList",
      resources: [
        {
          name: "gameserverallocations",
          singularName: "gameserverallocation",
          namespaced: true,
          kind: "GameServerAllocation",
          verbs: ["create"],
          shortNames: ["gsa"],
        },
      ],
    },
  },
  {
    section: "9.1",
    name: "a request is answered with 201 though no server was found; its namespace is the path's",
    requests: [allocate({ ...GSA, metadata: { namespace: "elsewhere" }, spec: {} })],
    code: 201,
    shows: {
      metadata: { namespace: "default", creationTimestamp: "2030-01-01T00:00:00Z" },
      status: { state: "UnAllocated", gameServerName: "", source: "" },
    },
  },
  {
    section: "9.1",
    name: "unknown fields do not matter",
    requests: [allocate({ ...GSA, spec: { future: 1 } })],
    code: 201,
    shows: { status: { state: "UnAllocated" } },
  },
  {
    section: "9.1",
    name: "a request that is not valid is answered with 422",
    requests: [allocate({ ...GSA, spec: { scheduling: "wrong" } })],
    code: 422,
    message:
      'GameServerAllocation.allocation.agones.dev "" is invalid: spec.scheduling: Unsupported value: "wrong": supported values: "Packed", "Distributed"',
  },
  {
    section: "9.1",
    name: "nothing else is served",
    requests: [{ method: "GET", path: ALLOCATIONS }],
    code: 405,
    message: "Method not supported",
  },
  {
    section: "9.8",
    name: "a request that asks for other clusters is answered from this one",
    requests: [allocate({ ...GSA, spec: { multiClusterSetting: { enabled: true } } })],
    code: 201,
    shows: { spec: { multiClusterSetting: { enabled: true, policySelector: {} } }, status: { state: "UnAllocated" } },
  },
];

export const promises: readonly ApiPromise[] = [...order, ...values, ...kinds, ...allocations];
