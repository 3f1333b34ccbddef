/** Looks into a CustomResourceDefinition that may not have been validated yet. */
import { isJsonObject, type JsonObject, stringifyJson } from "#api/meta/json.ts";
import { objectAt, objectsAt, textAt } from "../resources/object-fields.ts";

export const specOf = (definition: JsonObject): JsonObject => objectAt(definition, "spec");
export const namesOf = (definition: JsonObject): JsonObject => objectAt(specOf(definition), "names");
export const versionsOf = (definition: JsonObject): readonly JsonObject[] => objectsAt(specOf(definition), "versions");
export const groupOf = (definition: JsonObject): string => textAt(definition, "spec", "group");

export function schemaOf(version: JsonObject): JsonObject | undefined {
  const schema = objectAt(version, "schema").openAPIV3Schema;
  return isJsonObject(schema) ? schema : undefined;
}

export const hasStatusSubresource = (version: JsonObject): boolean =>
  isJsonObject(objectAt(version, "subresources").status);

export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

/**
 * Where Kubernetes says a part of a version stands: what all versions share is told as a part of the definition
 * (`spec.validation`), whatever version it was written in.
 */
export function sharedBy(versions: readonly JsonObject[], member: string): boolean {
  const [first, ...others] = versions;
  const value = first?.[member];
  if (value === undefined) return false;
  const text = others.length > 0 ? stringifyJson(value) : "";
  return others.every((other) => stringifyJson(other[member]) === text);
}
