/** Members of an object: counts, unknown members, each member's own schema, `required`, and the type of embedded resources. */
import { child, type FieldError, invalid, required, tooMany } from "#api/meta/field.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { Faults } from "./faults.ts";
import { memberOf } from "./members.ts";
import type { SchemaNode } from "./node.ts";
import type { Validate } from "./validation.ts";

export function objectChecks(node: SchemaNode): readonly Validate[] {
  return [...countChecks(node.schema), membersCheck(node), ...requiredCheck(node), ...typeMetaCheck(node)];
}

function countChecks(schema: JsonObject): readonly Validate[] {
  const { minProperties: least, maxProperties: most } = schema;
  const checks: Validate[] = [];
  if (typeof least === "number") {
    checks.push((value, faults) => {
      const count = countMembers(value as JsonObject);
      if (count >= least) return;
      faults.add((path) => invalid(path, count, `${path} in body should have at least ${least} properties`));
    });
  }
  if (typeof most === "number") {
    checks.push((value, faults) => {
      const count = countMembers(value as JsonObject);
      if (count > most) faults.add((path) => tooMany(path, count, most));
    });
  }
  return checks;
}

function countMembers(value: JsonObject): number {
  let count = 0;
  for (const key in value) if (value[key] !== undefined) count++;
  return count;
}

function membersCheck(node: SchemaNode): Validate {
  const closed = node.additional === false;
  return (value, faults) => {
    if (faults.depth === 0) return faults.add(tooDeep);
    faults.depth--;
    const object = value as JsonObject;
    const { old } = faults;
    for (const key in object) {
      const member = object[key];
      if (member === undefined) continue;
      const mark = faults.list.length;
      faults.old = isJsonObject(old) ? memberOf(old, key) : undefined;
      // Whatever were wrong with the very object from before would be forgiven.
      if (member === faults.old && typeof member === "object" && !closed) continue;
      const isMapKey = checkMember(node, key, member, faults);
      if (faults.list.length > mark) {
        if (!faults.forgive(mark, member)) faults.belowMember(mark, key, isMapKey);
      } else if (isMapKey && closed) {
        faults.add((path) => invalid(path, key, `${path}.${key} in body is a forbidden property`));
      }
    }
    faults.old = old;
    faults.depth++;
  };
}

/** Checks one member by the schema it has, if any; true when it is a key of a map rather than a named property. */
function checkMember(node: SchemaNode, key: string, member: JsonValue, faults: Faults): boolean {
  const known = node.property(key);
  known?.validate(member, faults);
  if (node.metadata && key === "metadata") node.metadata.validate(member, faults);
  if (known || (node.metadata && isMeta(key))) return false;
  if (typeof node.additional === "object") node.additional.validate(member, faults);
  return true;
}

const isMeta = (key: string): boolean => key === "metadata" || key === "apiVersion" || key === "kind";

export const tooDeep = (path: string): FieldError => invalid(path, "", "is nested too deeply");

function requiredCheck(node: SchemaNode): readonly Validate[] {
  const names = node.schema.required;
  if (!node.context.enforceRequired || !Array.isArray(names) || names.length === 0) return [];
  return [
    (value, faults) => {
      for (const name of names as readonly string[]) {
        if (memberOf(value as JsonObject, name) === undefined) {
          faults.add((path) => required(child(path, name), ""));
        }
      }
    },
  ];
}

function typeMetaCheck(node: SchemaNode): readonly Validate[] {
  if (node.role !== "embedded") return [];
  return [
    (value, faults) => {
      for (const name of ["apiVersion", "kind"]) {
        const member = memberOf(value as JsonObject, name);
        if (member === undefined) faults.add((path) => required(child(path, name), ""), true);
        else if (typeof member !== "string") {
          faults.add((path) => invalid(child(path, name), member, "must be a string"), true);
        } else if (member === "") faults.add((path) => invalid(child(path, name), member, "must not be empty"), true);
      }
    },
  ];
}
