/** Objects of all six kinds, valid ones and damaged ones, on the way that the API server sends them: schema, admission, schema, validation. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { defaultFleet, defaultGameServer } from "#api/agones/defaults.ts";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { typeFault } from "#api/agones/type-fault.ts";
import { defaultAllocation } from "#api/allocation/defaults.ts";
import { type GameServerAllocation, GameServerAllocationSpec } from "#api/allocation/gameserverallocation.ts";
import { GAMESERVERALLOCATIONS } from "#api/allocation/resources.ts";
import { gameServerAllocationSchema } from "#api/allocation/schema.ts";
import { validateAllocation } from "#api/allocation/validate.ts";
import { defaultFleetAutoscaler } from "#api/autoscaling/defaults.ts";
import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import type { AdmissionStep } from "#api/meta/admission.ts";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { applyJsonPatch } from "#api/meta/patch/json-patch.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { GAMESERVERALLOCATIONPOLICIES } from "#api/multicluster/gameserverallocationpolicy.ts";
import { compileSchema } from "#cluster/apiserver/schema/compile.ts";
import { FakeClock } from "#runtime/clock.ts";
import { agonesAdmission } from "./admission.ts";
import { manifests } from "./manifests.promises.ts";
import { change, changed, validValues } from "./schema-arbitrary.fixture.ts";

const gates = featureGates({ PlayerTracking: true, PlayerAllocationFilter: true, WasmAutoscaler: true });
const plugin = agonesAdmission({ gates, version: "1.2.3", clock: new FakeClock() });
const [mutate, validate] = [plugin.mutate, plugin.validate] as [AdmissionStep, AdmissionStep];
const encoded = (object: object): JsonObject => parseJson(stringifyJson(object)) as JsonObject;

/** What an object is stored as, or what is told of it, as far as it was completed. */
type Outcome =
  | { readonly stored: JsonObject }
  | { readonly fields: readonly string[]; readonly of: JsonObject }
  | { readonly error: string };

interface Way {
  readonly type: ResourceType<KubeObject>;
  readonly schema: JsonObject;
  readonly write: (object: JsonObject) => Promise<Outcome>;
  /** Fills in what a decoded object leaves unsaid. */
  readonly complete: (object: never) => KubeObject;
}

function stored(type: ResourceType<KubeObject>, complete: Way["complete"]): Way {
  const { group, kind, plural, version } = type;
  const definition = buildCustomResourceDefinitions({ gates }).find(({ spec }) => spec.names.kind === kind);
  const schema = definition?.spec.versions[0]?.schema?.openAPIV3Schema as JsonObject;
  const passes = compileSchema(schema, { groupVersionKind: { group, version, kind } });
  const write = async (given: JsonObject): Promise<Outcome> => {
    const request = (object: JsonObject) => ({
      uid: "u",
      kind: { group, version, kind },
      resource: { group, version, resource: plural },
      operation: "CREATE" as const,
      userInfo: { username: "ann", groups: [] },
      object,
      oldObject: null,
    });
    const pruned = passes.applyDefaults(passes.prune(given).object);
    const { patch = [] } = await mutate.admit(request(pruned));
    const completed = encoded(passes.applyDefaults(applyJsonPatch(pruned, patch) as JsonObject));
    const faults = passes.validate(completed);
    if (faults.length > 0) return { fields: faults.map(({ field }) => field), of: completed };
    const { allowed, status } = await validate.admit(request(completed));
    if (allowed) return { stored: completed };
    if (status?.reason === "InternalError") return { error: status.message ?? "" };
    return { fields: (status?.details?.causes ?? []).map(({ field }) => field ?? ""), of: completed };
  };
  return { type, schema, write, complete };
}

const allocations: Way = {
  type: GAMESERVERALLOCATIONS,
  schema: gameServerAllocationSchema(),
  write: async (given) => {
    const fault = typeFault(GameServerAllocationSpec as unknown as JsonObject, given.spec ?? {}, "spec");
    if (fault !== undefined) return { error: `error unmarshalling: ${fault}` };
    const request = defaultAllocation(GAMESERVERALLOCATIONS.decode(given), gates);
    const faults = validateAllocation(request, gates);
    if (faults.length > 0) return { fields: faults.map(({ field }) => field), of: encoded(request) };
    return { stored: encoded(request) };
  },
  complete: (object: GameServerAllocation) => defaultAllocation(object, gates),
};

