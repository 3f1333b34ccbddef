import { describe, expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.ts";
import { buildCustomResourceDefinitions, type CrdOptions } from "./crds.ts";

const schemas = (options?: CrdOptions) =>
  new Map(
    buildCustomResourceDefinitions(options).map(({ spec }) => [
      spec.names.kind,
      spec.versions[0]?.schema?.openAPIV3Schema as JsonObject,
    ]),
  );

/** `a.b[]{}`: properties by dots, items and map values by brackets. */
function at(schema: JsonObject | undefined, path: string): JsonObject {
  return path
    .split(/\.|(?=\[)|(?=\{)/)
    .filter(Boolean)
    .reduce((node: JsonObject, step) => {
      const next =
        step === "[]"
          ? node.items
          : step === "{}"
            ? node.additionalProperties
            : (node.properties as JsonObject | undefined)?.[step];
      if (!isJsonObject(next)) throw new Error(`no ${step} in ${path}`);
      return next;
    }, schema as JsonObject);
}

const allowedKeywords = new Set([
  ..."type description format enum nullable default required properties additionalProperties items".split(" "),
  ..."minimum exclusiveMinimum maximum minLength maxLength pattern minItems maxItems minProperties maxProperties".split(
    " ",
  ),
  ..."x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields".split(" "),
  ..."x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-map-type".split(" "),
]);

/** The rules of structural schemas that an API server holds a CRD to; the sentences name what is broken. */
function structuralFaults(schema: JsonObject, path: string): string[] {
  const faults = Object.keys(schema)
    .filter((keyword) => !allowedKeywords.has(keyword))
    .map((keyword) => `${path}: ${keyword} is not supported`);
  const fault = (broken: unknown, what: string) => broken && faults.push(`${path}: ${what}`);
  const { type, properties, additionalProperties, items, required, enum: values } = schema;
  const free = schema["x-kubernetes-int-or-string"] === true;
  fault(typeof type !== "string" && !free, "has no type");
  fault(typeof type === "string" && free, "int-or-string has a type");
  fault((properties || additionalProperties) && type !== "object", "members of what is no object");
  fault(properties && additionalProperties, "properties and additionalProperties exclude each other");
  fault((type === "array") !== isJsonObject(items), "items belong to arrays, and arrays have them");
  fault(schema["x-kubernetes-list-type"] === "set" && (items as JsonObject).type !== "string", "a set of non-scalars");
  fault(schema["x-kubernetes-map-type"] && type !== "object", "a map type on what is no object");
  fault(values && type !== "string", "an enum of other than strings");
  fault(
    type === "integer" && schema.format === "int32" && Number(schema.maximum ?? 0) > 2 ** 31 - 1,
    "a maximum outside the format",
  );
  for (const name of (required ?? []) as readonly string[]) {
    fault(!isJsonObject(properties) || !properties[name], `requires ${name}, which it does not describe`);
  }
  if (typeof schema.default === "number") {
    fault(schema.default < Number(schema.minimum ?? 0), "a default below the minimum");
    fault(schema.default > Number(schema.maximum ?? Number.MAX_VALUE), "a default above the maximum");
  }
  const inner: [string, JsonValue | undefined][] = [
    ...Object.entries(isJsonObject(properties) ? properties : {}),
    ["{}", additionalProperties],
    ["[]", items],
  ];
  for (const [name, node] of inner) if (isJsonObject(node)) faults.push(...structuralFaults(node, `${path}.${name}`));
  return faults;
}

describe("the schemas", () => {
  test.each([
    ["by default", {}],
    ["with every option", { listsMaxItems: 50, podPreserveUnknownFields: true }],
    ["without schedules", { gates: featureGates({ ScheduledAutoscaler: false }) }],
  ])("are structural, %s", (_, options) => {
    const faults = [...schemas(options)].flatMap(([kind, schema]) => structuralFaults(schema, kind));
    expect(faults).toEqual([]);
  });

  test("of GameServer requires a spec, and a spec its template", () => {
    const gameServer = schemas().get("GameServer");
    expect(gameServer?.required).toEqual(["spec"]);
    expect(at(gameServer, "spec").required).toEqual(["template"]);
    expect(at(gameServer, "spec.template.spec").required).toEqual(["containers"]);
    expect(at(gameServer, "status").required).toBeUndefined();
    expect(Object.keys(gameServer?.properties ?? {}).toSorted()).toEqual(["spec", "status"]);
  });

  test("of Fleet and GameServerSet require no spec, but what belongs in one", () => {
    expect([schemas().get("Fleet")?.required, schemas().get("GameServerSet")?.required]).toEqual([
      undefined,
      undefined,
    ]);
    expect(at(schemas().get("Fleet"), "spec").required).toEqual(["template"]);
    expect([...(at(schemas().get("GameServerSet"), "spec").required as string[])].toSorted()).toEqual([
      "replicas",
      "template",
    ]);
    expect(at(schemas().get("Fleet"), "spec.template").required).toEqual(["spec"]);
  });

  const integer = { type: "integer" };
  test.each([
    [
      "GameServer",
      "spec.container",
      { type: "string", minLength: 0, maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" },
    ],
    ["GameServer", "spec.ports", { type: "array", nullable: true }],
    ["GameServer", "spec.ports[].portPolicy", { enum: ["Dynamic", "Static", "Passthrough", "None"] }],
    ["GameServer", "spec.ports[].protocol", { enum: ["UDP", "TCP", "TCPUDP"] }],
    ["GameServer", "spec.ports[].hostPort", { ...integer, minimum: 1, maximum: 65535 }],
    ["GameServer", "spec.health.periodSeconds", { ...integer, minimum: 0, maximum: 2147483648 }],
    ["GameServer", "spec.health.failureThreshold", { ...integer, minimum: 1, maximum: 2147483648 }],
    ["GameServer", "spec.sdkServer.logLevel", { enum: ["Error", "Info", "Debug", "Trace"] }],
    ["GameServer", "spec.players", { nullable: true }],
    ["GameServer", "spec.counters", { nullable: true, maxProperties: 1000 }],
    ["GameServer", "spec.counters{}.count", { ...integer, format: "int64", minimum: 0, default: 0 }],
    ["GameServer", "spec.counters{}.capacity", { minimum: 0, default: 1000 }],
    ["GameServer", "spec.lists{}.capacity", { minimum: 0, maximum: 1000, default: 1000 }],
    ["GameServer", "spec.lists{}.values", { "x-kubernetes-list-type": "set", maxItems: 1000, default: [] }],
    ["GameServer", "spec.eviction.safe", { enum: ["Always", "OnUpgrade", "Never"] }],
    ["GameServer", "spec.immutableReplicas", { minimum: 1, maximum: 1, default: 1 }],
    ["GameServer", "status.immutableReplicas", { minimum: 1, maximum: 1, default: 1 }],
    ["GameServer", "status.reservedUntil", { type: "string", format: "date-time", nullable: true }],
    ["GameServer", "status.players.ids", { nullable: true }],
    ["GameServer", "status.lists{}.values", { maxItems: 1000 }],
    ["GameServerSet", "spec.allocationOverflow", { nullable: true }],
    ["GameServerSet", "spec.template.spec.immutableReplicas", { default: 1 }],
    ["GameServerSet", "status.shutdownReplicas", { ...integer, minimum: 0 }],
    ["GameServerSet", "status.counters{}.count", { default: 0, minimum: 0 }],
    ["Fleet", "spec.replicas", { default: 0, minimum: 0 }],
    ["Fleet", "spec.strategy.type", { enum: ["Recreate", "RollingUpdate"] }],
    ["Fleet", "spec.strategy.rollingUpdate", { nullable: true }],
    ["Fleet", "spec.strategy.rollingUpdate.maxSurge", { "x-kubernetes-int-or-string": true }],
    ["Fleet", "spec.priorities[].order", { enum: ["Ascending", "Descending"], default: "Ascending" }],
    ["Fleet", "spec.template.metadata.creationTimestamp", { nullable: true }],
    ["Fleet", "spec.template.metadata.finalizers", { type: "array" }],
    ["Fleet", "status.conditions", { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] }],
    ["GameServerSet", "status.conditions[].status", { enum: ["True", "False", "Unknown"] }],
    ["FleetAutoscaler", "status.conditions[].reason", { minLength: 1, maxLength: 1024 }],
  ])("say of %s %s what the contract says", (kind, path, expected) => {
    expect(at(schemas().get(kind), path)).toMatchObject(expected);
  });

  test("leave defaults to the kinds that have them", () => {
    expect(at(schemas().get("GameServerSet"), "spec.priorities[].order")).not.toHaveProperty("default");
    expect(at(schemas().get("GameServerSet"), "spec.replicas")).not.toHaveProperty("default");
    expect(at(schemas().get("GameServer"), "spec.counters{}.capacity")).not.toHaveProperty("maximum");
    expect(schemas().get("Fleet")?.properties).not.toHaveProperty("status.properties.shutdownReplicas");
  });

  test("follow the installation's list limit and its word on unknown Pod members", () => {
    const changed = schemas({ listsMaxItems: 50, podPreserveUnknownFields: true });
    const list = at(changed.get("Fleet"), "spec.template.spec.lists{}");
    expect(at(list, "capacity")).toMatchObject({ maximum: 50, default: 50 });
    expect(at(list, "values")).toMatchObject({ maxItems: 50 });
    expect(at(schemas({ listsMaxItems: 5000 }).get("GameServer"), "spec.lists{}.capacity").default).toBe(1000);
    const keep = "x-kubernetes-preserve-unknown-fields";
    expect(at(changed.get("GameServer"), "spec.template")[keep]).toBe(true);
    expect(at(schemas().get("GameServer"), "spec.template")).not.toHaveProperty(keep);
  });
});

describe("the definitions", () => {
  test.each([
    ["GameServer", "gameservers", ["gs"], ["State", "Address", "Port", "Node", "Age"]],
    [
      "GameServerSet",
      "gameserversets",
      ["gss", "gsset"],
      ["Scheduling", "Desired", "Current", "Allocated", "Ready", "Age"],
    ],
    ["Fleet", "fleets", ["flt"], ["Scheduling", "Desired", "Current", "Allocated", "Ready", "Age"]],
  ])("serve %s as %s", (kind, plural, shortNames, columns) => {
    const found = buildCustomResourceDefinitions().find(({ spec }) => spec.names.kind === kind);
    expect(found?.metadata.name).toBe(`${plural}.agones.dev`);
    expect(found?.spec).toMatchObject({
      group: "agones.dev",
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames },
      versions: [{ name: "v1", served: true, storage: true }],
    });
    expect(found?.spec.versions[0]?.additionalPrinterColumns?.map(({ name }) => name)).toEqual(columns);
  });

  test.each([
    ["FleetAutoscaler", "fleetautoscalers.autoscaling.agones.dev", "fleetautoscaler", ["fas"], { status: {} }],
    [
      "GameServerAllocationPolicy",
      "gameserverallocationpolicies.multicluster.agones.dev",
      undefined,
      ["gsap"],
      undefined,
    ],
  ])("serve %s as %s, without columns of its own", (kind, name, singular, shortNames, subresources) => {
    const found = buildCustomResourceDefinitions().find(({ spec }) => spec.names.kind === kind);
    expect(found?.metadata.name).toBe(name);
    expect(found?.spec.names.singular).toBe(singular);
    expect(found?.spec.names).toMatchObject({ listKind: `${kind}List`, shortNames });
    expect(found?.spec.versions[0]).toMatchObject({ name: "v1", served: true, storage: true });
    expect(found?.spec.versions[0]?.subresources).toEqual(subresources);
    expect(found?.spec.versions[0]).not.toHaveProperty("additionalPrinterColumns");
  });

  test("give GameServer a scale and no status of its own, GameServerSet and Fleet both", () => {
    const [gameServer, ...others] = buildCustomResourceDefinitions()
      .filter(({ spec }) => spec.group === "agones.dev")
      .map(({ spec }) => spec.versions[0]?.subresources);
    expect(gameServer).toEqual({
      scale: { specReplicasPath: ".spec.immutableReplicas", statusReplicasPath: ".status.immutableReplicas" },
    });
    for (const subresources of others) {
      expect(subresources).toEqual({
        status: {},
        scale: {
          specReplicasPath: ".spec.replicas",
          statusReplicasPath: ".status.replicas",
          labelSelectorPath: ".status.labelSelector",
        },
      });
    }
  });
});
