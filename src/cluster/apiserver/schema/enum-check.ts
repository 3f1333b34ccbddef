/** `enum`. As in Kubernetes a null is never one of the values, not even where `enum` lists it. */
import { invalid, notSupported } from "#api/meta/field.ts";
import { type JsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";
import type { Validate } from "./validation.ts";
import { identityOf } from "./values.ts";

export function enumCheck(schema: JsonObject): readonly Validate[] {
  const values = schema.enum;
  if (!Array.isArray(values) || values.length === 0) return [];
  const allowed = values as readonly JsonValue[];
  const strings = new Set(allowed.filter((each) => typeof each === "string"));
  const identities = new Set(allowed.filter((each) => each !== null).map((each) => identityOf(each)));
  const shown = allowed.map((each) => (typeof each === "string" ? each : stringifyJson(each)));
  return [
    (value, faults) => {
      if (typeof value === "string" && strings.has(value)) return;
      const identity = identityOf(value);
      if (identity === undefined) faults.add((path) => invalid(path, "", "is nested too deeply"));
      else if (!identities.has(identity)) faults.add((path) => notSupported(path, value, shown));
    },
  ];
}