const asItIs = (object: KubeObject): KubeObject => object;
const ways: readonly Way[] = [
  stored(GAMESERVERS, (object: GameServer) => defaultGameServer(object, { gates, version: "1.2.3" })),
  stored(GAMESERVERSETS, asItIs),
  stored(FLEETS, (object: Fleet) => defaultFleet(object, "1.2.3")),
  stored(FLEETAUTOSCALERS, (object: FleetAutoscaler) => defaultFleetAutoscaler(object)),
  stored(GAMESERVERALLOCATIONPOLICIES, asItIs),
  allocations,
];

/** A documented manifest with some members of its spec made anew from the schema. */
function objectsOf({ type: { kind }, schema }: Way): fc.Arbitrary<JsonObject> {
  const documented = manifests
    .map(({ manifest }) => parse(manifest) as JsonObject)
    .filter((each) => each.kind === kind);
  const members = { ...((schema.properties as JsonObject).spec as JsonObject), required: [] };
  return fc
    .tuple(fc.constantFrom(...documented), fc.oneof(fc.constant({}), validValues(members) as fc.Arbitrary<JsonObject>))
    .map(([manifest, spec]) => ({
      ...manifest,
      metadata: { name: "a", ...(manifest.metadata as JsonObject | undefined) },
      spec: { ...(manifest.spec as JsonObject | undefined), ...spec },
    }));
}

/** Words in paths that stand for no member: policies of a chain are inlined, a selector's labels have no member of their own. */
const VIRTUAL = new Set(["policy", "labelSelector"]);

/** True when the path leads through the object, the last step aside: that member may be missing. */
function isInside(object: JsonValue, path: string): boolean {
  const annotation = "metadata.annotations.";
  if (path.startsWith(annotation)) return isInside(object, "metadata.annotations") && path.length > annotation.length;
  const steps = [...path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, key, name]) => key ?? name ?? "");
  let inner: JsonValue | undefined = object;
  for (const [position, step] of steps.entries()) {
    if (inner === null || typeof inner !== "object") return false;
    if (Object.hasOwn(inner, step)) inner = (inner as Readonly<Record<string, JsonValue>>)[step];
    else if (!VIRTUAL.has(step)) return position === steps.length - 1;
  }
  return steps.length > 0;
}

describe.each(ways.map((way) => [way.type.kind, way] as const))("%s", (_, way) => {
  const { type, write, complete } = way;
  const objects = objectsOf(way);

  test("what is valid stays what it is: written again, and decoded, completed and encoded", async () => {
    let valid = 0;
    await fc.assert(
      fc.asyncProperty(objects, async (given) => {
        const outcome = await write(given);
        if (!("stored" in outcome)) return;
        valid++;
        expect(await write(outcome.stored)).toEqual(outcome);
        const decoded = type.decode(encoded(outcome.stored));
        expect(encoded(decoded)).toEqual(outcome.stored);
        const completed = complete(decoded as never);
        expect(encoded(completed)).toEqual(outcome.stored);
        expect(complete(completed as never)).toEqual(completed);
      }),
      { numRuns: 200 },
    );
    expect(valid).toBeGreaterThan(50);
  });

  test("what is damaged is valid all the same, or refused with paths inside it", async () => {
    await fc.assert(
      fc.asyncProperty(objects, fc.array(change, { minLength: 1, maxLength: 3 }), async (given, changes) => {
        const spec = changes.reduce<JsonValue>((value, each) => changed(value, each), given.spec ?? {});
        const outcome = await write({ ...given, spec });
        if ("error" in outcome) expect(outcome.error).toMatch(/^error unmarshalling/);
        if (!("fields" in outcome)) return;
        expect(outcome.fields).not.toEqual([]);
        const lost = outcome.fields.filter((field) => !isInside(outcome.of, field));
        expect(lost).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
