import { describe, expect, test } from "vitest";
import { inlinePodTemplateSchema } from "#api/core/schemas.ts";
import type { FieldError } from "#api/meta/field.ts";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { defaultDefinition, definitionWarnings, validateDefinition } from "./crd-strategy.ts";

const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
const spec = {
  group: "example.com",
  scope: "Namespaced",
  names: { plural: "things", kind: "Thing" },
  versions: [version],
};

/** A definition of things.example.com with parts of its spec replaced. */
function definition(changes: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const apiVersion = "apiextensions.k8s.io/v1";
  const kind = "CustomResourceDefinition";
  return defaultDefinition({
    apiVersion,
    kind,
    metadata: { name: "things.example.com" },
    spec: { ...spec, ...changes },
    ...more,
  });
}

const shown = ({ field, body }: FieldError) => `${field}: ${body}`;
const faults = (changes: JsonObject) => validateDefinition(definition(changes)).map(shown);

/** Faults of a schema, told without the place where all schemas of these tests stand. */
function schemaFaults(openAPIV3Schema: JsonObject, more: JsonObject = {}): string[] {
  const versions = [{ ...version, ...more, schema: { openAPIV3Schema } }];
  return faults({ versions }).map((text) => text.replaceAll("spec.validation.openAPIV3Schema", "@"));
}
const fieldFaults = (schema: JsonObject) =>
  schemaFaults({ type: "object", properties: { a: schema } }).map((text) => text.replaceAll("@.properties[a]", "@a"));

describe("defaults", () => {
  test("fill what follows from the kind, and the first stored version", () => {
    expect(definition()).toMatchObject({
      spec: { names: { singular: "thing", listKind: "ThingList" }, conversion: { strategy: "None" } },
      status: { storedVersions: ["v1"] },
    });
  });

  test("leave a complete definition alone", () => {
    const complete = definition();
    expect(defaultDefinition(complete)).toBe(complete);
  });
});

