import { describe, expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { AdmissionOperation, AdmissionRequest, AdmissionResponse } from "#api/meta/admission.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "#api/meta/json.ts";
import { applyJsonPatch } from "#api/meta/patch/json-patch.ts";
import { agonesAdmission } from "./admission.ts";

const plugin = agonesAdmission({ gates: featureGates(), version: "1.2.3" });
const plurals: Readonly<Record<string, string>> = {
  GameServer: "gameservers",
  GameServerSet: "gameserversets",
  Fleet: "fleets",
};

function request(
  object: JsonObject | null,
  operation: AdmissionOperation = "CREATE",
  oldObject: JsonObject | null = null,
): AdmissionRequest {
  const kind = String(object?.kind ?? oldObject?.kind);
  const metadata = object?.metadata;
  return {
    uid: "r-1",
    kind: { group: "agones.dev", version: "v1", kind },
    resource: { group: "agones.dev", version: "v1", resource: plurals[kind] ?? "others" },
    name: isJsonObject(metadata) ? String(metadata.name ?? "") : "",
    namespace: "games",
    operation,
    userInfo: { username: "ann", groups: [] },
    object,
    oldObject,
  };
}

const object = (kind: string, spec: JsonValue, metadata: JsonObject = { name: "duel" }): JsonObject => ({
  apiVersion: "agones.dev/v1",
  kind,
  metadata,
  spec,
});
const container = { name: "duel", image: "registry.example.net/duel:3" };
const pod = (more: JsonObject = {}): JsonObject => ({ spec: { containers: [{ ...container, ...more }] } });
const gameServer = (spec: JsonObject = {}, metadata?: JsonObject) =>
  object("GameServer", { template: pod(), ...spec }, metadata);
const fleet = (spec: JsonObject = {}, template: JsonObject = pod()) =>
  object("Fleet", { template: { spec: { template } }, ...spec });
const set = (spec: JsonObject = {}, template: JsonObject = pod()) =>
  object("GameServerSet", { replicas: 1, template: { spec: { template } }, ...spec });
const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } };

const mutated = async (asked: AdmissionRequest): Promise<JsonObject> => {
  const answer = (await plugin.mutate!.admit(asked)) as AdmissionResponse;
  expect(answer.allowed).toBe(true);
  return applyJsonPatch(asked.object, answer.patch ?? []) as JsonObject;
};
const checked = async (asked: AdmissionRequest) => (await plugin.validate!.admit(asked)) as AdmissionResponse;
const at = (value: JsonValue, ...path: (string | number)[]): JsonValue =>
  path.reduce((inner, step) => (inner as Record<string | number, JsonValue>)[step] ?? null, value);

describe("the plugin", () => {
  test("sees creations of all kinds, and updates of all but GameServers", () => {
    const [group, both] = ["agones.dev", ["CREATE", "UPDATE"]];
    const rules = [
      { group, resource: "gameservers", operations: ["CREATE"] },
      { group, resource: "gameserversets", operations: both },
      { group, resource: "fleets", operations: both },
      { group: "autoscaling.agones.dev", resource: "fleetautoscalers", operations: both },
    ];
    expect(plugin.validate?.rules).toEqual(rules);
    expect(plugin.mutate?.rules).toEqual([...rules, { group: "", resource: "pods", operations: ["CREATE"] }]);
  });

  test("lets pass what it does not know", async () => {
    for (const asked of [
      request(object("FleetAutoscaler", {})),
      { ...request(gameServer({ template: {} })), kind: { group: "other", version: "v1", kind: "GameServer" } },
      request(gameServer({ container: "nobody", template: {} }), "UPDATE"),
      request(null, "DELETE", gameServer()),
    ]) {
      expect(await checked(asked)).toEqual({ allowed: true });
      expect(await plugin.mutate!.admit(asked)).toEqual({ allowed: true });
    }
  });
});

