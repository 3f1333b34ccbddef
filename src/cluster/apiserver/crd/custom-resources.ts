/** The resources that a CustomResourceDefinition serves. */
import { type FieldError, invalid } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import type { ObjectSchema, PrinterColumn, ResourceDefinition, ScalePaths } from "../resource-definition.ts";
import { objectAt, objectsAt, textAt } from "../resources/object-fields.ts";
import { compileSchema } from "../schema/compile.ts";
import { tolerantJsonPath } from "../table/json-path.ts";
import { printerColumns } from "../table/printer-columns.ts";
import { groupOf, hasStatusSubresource, namesOf, schemaOf, textsOf, versionsOf } from "./definition.ts";

/** One resource for each served version, by the names that were accepted. Costs little: schemas are compiled when used. */
export function customResource(definition: JsonObject): readonly ResourceDefinition[] {
  const accepted = objectAt(objectAt(definition, "status"), "acceptedNames");
  const names = textAt(accepted, "plural") === "" ? namesOf(definition) : accepted;
  const group = groupOf(definition);
  const kind = textAt(names, "kind");
  return versionsOf(definition)
    .filter(({ served }) => served === true)
    .map((version) => {
      const scale = scaleOf(version);
      const groupVersionKind = { group, version: textAt(version, "name"), kind };
      return {
        ...groupVersionKind,
        listKind: textAt(names, "listKind") || `${kind}List`,
        plural: textAt(names, "plural"),
        singular: textAt(names, "singular") || kind.toLowerCase(),
        shortNames: textsOf(names.shortNames),
        categories: textsOf(names.categories),
        namespaced: textAt(definition, "spec", "scope") === "Namespaced",
        schema: withScaleRules(compileSchema(schemaOf(version) ?? ANYTHING, { groupVersionKind }), scale),
        columns: printerColumns(objectsAt(version, "additionalPrinterColumns") as unknown as readonly PrinterColumn[]),
        subresources: { status: hasStatusSubresource(version), ...(scale && { scale }) },
        custom: true,
      };
    });
}

const ANYTHING: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function scaleOf(version: JsonObject): ScalePaths | undefined {
  const { scale } = objectAt(version, "subresources");
  if (!isJsonObject(scale)) return undefined;
  const labelSelectorPath = textAt(scale, "labelSelectorPath");
  return {
    specReplicasPath: textAt(scale, "specReplicasPath"),
    statusReplicasPath: textAt(scale, "statusReplicasPath"),
    ...(labelSelectorPath && { labelSelectorPath }),
  };
}

/** The replica counts that a scale subresource shows must be what it can show. */
function withScaleRules(schema: ObjectSchema, scale: ScalePaths | undefined): ObjectSchema {
  if (!scale) return schema;
  const rules = [replicaRule(scale.specReplicasPath), replicaRule(scale.statusReplicasPath)];
  return { ...schema, validate: (object) => [...schema.validate(object), ...rules.flatMap((rule) => rule(object))] };
}

const MOST_REPLICAS = 2147483647;

function replicaRule(path: string): (object: JsonObject) => readonly FieldError[] {
  const find = tolerantJsonPath(path);
  return (object) => {
    const [value] = find(object);
    if (typeof value !== "number" && typeof value !== "bigint") return [];
    if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
    return value > MOST_REPLICAS ? [invalid(path, value, `should be less than or equal to ${MOST_REPLICAS}`)] : [];
  };
}
