/** core/v1 Secret, ConfigMap, Service; policy/v1 PodDisruptionBudget. */

import { deepEqual } from "#api/meta/equality.ts";
import { type FieldError, forbidden, invalid, key, required } from "#api/meta/field.ts";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { type LabelSelector, labelSelectorMatcher } from "#api/meta/label-selector.ts";
import { isDns1123Label } from "#api/meta/names.ts";
import { mapObjectAt, mapObjectsAt, objectAt, textAt, withDefaults, withMember } from "../resources/object-fields.ts";
import type { ResourceRules } from "../resources/served-resource.ts";
import { builtinRules } from "./rule-defaults.ts";

/** Keys and values together. */
const MAX_DATA_BYTES = 1024 * 1024;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const secretRules: ResourceRules = {
  ...builtinRules,
  defaults: (object) => {
    const { stringData, ...rest } = withDefaults(object, { type: "Opaque" });
    if (stringData === undefined) return rest as JsonObject;
    const folded = Object.entries(objectAt(object, "stringData")).map(([name, value]) => [
      name,
      typeof value === "string" ? Buffer.from(value).toString("base64") : value,
    ]);
    return { ...rest, data: { ...objectAt(object, "data"), ...Object.fromEntries(folded) } };
  },
  selectableFields: { type: (object) => textAt(object, "type") },
  validate: (object, old) => [
    ...dataFaults(object),
    ...frozenFaults(object, old),
    ...Object.entries(objectAt(object, "data"))
      .filter(([, value]) => typeof value === "string" && !base64.test(value))
      .map(([name, value]) => invalid(key("data", name), value, "must be base64")),
    ...(secretKeys[textAt(object, "type")] ?? [])
      .filter((name) => !Object.hasOwn(objectAt(object, "data"), name))
      .map((name) => required(key("data", name), "")),
    ...(old && old.type !== object.type ? [invalid("type", object.type, "field is immutable")] : []),
  ],
};

export const configMapRules: ResourceRules = {
  ...builtinRules,
  validate: (object, old) => [
    ...dataFaults(object),
    ...Object.keys(objectAt(object, "data"))
      .filter((name) => Object.hasOwn(objectAt(object, "binaryData"), name))
      .map((name) => invalid(key("data", name), name, "duplicate of key present in binaryData")),
    ...frozenFaults(object, old),
  ],
};

/** What a type of Secret must hold. */
const secretKeys: Readonly<Record<string, readonly string[]>> = { "kubernetes.io/tls": ["tls.crt", "tls.key"] };

function dataFaults(object: JsonObject): FieldError[] {
  const faults: FieldError[] = [];
  let size = 0;
  for (const member of ["data", "binaryData"])
    for (const [name, value] of Object.entries(objectAt(object, member))) {
      size += name.length + (typeof value === "string" ? Buffer.byteLength(value) : 0);
      if (name === "." || name === ".." || name.length > 253 || !/^[-._a-zA-Z0-9]+$/.test(name))
        faults.push(
          invalid(
            key(member, name),
            name,
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
          ),
        );
    }
  if (size > MAX_DATA_BYTES)
    faults.push({
      field: "data",
      reason: "FieldValueTooLong",
      body: `Too long: may not be more than ${MAX_DATA_BYTES} bytes`,
    });
  return faults;
}

function frozenFaults(object: JsonObject, old: JsonObject | undefined): FieldError[] {
  if (old?.immutable !== true) return [];
  const faults: FieldError[] = [];
  if (object.immutable !== true) faults.push(forbidden("immutable", "field is immutable when `immutable` is set"));
  for (const member of ["data", "binaryData"])
    if (!deepEqual(object[member], old[member]))
      faults.push(forbidden(member, "field is immutable when `immutable` is set"));
  return faults;
}

/** Services are kept, not routed: no address is assigned. */
export const serviceRules: ResourceRules = {
  ...builtinRules,
  nameFaults: isDns1123Label,
  answersDeleted: true,
  defaults: (object) =>
    mapObjectAt(object, "spec", (spec) =>
      mapObjectsAt(withDefaults(spec, { type: "ClusterIP", sessionAffinity: "None" }), "ports", (port) =>
        withDefaults(port, { protocol: "TCP", ...(port.port !== undefined && { targetPort: port.port }) }),
      ),
    ),
  prepareCreate: (object) => ({ ...object, status: { loadBalancer: {} } }),
  selectableFields: {
    "spec.type": (object) => textAt(object, "spec", "type"),
    "spec.clusterIP": (object) => textAt(object, "spec", "clusterIP"),
  },
};

export const disruptionBudgetRules: ResourceRules = {
  ...builtinRules,
  hasGeneration: true,
  prepareCreate: (object) => withMember(object, "status", undefined),
  validate: (object) => {
    const spec = objectAt(object, "spec");
    const both = spec.minAvailable !== undefined && spec.maxUnavailable !== undefined;
    return [
      ...(both ? [invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set")] : []),
      ...["minAvailable", "maxUnavailable"].flatMap((name) => shareFaults(`spec.${name}`, spec[name])),
      ...selectorFaults("spec.selector", spec.selector),
    ];
  },
};

/** A number of pods, or a percentage of them. */
function shareFaults(field: string, value: JsonValue | undefined): FieldError[] {
  if (typeof value === "number" && value < 0) return [invalid(field, value, "must be greater than or equal to 0")];
  if (typeof value !== "string") return [];
  if (!/^\d+%$/.test(value))
    return [
      invalid(
        field,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ),
    ];
  return Number(value.slice(0, -1)) > 100 ? [invalid(field, value, "must not be greater than 100%")] : [];
}

function selectorFaults(field: string, selector: JsonValue | undefined): FieldError[] {
  try {
    labelSelectorMatcher((selector ?? {}) as LabelSelector);
    return [];
  } catch (error) {
    return [invalid(field, selector, error instanceof Error ? error.message : String(error))];
  }
}

export const leaseRules: ResourceRules = {
  ...builtinRules,
  validate: (object) => {
    const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = objectAt(object, "spec");
    return [
      ...(typeof seconds === "number" && seconds <= 0
        ? [invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0")]
        : []),
      ...(typeof transitions === "number" && transitions < 0
        ? [invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0")]
        : []),
    ];
  },
};

export const nodeRules: ResourceRules = {
  ...builtinRules,
  selectableFields: { "spec.unschedulable": (object) => String(objectAt(object, "spec").unschedulable === true) },
};
