/** Events: stored as core/v1 shows them; `events.k8s.io/v1` is another look at the same objects. */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { metaOf, textAt } from "../resources/object-fields.ts";
import type { ResourceRules, ResourceView } from "../resources/served-resource.ts";
import { builtinRules, pathSegmentFaults } from "./rule-defaults.ts";

const reference = (member: string) =>
  Object.fromEntries(
    ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map((part) => [
      `${member}.${part}`,
      (object: JsonObject) => textAt(object, member, part),
    ]),
  );

const common = {
  reason: (object: JsonObject) => textAt(object, "reason"),
  type: (object: JsonObject) => textAt(object, "type"),
};

export const coreEventRules: ResourceRules = {
  ...builtinRules,
  nameFaults: pathSegmentFaults,
  selectableFields: {
    ...reference("involvedObject"),
    ...common,
    reportingComponent: (object) => textAt(object, "reportingComponent"),
    source: (object) => textAt(object, "source", "component") || textAt(object, "reportingComponent"),
  },
  validate: (object) => {
    const namespace = textAt(object, "involvedObject", "namespace");
    const own = metaOf(object).namespace;
    const fits = namespace === "" ? own === "default" || own === "kube-system" : namespace === own;
    return fits
      ? []
      : [
          {
            field: "involvedObject.namespace",
            reason: "FieldValueInvalid",
            body: `Invalid value: ${JSON.stringify(namespace)}: does not match event.namespace`,
          },
        ];
  },
};

export const groupEventRules: ResourceRules = {
  ...builtinRules,
  nameFaults: pathSegmentFaults,
  selectableFields: {
    ...reference("regarding"),
    ...common,
    reportingController: (object) => textAt(object, "reportingController"),
  },
};

/** [core/v1, events.k8s.io/v1] */
const renamed: readonly (readonly [string, string])[] = [
  ["message", "note"],
  ["involvedObject", "regarding"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

const toGroup = new Map(renamed);
const toCore = new Map(renamed.map(([core, group]) => [group, core]));

export const groupEventView: ResourceView = {
  read: (stored) => renameMembers(stored, toGroup, "events.k8s.io/v1"),
  write: (shown) => renameMembers(shown, toCore, "v1"),
};

function renameMembers(object: JsonObject, names: ReadonlyMap<string, string>, apiVersion: string): JsonObject {
  const entries = Object.entries(object).map(([name, value]): [string, JsonValue | undefined] => [
    names.get(name) ?? name,
    value,
  ]);
  return { ...Object.fromEntries(entries), apiVersion };
}