describe("what is filled in", () => {
  test("for a new GameServer is a small patch that completes it", async () => {
    const written = gameServer({ ports: [{ containerPort: 7654 }] });
    const { patch = [] } = (await plugin.mutate!.admit(request(written))) as AdmissionResponse;
    expect(patch.map(({ op, path }) => `${op} ${path}`).toSorted()).toEqual([
      "add /metadata/annotations",
      "add /metadata/finalizers",
      "add /spec/container",
      "add /spec/eviction",
      "add /spec/health",
      "add /spec/scheduling",
      "add /spec/sdkServer",
      "add /status",
      "replace /spec/ports",
    ]);
    const completed = applyJsonPatch(written, patch);
    expect(at(completed, "status", "state")).toBe("PortAllocation");
    expect(at(completed, "metadata", "annotations")).toEqual({ "agones.dev/sdk-version": "1.2.3" });
  });

  test("is nothing the second time", async () => {
    for (const written of [gameServer(), fleet()]) {
      const once = await mutated(request(written));
      expect(await plugin.mutate!.admit(request(once))).toEqual({ allowed: true });
    }
  });

  test("for a new Fleet is its strategy, not its template", async () => {
    const completed = await mutated(request(fleet()));
    expect(at(completed, "spec", "strategy")).toEqual(strategy);
    expect(at(completed, "spec", "template")).toEqual({ spec: { template: pod() } });
  });

  test("on the update of a Fleet is nothing but quantities", async () => {
    expect(await mutated(request(fleet(), "UPDATE", fleet()))).toEqual(fleet());
  });

  test.each([
    ["GameServer", (template: JsonObject) => gameServer({ template }), "CREATE"],
    ["GameServerSet", (template: JsonObject) => set({}, template), "CREATE"],
    ["GameServerSet", (template: JsonObject) => set({}, template), "UPDATE"],
    ["Fleet", (template: JsonObject) => fleet({}, template), "CREATE"],
    ["Fleet", (template: JsonObject) => fleet({}, template), "UPDATE"],
  ] as const)("in a %s are quantities as canonical text, so that its schema takes them", async (_, make, operation) => {
    const made = (cpu: JsonValue, memory: JsonValue) => make(pod({ resources: { limits: { cpu, memory } } }));
    const before = made("1", "1Gi");
    const after = await mutated(request(made(1, "1024Mi"), operation, operation === "UPDATE" ? before : null));
    const template = at(after, "spec", "template");
    const podTemplate = _ === "GameServer" ? template : at(template, "spec", "template");
    expect(at(podTemplate, "spec", "containers", 0, "resources")).toEqual({ limits: { cpu: "1", memory: "1Gi" } });
  });

  test.each([
    ["ports that are no list", gameServer({ ports: "7000" })],
    ["a container that is null", gameServer({ template: { spec: { containers: [null] } } })],
    ["no spec", object("GameServer", undefined as never)],
    ["no template", object("GameServer", {})],
    ["labels that are no texts", gameServer({}, { name: "duel", labels: { a: 1 } })],
    ["a Fleet without a pod template", object("Fleet", { template: { spec: {} } })],
    ["a Fleet without a spec", object("Fleet", undefined as never)],
  ])("for %s is nothing: the schema says what is wrong", async (_, written) => {
    expect(await plugin.mutate!.admit(request(written))).toEqual({ allowed: true });
  });

  test("keeps int64 exact", async () => {
    const written = parseJson(
      `{"kind":"GameServer","apiVersion":"agones.dev/v1","metadata":{"name":"duel"},"spec":{"template":{"spec":{"containers":[{"name":"duel"}]}},
        "counters":{"rooms":{"count":9223372036854775806,"capacity":9223372036854775807}}}}`,
    ) as JsonObject;
    const completed = await mutated(request(written));
    expect(at(completed, "status", "counters")).toEqual({
      rooms: { count: 9223372036854775806n, capacity: 9223372036854775807n },
    });
  });
});

