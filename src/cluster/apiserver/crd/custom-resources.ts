/** The resources that a CustomResourceDefinition serves. */
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import type { PrinterColumn, ResourceDefinition, ScalePaths } from "../resource-definition.ts";
import { objectAt, objectsAt, textAt } from "../resources/object-fields.ts";
import { compileSchema } from "../schema/compile.ts";
import { printerColumns } from "../table/printer-columns.ts";
import { groupOf, hasStatusSubresource, namesOf, schemaOf, textsOf, versionsOf } from "./definition.ts";
import { withScaleRules } from "./scale-rules.ts";

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
