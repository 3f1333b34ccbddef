import { describe, expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.ts";
import { titled } from "../meta/promise-row.ts";
import { buildCustomResourceDefinitions, type CrdOptions } from "./crds.ts";
import { columns, definitions, schemas as promised } from "./schemas.promises.ts";

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

  test.each(titled(promised))("%s: %s", (_section, _name, { kind, path, says }) => {
    const found = at(schemas().get(kind), path);
    expect(Object.fromEntries(Object.keys(says).map((keyword) => [keyword, found[keyword]]))).toEqual(says);
  });

  test("have no member that the contract has not, but the conditions", () => {
    const names = (kind: string, path: string) => Object.keys(at(schemas().get(kind), path).properties ?? {});
    expect(names("GameServer", "")).toEqual(["spec", "status"]);
    expect(names("GameServerAllocationPolicy", "")).toEqual(["spec"]);
    expect(names("Fleet", "status")).not.toContain("shutdownReplicas");
    expect(names("Fleet", "status")).not.toContain("labelSelector");
  });

  test("know neither Schedule nor Chain without their gate", () => {
    const policy = at(
      schemas({ gates: featureGates({ ScheduledAutoscaler: false }) }).get("FleetAutoscaler"),
      "spec.policy",
    );
    expect(Object.keys(policy.properties ?? {})).toEqual(["type", "buffer", "webhook", "counter", "list", "wasm"]);
    expect(at(policy, "type").enum).toEqual(["Buffer", "Webhook", "Counter", "List", "Wasm"]);
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
  test("are of these kinds, and no others", () => {
    const names = buildCustomResourceDefinitions().map(({ metadata }) => metadata.name);
    expect(names).toEqual(definitions.map(({ name, group }) => `${name}.${group}`));
  });

  test.each(titled(definitions))("%s: %s", (_section, plural, { group, kind, singular, shortNames, subresources }) => {
    const found = buildCustomResourceDefinitions().find(({ spec }) => spec.names.kind === kind);
    expect(found?.metadata.labels).toEqual({ component: "crd" });
    expect(found?.spec.names).toEqual({ kind, listKind: `${kind}List`, plural, singular, shortNames });
    expect(found?.spec).toMatchObject({
      group,
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true }],
    });
    expect(found?.spec.versions[0]?.subresources).toEqual(subresources);
    expect(found?.spec).not.toHaveProperty("conversion");
  });

  test.each(titled(columns))("%s: %s", (_section, _name, { kind, columns }) => {
    const found = buildCustomResourceDefinitions().find(({ spec }) => spec.names.kind === kind);
    const declared = found?.spec.versions[0]?.additionalPrinterColumns ?? [];
    expect(declared.map(({ name, type, jsonPath }) => `${name} ${type} ${jsonPath}`)).toEqual(columns);
    expect(declared.filter((column) => Object.keys(column).length > 3)).toEqual([]);
  });
});
