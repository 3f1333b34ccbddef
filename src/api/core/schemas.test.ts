import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.ts";
import { inlineObjectMetaSchema, inlinePodTemplateSchema, kubernetesSchema, kubernetesSchemaNames } from "./schemas.ts";

/** All objects below a value, itself included. */
function* objectsIn(value: JsonValue | undefined): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* objectsIn(item);
  if (!isJsonObject(value)) return;
  yield value;
  for (const member of Object.values(value)) yield* objectsIn(member);
}

function at(schema: JsonObject, ...path: readonly string[]): JsonObject {
  return path.reduce((inner, name) => {
    const next =
      name === "[]" ? inner.items : name === "{}" ? inner.additionalProperties : (inner.properties as JsonObject)[name];
    return next as JsonObject;
  }, schema);
}

describe("kubernetesSchema", () => {
  it.each([
    ["io.k8s.api.core.v1.Pod", "", "Pod"],
    ["io.k8s.api.events.v1.Event", "events.k8s.io", "Event"],
    ["io.k8s.api.coordination.v1.Lease", "coordination.k8s.io", "Lease"],
    ["io.k8s.api.autoscaling.v1.Scale", "autoscaling", "Scale"],
    ["io.k8s.api.policy.v1.Eviction", "policy", "Eviction"],
    [
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
      "apiextensions.k8s.io",
      "CustomResourceDefinition",
    ],
    ["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", "", "DeleteOptions"],
  ])("knows %s by its kind", (name, group, kind) => {
    expect(kubernetesSchema(name)["x-kubernetes-group-version-kind"]).toEqual([{ group, kind, version: "v1" }]);
  });

  it("refers only to definitions it has, and tells no descriptions", () => {
    const names = new Set(kubernetesSchemaNames());
    expect(names.size).toBeGreaterThan(200);
    for (const name of names)
      for (const { $ref, description } of objectsIn(kubernetesSchema(name))) {
        if (typeof $ref === "string") expect(names).toContain($ref);
        expect(typeof description).not.toBe("string");
      }
  });

  it("keeps how lists are patched, and the values of enums", () => {
    const container = kubernetesSchema("io.k8s.api.core.v1.Container");
    expect(at(container, "ports")).toMatchObject({
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "containerPort",
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
    });
    expect(at(container, "imagePullPolicy").enum).toEqual(["Always", "IfNotPresent", "Never"]);
  });

  it("refuses names it does not have", () => {
    expect(() => kubernetesSchema("io.k8s.api.core.v1.Gopher")).toThrow(RangeError);
    expect(() => kubernetesSchema("constructor")).toThrow(RangeError);
  });
});

describe("inlinePodTemplateSchema", () => {
  const template = inlinePodTemplateSchema();

  it("is structural: nothing is left of references, patching and publishing", () => {
    const keywords = new Set(Array.from(objectsIn(template)).flatMap((object) => Object.keys(object)));
    for (const dropped of [
      "$ref",
      "default",
      "x-kubernetes-patch-strategy",
      "x-kubernetes-list-type",
      "x-kubernetes-list-map-keys",
    ])
      expect(keywords).not.toContain(dropped);
    expect(keywords).toContain("x-kubernetes-map-type");
  });

  it("asks for containers, and for a name in each", () => {
    expect(at(template, "spec").required).toEqual(["containers"]);
    for (const list of ["containers", "initContainers", "ephemeralContainers"])
      expect(at(template, "spec", list, "[]").required).toEqual(["name"]);
  });

  it("takes quantities as strings and probe ports as int or string", () => {
    const container = at(template, "spec", "containers", "[]");
    expect(at(container, "resources", "limits", "{}")).toEqual({ type: "string" });
    expect(at(container, "livenessProbe", "httpGet", "port")).toEqual({
      "x-kubernetes-int-or-string": true,
      format: "int-or-string",
    });
  });

  it("lets creationTimestamp be null", () => {
    const expected = { type: "string", format: "date-time", nullable: true };
    expect(at(template, "metadata", "creationTimestamp")).toEqual(expected);
    expect(at(inlineObjectMetaSchema(), "creationTimestamp")).toEqual(expected);
  });
});