describe("a definition", () => {
  test("is valid, also with the whole pod template in its schema", () => {
    expect(faults({})).toEqual([]);
    expect(schemaFaults({ type: "object", properties: { spec: inlinePodTemplateSchema() } })).toEqual([]);
  });

  test.for<[string, JsonObject, ...string[]]>([
    [
      "no group",
      { group: "" },
      'metadata.name: Invalid value: "things.example.com": must be spec.names.plural+"."+spec.group',
      "spec.group: Required value",
    ],
    [
      "a group without a dot",
      { group: "example" },
      expect.anything(),
      'spec.group: Invalid value: "example": should be a domain with at least one dot',
    ],
    ["no scope", { scope: "" }, "spec.scope: Required value"],
    [
      "an unknown scope",
      { scope: "Global" },
      'spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced"',
    ],
    [
      "equal kinds",
      { names: { plural: "things", kind: "Thing", listKind: "Thing" } },
      'spec.names.listKind: Invalid value: "Thing": kind and listKind may not be the same',
    ],
    [
      "two storage versions",
      { versions: [version, { ...version, name: "v2" }] },
      'spec.versions: Invalid value: ["v1","v2"]: must have exactly one version marked as storage version',
    ],
    [
      "the same version twice",
      { versions: [version, { ...version, storage: false }] },
      'spec.versions: Invalid value: ["v1","v1"]: must contain unique version names',
    ],
    [
      "no schema",
      { versions: [{ ...version, schema: {} }] },
      "spec.versions[0].schema.openAPIV3Schema: Required value",
    ],
    [
      "a conversion webhook",
      { conversion: { strategy: "Webhook" } },
      "spec.conversion.strategy: Forbidden: conversion webhooks are not supported by this server",
    ],
    [
      "unknown fields preserved",
      { preserveUnknownFields: true },
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
    [
      "a column without a path",
      { versions: [{ ...version, additionalPrinterColumns: [{ name: "A", type: "text" }] }] },
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      "spec.additionalPrinterColumns[0].JSONPath: Required value",
    ],
    [
      "a scale outside spec",
      {
        versions: [
          {
            ...version,
            subresources: { scale: { specReplicasPath: ".replicas", statusReplicasPath: ".status.replicas" } },
          },
        ],
      },
      'spec.subresources.scale.specReplicasPath: Invalid value: ".replicas": should be a json path under .spec',
    ],
  ])("with %s is refused", ([, changes, ...texts]) => {
    expect(faults(changes)).toEqual(texts);
  });

  test("names must be DNS labels, and the object is named after them", () => {
    const texts = faults({ names: { plural: "Things", kind: "Th_ing", shortNames: ["T"] } });
    expect(texts.map((text) => text.slice(0, text.indexOf(":")))).toEqual([
      "metadata.name",
      "spec.names.plural",
      "spec.names.singular",
      "spec.names.kind",
      "spec.names.listKind",
      "spec.names.shortNames[0]",
    ]);
  });

  test("groups of the Kubernetes community need an approval", () => {
    const texts = (annotations: JsonObject) =>
      validateDefinition(definition({ group: "x.k8s.io" }, { metadata: { name: "things.x.k8s.io", annotations } })).map(
        shown,
      );
    expect(texts({})).toEqual([
      expect.stringMatching(/^metadata.annotations\[api-approved.kubernetes.io\]: Required value/),
    ]);
    expect(texts({ "api-approved.kubernetes.io": "unapproved, for tests" })).toEqual([]);
  });

  test("faults of one of several schemas name its version", () => {
    const other = { ...version, name: "v2", storage: false, schema: { openAPIV3Schema: { type: "array" } } };
    expect(faults({ versions: [version, other] })[0]).toMatch(
      /^spec.versions\[1\].schema.openAPIV3Schema.items: Required/,
    );
  });

  test("keeps its group, names and, once established, its scope", () => {
    const old = definition(
      {},
      { status: { storedVersions: ["v1"], conditions: [{ type: "Established", status: "True" }] } },
    );
    const changed = definition({ scope: "Cluster", names: { plural: "thingies", kind: "Thing" } });
    expect(validateDefinition(changed, old).map(shown)).toEqual([
      'spec.names.plural: Invalid value: "thingies": field is immutable',
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ]);
  });

  test("keeps versions that objects may be stored in", () => {
    const next = definition({ versions: [{ ...version, name: "v2" }] }, { status: { storedVersions: ["v1", "v2"] } });
    expect(validateDefinition(next).map(shown)).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });

  test("warns of rules that are not evaluated", () => {
    const rules = { type: "object", "x-kubernetes-validations": [{ rule: "self.a" }] };
    const with_ = definition({
      versions: [{ ...version, schema: { openAPIV3Schema: { type: "object", properties: { a: rules } } } }],
    });
    expect(definitionWarnings(with_)).toHaveLength(1);
    expect(definitionWarnings(definition())).toEqual([]);
  });
});

describe("a schema", () => {
  test.for<[string, JsonObject, ...string[]]>([
    ["no type", {}, "@.type: Required value: must not be empty at the root"],
    ["another root than an object", { type: "string" }, '@.type: Invalid value: "string": must be object at the root'],
    [
      "a map at the root",
      { type: "object", additionalProperties: true },
      "@.additionalProperties: Forbidden: must not be used at the root",
    ],
    [
      "a nullable root",
      { type: "object", nullable: true },
      "@.nullable: Forbidden: nullable cannot be true at the root",
    ],
    [
      "a default in metadata",
      {
        type: "object",
        properties: { metadata: { type: "object", properties: { name: { type: "string", default: "a" } } } },
      },
      "@.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata",
    ],
    [
      "rules for other metadata",
      { type: "object", properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } },
      "@.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
    [
      "a kind that is no string",
      { type: "object", properties: { kind: { type: "integer" } } },
      '@.properties[kind].type: Invalid value: "integer": must be string',
    ],
  ])("with %s is refused", ([, schema, ...texts]) => {
    expect(schemaFaults(schema)).toEqual(texts);
  });

  test.for<[string, JsonObject, ...string[]]>([
    ["no type", {}, "@a.type: Required value: must not be empty for specified object fields"],
    [
      "items without a type",
      { type: "array", items: {} },
      "@a.items.type: Required value: must not be empty for specified array items",
    ],
    ["no items", { type: "array" }, "@a.items: Required value: must be specified"],
    [
      "an unknown type",
      { type: "map" },
      '@a.type: Unsupported value: "map": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
    ["a reference", { type: "object", $ref: "#/definitions/x" }, "@a.$ref: Forbidden: $ref is not supported"],
    [
      "pattern properties",
      { type: "object", patternProperties: { "^a": {} } },
      "@a.patternProperties: Forbidden: patternProperties is not supported",
    ],
    [
      "unique items",
      { type: "array", items: { type: "string" }, uniqueItems: true },
      "@a.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
    [
      "both properties and a map",
      { type: "object", properties: { b: { type: "string" } }, additionalProperties: { type: "string" } },
      "@a.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
    ],
    [
      "unknown fields not preserved",
      { type: "object", "x-kubernetes-preserve-unknown-fields": false },
      "@a.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
    ],
    [
      "an embedded resource without properties",
      { type: "object", "x-kubernetes-embedded-resource": true },
      "@a.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    ],
    [
      "a broken pattern",
      { type: "string", pattern: "(" },
      `@a.pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
    ],
    [
      "a type inside anyOf",
      { type: "string", anyOf: [{ type: "string" }] },
      "@a.anyOf[0].type: Forbidden: must be empty to be structural",
    ],
    [
      "rules for what is not described",
      { type: "object", allOf: [{ properties: { b: { minimum: 1 } } }] },
      "@a.properties[b]: Required value: because it is defined in @a.allOf[0].properties[b]",
    ],
    [
      "an unknown list type",
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "bag" },
      '@a.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"',
    ],
    [
      "a set of objects",
      { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" },
      "@a.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
    ],
    [
      "a map without keys",
      { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" },
      "@a.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
    ],
    [
      "a map whose key may be absent",
      {
        type: "array",
        items: { type: "object", properties: { b: { type: "string" } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["b"],
      },
      "@a.items.properties[b].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    ],
    [
      "a default of another type",
      { type: "integer", default: "x" },
      '@a.default: Invalid value: "string":  in body must be of type integer: "string"',
    ],
    [
      "a default with a fault inside",
      { type: "object", properties: { b: { type: "integer", minimum: 1 } }, default: { b: 0 } },
      "@a.default.b: Invalid value: 0: b in body should be greater than or equal to 1",
    ],
    [
      "a default with unknown fields",
      { type: "object", properties: {}, default: { b: 1 } },
      '@a.default: Invalid value: {"b":1}: must not have unknown fields',
    ],
  ])("of a field with %s is refused", ([, schema, ...texts]) => {
    expect(fieldFaults(schema)).toEqual(texts);
  });

  test("may say int-or-string by types in anyOf, alone or as the first of allOf", () => {
    const anyOf = [{ type: "integer" }, { type: "string" }];
    expect(fieldFaults({ "x-kubernetes-int-or-string": true, anyOf })).toEqual([]);
    expect(fieldFaults({ "x-kubernetes-int-or-string": true, allOf: [{ anyOf }, { pattern: "^a" }] })).toEqual([]);
  });

  test("may say little at the root when there is a status subresource", () => {
    const texts = schemaFaults({ type: "object", anyOf: [{ required: ["a"] }] }, { subresources: { status: {} } });
    expect(texts).toEqual([
      expect.stringMatching(/^@: Invalid value: "anyOf": only \[Description Type .*XValidations\] fields are allowed/),
    ]);
  });

  test("nested beyond all reason is refused, not followed", () => {
    let deep: JsonValue = { type: "string" };
    for (let depth = 0; depth < 10_000; depth++) deep = { type: "object", properties: { a: deep } };
    expect(schemaFaults(deep as JsonObject)).toEqual(["@: Forbidden: must not be nested more than 100 deep"]);
  });
});