describe("what is refused", () => {
  test("is told as an Invalid status with all its causes", async () => {
    const asked = await mutated(request(gameServer({ ports: [{ portPolicy: "Static" }, { hostPort: 7 }] })));
    const { allowed, status } = await checked(request(asked));
    expect(allowed).toBe(false);
    expect(status).toMatchObject({
      status: "Failure",
      reason: "Invalid",
      code: 422,
      details: { group: "agones.dev", kind: "GameServer", name: "duel" },
    });
    expect(status?.details?.causes?.map(({ reason, field }) => `${reason} ${field}`)).toEqual([
      "FieldValueRequired spec.ports[0].containerPort",
      "FieldValueRequired spec.ports[1].containerPort",
      "FieldValueForbidden spec.ports[1].hostPort",
    ]);
    expect(status?.message).toMatch(
      /^GameServer\.agones\.dev "duel" is invalid: \[spec\.ports\[0\]\.containerPort: Req/,
    );
  });

  test("of a template names its place; an update of a Fleet is checked like its creation", async () => {
    const nameless = { spec: { containers: [container, { name: "tail" }] } };
    for (const asked of [
      request(set({}, nameless)),
      request(fleet({ strategy }, nameless)),
      request(fleet({ strategy }, nameless), "UPDATE", fleet()),
    ]) {
      const { status } = await checked(asked);
      expect(status?.details?.causes?.[0]?.field).toBe("spec.template.spec.container");
    }
    expect(await checked(request(fleet({ strategy }), "UPDATE", fleet()))).toEqual({ allowed: true });
  });

  test("of a set's update is a template that means something else", async () => {
    const limits = (cpu: string) => pod({ resources: { limits: { cpu } } });
    const update = (from: string, to: string) =>
      checked(request(set({ replicas: 7 }, limits(to)), "UPDATE", set({}, limits(from))));
    expect(await update("1000m", "1")).toEqual({ allowed: true });
    const { status } = await update("1", "2");
    expect(status?.message).toMatch(/spec\.template: Invalid value: .*: GameServerSet template cannot be updated$/);
  });

  const unreadable = pod({ resources: { limits: { cpu: "lots" } } });
  test.each([
    ["spec", gameServer({ template: unreadable })],
    ["spec", gameServer({ template: unreadable }, { name: "duel", annotations: { "agones.dev/dev-address": "::1" } })],
    ["spec.template.spec", fleet({ strategy }, unreadable)],
    ["spec.template.spec", set({}, unreadable)],
  ])("of text that is no quantity names its place in %s", async (path, object) => {
    const { status } = await checked(request(object));
    expect(status).toMatchObject({ reason: "Invalid", code: 422 });
    expect(status?.details?.causes).toContainEqual({
      field: `${path}.template.spec.containers[0].resources.limits[cpu]`,
      reason: "FieldValueInvalid",
      message: expect.stringMatching(/^Invalid value: "lots": quantities must match/),
    });
  });

  test("are none of what can hardly be meant: it is told, and of servers of a Fleet by the Fleet alone", async () => {
    const counters = { rooms: { count: 2, capacity: 1 } };
    const told = (path: string) => ({
      allowed: true,
      warnings: [`${path}.counters[rooms].count: 2 is more than the capacity, which is 1`],
    });
    const owned = { name: "duel", ownerReferences: [{ uid: "u", name: "s", kind: "GameServerSet", apiVersion: "v1" }] };
    expect(await checked(request(gameServer({ container: "duel", counters })))).toEqual(told("spec"));
    expect(await checked(request(gameServer({ container: "duel", counters }, owned)))).toEqual({ allowed: true });
    const counting = fleet({ strategy, template: { spec: { counters, template: pod() } } });
    expect(await checked(request(counting))).toEqual(told("spec.template.spec"));
  });

  test("of an object without a name yet has an empty one", async () => {
    const { status } = await checked(request(gameServer({ container: "nobody" }, { generateName: "duel-" })));
    expect(status?.message).toMatch(/^GameServer\.agones\.dev "" is invalid: /);
  });

  test("for a Fleet without a spec is what it lacks", async () => {
    const { status } = await checked(request(object("Fleet", undefined as never)));
    expect(status?.details?.causes?.map(({ field }) => field)).toContain("spec.template.spec.container");
  });

  const tooLong = { health: { periodSeconds: 2147483648 } };
  const afterSchema = (kind: string) => `error unmarshalling ${kind} json after schema validation: `;
  test.each([
    ["GameServer", request(gameServer(tooLong)), afterSchema("GameServer")],
    ["Fleet", request(fleet({ template: { spec: { ...tooLong, template: pod() } } })), afterSchema("Fleet")],
    [
      "GameServerSet",
      request(set({ template: { spec: { ...tooLong, template: pod() } } })),
      afterSchema("GameServerSet"),
    ],
    [
      "new set",
      request(set({ replicas: 2147483648 }), "UPDATE", set()),
      "error unmarshalling new GameServerSet json: ",
    ],
    [
      "old set",
      request(set(), "UPDATE", set({ replicas: 2147483648 })),
      "error unmarshalling old GameServerSet json: ",
    ],
  ])("as an internal error: a %s that its type cannot hold", async (_, asked, prefix) => {
    const { allowed, status } = await checked(asked);
    expect(allowed).toBe(false);
    expect(status).toMatchObject({
      status: "Failure",
      reason: "InternalError",
      details: { name: "duel", group: "agones.dev", kind: asked.kind.kind, causes: [{ reason: "InternalError" }] },
    });
    expect(status?.message?.startsWith(prefix)).toBe(true);
    expect(status?.details?.causes?.[0]?.message).toBe(status?.message);
  });
});
