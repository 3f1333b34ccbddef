/** What a review of admission is answered with. */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import type { Members, PromiseRow } from "#api/meta/promise-row.ts";
import { game } from "./api-promise.fixture.ts";

interface ReviewPromise extends PromiseRow {
  readonly step: "mutate" | "validate";
  readonly request: JsonObject;
  /** Of the review's `response`. */
  readonly shows: Members;
  /** The patch as it comes out of base64. */
  readonly patch?: JsonValue;
}

const AUTOSCALING = "autoscaling.agones.dev";

function asked(kind: string, object: JsonObject, more: JsonObject = {}): JsonObject {
  const group = kind === "FleetAutoscaler" ? AUTOSCALING : "agones.dev";
  return {
    uid: "r-1",
    kind: { group, version: "v1", kind },
    resource: { group, version: "v1", resource: `${kind.toLowerCase()}s` },
    operation: "CREATE",
    name: "a",
    object: { apiVersion: `${group}/v1`, kind, metadata: { name: "a" }, ...object },
    ...more,
  };
}

const allowed: Members = { uid: "r-1", allowed: true, patch: undefined, patchType: undefined, status: undefined };
const beyond = 2147483648;
const afterSchema = (kind: string) => `error unmarshalling ${kind} json after schema validation: `;
const unreadable = (kind: string, message: string, group = "agones.dev"): Members => ({
  uid: "r-1",
  allowed: false,
  "status.status": "Failure",
  "status.reason": "InternalError",
  "status.message": message,
  "status.details": { name: "a", group, kind, causes: [{ reason: "InternalError", message }] },
});
const template = (more: JsonObject = {}): JsonObject => ({ spec: game(more) });
const set = (more: JsonObject = {}): JsonObject => ({ spec: { replicas: 1, template: template(), ...more } });
const fits = `does not fit in int32`;

export const reviews: readonly ReviewPromise[] = [
  {
    section: "2.1",
    name: "a patch is a JSON Patch in base64",
    step: "mutate",
    request: asked("FleetAutoscaler", { spec: { fleetName: "duel", policy: { type: "Webhook" } } }),
    shows: { uid: "r-1", allowed: true, patchType: "JSONPatch" },
    patch: [{ op: "add", path: "/spec/sync", value: { type: "FixedInterval", fixedInterval: { seconds: 30 } } }],
  },
  {
    section: "2.1",
    name: "no patch where there is nothing to fill in",
    step: "mutate",
    request: asked("GameServerSet", set()),
    shows: allowed,
  },
  ...(["mutate", "validate"] as const).flatMap((step) => [
    {
      section: "2.1",
      name: `${step}: another kind is allowed`,
      step,
      request: asked("GameServer", { spec: {} }, { kind: { group: "other", version: "v1", kind: "GameServer" } }),
      shows: allowed,
    },
    {
      section: "2.1",
      name: `${step}: another operation is allowed`,
      step,
      request: asked("GameServer", { spec: {} }, { operation: "UPDATE" }),
      shows: allowed,
    },
    {
      section: "1.3",
      name: `${step}: a subresource is allowed`,
      step,
      request: asked("Fleet", { spec: {} }, { operation: "UPDATE", subResource: "scale" }),
      shows: allowed,
    },
  ]),
  {
    section: "2.1",
    name: "mutate: what cannot be read is left to the schema",
    step: "mutate",
    request: asked("GameServer", { spec: game({ ports: "7000" }) }),
    shows: allowed,
  },
  {
    section: "2.1",
    name: "validate: a GameServer that cannot be read",
    step: "validate",
    request: asked("GameServer", { spec: game({ health: { periodSeconds: beyond } }) }),
    shows: unreadable("GameServer", `${afterSchema("GameServer")}spec.health.periodSeconds: ${beyond} ${fits}`),
  },
  {
    section: "2.1",
    name: "validate: a Fleet that cannot be read",
    step: "validate",
    request: asked("Fleet", { spec: { template: template({ health: { periodSeconds: beyond } }) } }),
    shows: unreadable("Fleet", `${afterSchema("Fleet")}spec.template.spec.health.periodSeconds: ${beyond} ${fits}`),
  },
  {
    section: "2.1",
    name: "validate: a GameServerSet that cannot be read",
    step: "validate",
    request: asked("GameServerSet", set({ replicas: beyond })),
    shows: unreadable("GameServerSet", `${afterSchema("GameServerSet")}spec.replicas: ${beyond} ${fits}`),
  },
  {
    section: "2.1",
    name: "validate: a GameServerSet's update that cannot be read",
    step: "validate",
    request: asked("GameServerSet", set({ replicas: beyond }), { operation: "UPDATE", oldObject: withMetadata(set()) }),
    shows: unreadable("GameServerSet", `error unmarshalling new GameServerSet json: spec.replicas: ${beyond} ${fits}`),
  },
  {
    section: "2.1",
    name: "validate: a GameServerSet that could not be read before its update",
    step: "validate",
    request: asked("GameServerSet", set(), { operation: "UPDATE", oldObject: withMetadata(set({ replicas: beyond })) }),
    shows: unreadable("GameServerSet", `error unmarshalling old GameServerSet json: spec.replicas: ${beyond} ${fits}`),
  },
  {
    section: "2.1",
    name: "validate: a FleetAutoscaler that cannot be read",
    step: "validate",
    request: asked("FleetAutoscaler", { spec: { fleetName: 1 } }),
    shows: unreadable("FleetAutoscaler", `${afterSchema("FleetAutoscaler")}spec.policy: is required`, AUTOSCALING),
  },
  {
    section: "2.2",
    name: "one fault stands alone in the message, with its cause",
    step: "validate",
    request: asked("GameServer", { spec: game({ container: "other" }) }),
    shows: {
      "status.status": "Failure",
      "status.reason": "Invalid",
      "status.code": 422,
      "status.message":
        'GameServer.agones.dev "a" is invalid: spec.container: Invalid value: "other": Could not find a container named other',
      "status.details": {
        name: "a",
        group: "agones.dev",
        kind: "GameServer",
        causes: [
          {
            reason: "FieldValueInvalid",
            message: 'Invalid value: "other": Could not find a container named other',
            field: "spec.container",
          },
        ],
      },
    },
  },
  {
    section: "2.2",
    name: "of more than a hundred faults the first are told, and how many there are besides",
    step: "validate",
    request: asked("Fleet", { spec: { template: template({ ports: Array(150).fill({}) }) } }),
    shows: { "status.details.causes.length": 100 },
  },
  {
    section: "2.2",
    name: "several faults stand in brackets, each with its cause",
    step: "validate",
    request: asked("GameServer", {
      spec: game({ ports: [{ portPolicy: "Passthrough", containerPort: 1, hostPort: 2 }] }),
    }),
    shows: {
      "status.message":
        'GameServer.agones.dev "a" is invalid: [spec.container: Invalid value: "": Could not find a container named , ' +
        "spec.ports[0].containerPort: Required value: ContainerPort cannot be specified with Passthrough PortPolicy, " +
        "spec.ports[0].hostPort: Forbidden: HostPort cannot be specified with a Dynamic or Passthrough PortPolicy]",
      "status.details.causes.length": 3,
    },
  },
];

function withMetadata(object: JsonObject): JsonObject {
  return { apiVersion: "agones.dev/v1", kind: "GameServerSet", metadata: { name: "a" }, ...object };
}
