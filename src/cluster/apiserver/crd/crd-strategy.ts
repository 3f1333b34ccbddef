/** What a write of a CustomResourceDefinition goes through: defaults, validation, and the status that follows from it. */
import { type FieldError, forbidden, index, invalid, notSupported, required } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import { objectAt, objectsAt, textAt, withDefaults, withMember } from "../resources/object-fields.ts";
import { namesOf, specOf, textsOf, versionsOf } from "./definition.ts";
import { groupFaults, nameFaults, objectNameFaults } from "./name-rules.ts";
import { versionFaults } from "./version-rules.ts";

/** Fills `singular`, `listKind`, `conversion` and the first stored version; the same object when nothing was missing. */
export function defaultDefinition(definition: JsonObject): JsonObject {
  const spec = specOf(definition);
  const names = namesOf(definition);
  const kind = textAt(names, "kind");
  const named = kind === "" ? names : withDefaults(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
  const filled = withDefaults(named === names ? spec : { ...spec, names: named }, { conversion: { strategy: "None" } });
  return withStoredVersion(withMember(definition, "spec", filled));
}

/** All faults of a definition, with `old` also of the change to it. Expects `defaultDefinition` to have been applied. */
export function validateDefinition(definition: JsonObject, old?: JsonObject): readonly FieldError[] {
  return [
    ...(old ? [] : objectNameFaults(definition)),
    ...groupFaults(definition),
    ...scopeFaults(definition),
    ...versionFaults(definition),
    ...nameFaults(definition),
    ...conversionFaults(objectAt(specOf(definition), "conversion")),
    ...(specOf(definition).preserveUnknownFields === true
      ? [invalid("spec.preserveUnknownFields", true, NO_PRESERVE)]
      : []),
    ...(old ? immutableFaults(definition, old) : []),
    ...storedVersionFaults(definition),
  ];
}

const NO_PRESERVE =
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

function scopeFaults(definition: JsonObject): readonly FieldError[] {
  const scope = textAt(definition, "spec", "scope");
  const scopes = ["Cluster", "Namespaced"];
  if (scope === "") return [required("spec.scope", "")];
  return scopes.includes(scope) ? [] : [notSupported("spec.scope", scope, scopes)];
}

/** Only `None` can be served: there is nothing here that would call a conversion webhook. */
function conversionFaults({ strategy, webhook }: JsonObject): readonly FieldError[] {
  const field = "spec.conversion.strategy";
  if (strategy === "Webhook") return [forbidden(field, "conversion webhooks are not supported by this server")];
  if (strategy !== "None") return [notSupported(field, strategy, ["None", "Webhook"])];
  const text = "should not be set when strategy is not set to Webhook";
  return webhook === undefined ? [] : [forbidden("spec.conversion.webhookClientConfig", text)];
}

function immutableFaults(definition: JsonObject, old: JsonObject): readonly FieldError[] {
  const always = [["group"], ["names", "plural"]];
  const established = [["scope"], ["names", "kind"]];
  return [...always, ...(isEstablished(old) ? established : [])].flatMap((path) => {
    const value = textAt(definition, "spec", ...path);
    if (value === textAt(old, "spec", ...path)) return [];
    return [invalid(`spec.${path.join(".")}`, value, "field is immutable")];
  });
}

function storedVersionFaults(definition: JsonObject): readonly FieldError[] {
  const field = "status.storedVersions";
  const stored = textsOf(objectAt(definition, "status").storedVersions);
  if (stored.length === 0) return [invalid(field, null, "must have at least one stored version")];
  const names = versionsOf(definition).map((version) => textAt(version, "name"));
  const storage = storageVersion(definition);
  return [
    ...(storage === undefined || stored.includes(storage)
      ? []
      : [invalid(field, stored, `must have the storage version ${storage}`)]),
    ...stored.flatMap((name, at) => {
      if (names.includes(name)) return [];
      const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      return [invalid(index(field, at), name, text)];
    }),
  ];
}

const storageVersion = (definition: JsonObject): string | undefined =>
  versionsOf(definition)
    .filter(({ storage }) => storage === true)
    .map((version) => textAt(version, "name"))[0];

/** The definition with its storage version among the stored ones. */
export function withStoredVersion(definition: JsonObject): JsonObject {
  const status = objectAt(definition, "status");
  const before = textsOf(status.storedVersions);
  const storage = storageVersion(definition);
  const all = [...new Set([...before, ...(storage === undefined ? [] : [storage])])];
  if (all.length === before.length) return definition;
  return { ...definition, status: { ...status, storedVersions: all } };
}

export function isEstablished(definition: JsonObject): boolean {
  return conditionsOf(definition).some(({ type, status }) => type === "Established" && status === "True");
}

const conditionsOf = (definition: JsonObject): readonly JsonObject[] =>
  objectsAt(objectAt(definition, "status"), "conditions");

/**
 * What this server does not do with a definition it accepts, for warnings: rules in CEL are not evaluated.
 */
export function definitionWarnings(definition: JsonObject): readonly string[] {
  return versionsOf(definition).flatMap((version, at) =>
    hasRules(version.schema)
      ? [`${index("spec.versions", at)}: x-kubernetes-validations are kept but not evaluated by this server`]
      : [],
  );
}

/** Looks without recursion, so that any depth is fine. */
function hasRules(schema: unknown): boolean {
  const pending: unknown[] = [schema];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value)) pending.push(...value.filter((item) => item !== undefined));
    else if (isJsonObject(value)) {
      const rules = value["x-kubernetes-validations"];
      if (Array.isArray(rules) && rules.length > 0) return true;
      for (const member of Object.values(value))
        if (isJsonObject(member) || Array.isArray(member)) pending.push(member);
    }
  }
  return false;
}
