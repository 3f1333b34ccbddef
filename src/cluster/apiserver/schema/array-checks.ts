/** Items of an array: each item's own schema, counts, `uniqueItems`, and `x-kubernetes-list-type`. */
import { duplicate, index, invalid, tooMany } from "#api/meta/field.ts";
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { memberOf, setMember } from "./members.ts";
import type { SchemaNode } from "./node.ts";
import { tooDeep } from "./object-checks.ts";
import type { Validate } from "./validation.ts";
import { identityOf } from "./values.ts";

export function arrayChecks(node: SchemaNode): readonly Validate[] {
  const { schema } = node;
  return [
    ...itemsCheck(node),
    ...countChecks(schema),
    ...(schema.uniqueItems === true ? [uniqueCheck] : []),
    ...listTypeChecks(node),
  ];
}

/** In typed kinds the list type only says how lists are merged. */
function listTypeChecks({ context, schema }: SchemaNode): readonly Validate[] {
  if (context.typed) return [];
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return [setCheck];
    case "map":
      return [mapCheck(schema["x-kubernetes-list-map-keys"])];
    default:
      return [];
  }
}

function itemsCheck(node: SchemaNode): readonly Validate[] {
  if (!node.items) return [];
  return [
    (value, faults) => {
      const { items } = node;
      if (faults.depth === 0) return faults.add(tooDeep);
      faults.depth--;
      const array = value as JsonArray;
      const { old } = faults;
      // Nothing says which item from before this one is.
      faults.old = undefined;
      for (let position = 0; position < array.length; position++) {
        const mark = faults.list.length;
        items?.validate(array[position] as JsonValue, faults);
        if (faults.list.length > mark) faults.belowItem(mark, position);
      }
      faults.old = old;
      faults.depth++;
    },
  ];
}

function countChecks(schema: JsonObject): readonly Validate[] {
  const { minItems: least, maxItems: most } = schema;
  const checks: Validate[] = [];
  if (typeof least === "number") {
    checks.push((value, faults) => {
      const count = (value as JsonArray).length;
      if (count >= least) return;
      faults.add((path) => invalid(path, count, `${path} in body should have at least ${least} items`));
    });
  }
  if (typeof most === "number") {
    checks.push((value, faults) => {
      const count = (value as JsonArray).length;
      if (count > most) faults.add((path) => tooMany(path, count, most));
    });
  }
  return checks;
}

const uniqueCheck: Validate = (value, faults) => {
  const { repeated, unknown } = repetitions(value as JsonArray);
  if (unknown) faults.add(tooDeep);
  if (repeated.length > 0) faults.add((path) => invalid(path, "", `${path} in body shouldn't contain duplicates`));
};

const setCheck: Validate = (value, faults) => {
  const items = value as JsonArray;
  const { repeated, unknown } = repetitions(items);
  if (unknown) faults.add(tooDeep);
  for (const position of repeated) {
    faults.add((path) => duplicate(index(path, position), items[position]), true);
  }
};

function mapCheck(keyNames: JsonValue | undefined): Validate {
  const names = Array.isArray(keyNames) ? (keyNames as readonly string[]) : [];
  return (value, faults) => {
    const items = value as JsonArray;
    const odd = items.findIndex((item) => item !== null && !isJsonObject(item));
    if (odd >= 0) {
      const text = "must be an object for an array of list-type map";
      return faults.add((path) => invalid(index(path, odd), items[odd], text), true);
    }
    const keys = items.map((item) => keyOf(item, names));
    for (const position of repetitions(keys).repeated) {
      faults.add((path) => duplicate(index(path, position), keys[position]), true);
    }
  };
}

/** The key members that are there: an absent key is a key of its own. */
function keyOf(item: JsonValue, names: readonly string[]): JsonObject {
  const key: { [name: string]: JsonValue | undefined } = {};
  if (!isJsonObject(item)) return key;
  for (const name of names) {
    const member = memberOf(item, name);
    if (member !== undefined) setMember(key, name, member);
  }
  return key;
}

/** Positions where an earlier item comes up for the second time; `unknown` when an item is nested too deeply to compare. */
function repetitions(items: JsonArray): { readonly repeated: readonly number[]; readonly unknown: boolean } {
  const repeated: number[] = [];
  if (items.length <= 1) return { repeated, unknown: false };
  const seen = new Map<string, number>();
  for (const [position, item] of items.entries()) {
    const identity = identityOf(item);
    if (identity === undefined) return { repeated: [], unknown: true };
    const times = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, times);
    if (times === 2) repeated.push(position);
  }
  return { repeated, unknown: false };
}
