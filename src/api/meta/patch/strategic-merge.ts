/**
 * Strategic merge patches: how kubectl and controllers change built-in kinds. A merge patch in which lists are merged item by
 * item where the kind's schema says so (`x-kubernetes-patch-strategy`, `x-kubernetes-patch-merge-key`), with directives:
 * `$patch`, `$retainKeys`, `$setElementOrder/LIST`, `$deleteFromPrimitiveList/LIST`.
 */
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "../json.ts";
import { identityOf, isOrderedAs, reorder } from "./element-order.ts";
import { StrategicMergePatchError } from "./strategic-merge-error.ts";

export { StrategicMergePatchError } from "./strategic-merge-error.ts";

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const ELEMENT_ORDER = "$setElementOrder/";
const DELETE_FROM_LIST = "$deleteFromPrimitiveList/";

/** Gives an OpenAPI definition by the bare name that a `$ref` holds; throws when there is none. */
export type DefinitionLookup = (name: string) => JsonObject;

/**
 * `document` with `patch` merged in. `definitionName` is the definition of the document's kind, such as
 * `io.k8s.api.core.v1.Pod`. Members that the schema does not know are merged when objects and replaced otherwise.
 * What does not change is shared with `document`. Throws `StrategicMergePatchError` for a malformed patch.
 */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: JsonObject,
  definitionName: string,
  definition: DefinitionLookup,
): JsonObject {
  return mergeObject(document, patch, new Schema({ $ref: definitionName }, definition));
}

/** What a schema says about patching one place of a document. */
class Schema {
  readonly #field: JsonObject;
  readonly #definition: DefinitionLookup;

  constructor(field: JsonObject, definition: DefinitionLookup) {
    this.#field = field;
    this.#definition = definition;
  }

  /** `merge`, `replace`, or neither. */
  get strategy(): string {
    const strategies = String(this.#field["x-kubernetes-patch-strategy"] ?? "").split(",");
    return strategies.find((strategy) => strategy !== "retainKeys") ?? "";
  }

  get mergeKey(): string | undefined {
    const key = this.#field["x-kubernetes-patch-merge-key"];
    return typeof key === "string" ? key : undefined;
  }

  member(name: string): Schema {
    const { properties, additionalProperties } = this.#resolved();
    const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return new Schema(isJsonObject(own) ? own : {}, this.#definition);
  }

  items(): Schema {
    const { items } = this.#resolved();
    return new Schema(isJsonObject(items) ? items : {}, this.#definition);
  }

  #resolved(): JsonObject {
    const { $ref } = this.#field;
    return typeof $ref === "string" ? this.#definition($ref) : this.#field;
  }
}

function mergeObject(original: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive === "replace") return withoutDirectives(patch);
  if (directive === "delete") return {};
  if (directive !== undefined && directive !== "merge") throw unknownDirective(directive);

  const members = new Map(Object.entries(retained(original, patch)));
  let changed = members.size !== Object.keys(original).length;
  for (const name of patchedMembers(patch)) {
    const before = members.get(name);
    const after = mergeMember(before, name, patch, schema.member(name));
    if (after === before) continue;
    changed = true;
    if (after === undefined) members.delete(name);
    else members.set(name, after);
  }
  return changed ? Object.fromEntries(members) : original;
}

/** The members that a patch changes, those included that only a directive names. */
function patchedMembers(patch: JsonObject): ReadonlySet<string> {
  const names = Object.keys(patch).filter((name) => name !== DIRECTIVE && name !== RETAIN_KEYS);
  return new Set(names.map((name) => name.slice(listDirectivePrefix(name).length)));
}

/** `$setElementOrder/` or `$deleteFromPrimitiveList/` where a name begins with it, else empty. */
function listDirectivePrefix(name: string): string {
  return [ELEMENT_ORDER, DELETE_FROM_LIST].find((prefix) => name.startsWith(prefix)) ?? "";
}

const isDirective = (name: string): boolean =>
  name === DIRECTIVE || name === RETAIN_KEYS || listDirectivePrefix(name) !== "";

/** `$retainKeys` clears all other members; every member that the patch sets must be among them. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return original;
  const sets = Object.keys(patch).filter((name) => patch[name] !== null && !isDirective(name));
  if (!Array.isArray(keys) || sets.some((name) => !keys.includes(name)))
    throw new StrategicMergePatchError("invalid patch format of retainKeys");
  return Object.fromEntries(Object.entries(original).filter(([name]) => keys.includes(name)));
}

function mergeMember(
  original: JsonValue | undefined,
  name: string,
  patch: JsonObject,
  schema: Schema,
): JsonValue | undefined {
  const value = patch[name];
  if (value === null) return undefined;
  const order = listDirective(patch, ELEMENT_ORDER, name);
  const deletions = listDirective(patch, DELETE_FROM_LIST, name);
  if (order && Array.isArray(value)) checkOrder(value, order, schema.mergeKey);

  const remaining = deletions && Array.isArray(original) ? withoutItems(original, deletions) : original;
  const merged = value === undefined ? remaining : mergeValue(remaining, value, schema);
  if (!order || !Array.isArray(merged)) return merged;
  return reorder(merged, order, Array.isArray(original) ? original : [], schema.mergeKey);
}

function listDirective(patch: JsonObject, prefix: string, name: string): JsonArray | undefined {
  const list = patch[prefix + name];
  if (list === undefined || Array.isArray(list)) return list as JsonArray | undefined;
  const what = prefix === ELEMENT_ORDER ? "setElementOrder list" : "primitive list";
  throw new StrategicMergePatchError(`invalid patch format of ${what}`);
}

function checkOrder(patch: JsonArray, order: JsonArray, mergeKey: string | undefined): void {
  const items = patch.filter((item) => !isJsonObject(item) || item[DIRECTIVE] === undefined);
  if (!isOrderedAs(items, order, mergeKey))
    throw new StrategicMergePatchError("the order in the patch list does not match the $setElementOrder list");
}

function withoutItems(list: JsonArray, deletions: JsonArray): JsonArray {
  const gone = new Set(deletions.map((item) => identityOf(item, undefined)));
  const left = list.filter((item) => !gone.has(identityOf(item, undefined)));
  return left.length === list.length ? list : left;
}

function mergeValue(original: JsonValue | undefined, patch: JsonValue, schema: Schema): JsonValue | undefined {
  if (Array.isArray(original) && Array.isArray(patch)) return mergeList(original, patch, schema);
  if (isJsonObject(original) && isJsonObject(patch))
    return schema.strategy === "replace" ? withoutDirectives(patch) : mergeObject(original, patch, schema);
  return plainValue(patch);
}

function mergeList(original: JsonArray, patch: JsonArray, schema: Schema): JsonArray {
  if (schema.strategy !== "merge") return plainItems(patch);
  const key = schema.mergeKey;
  if (![...original, ...patch].some(isJsonObject)) return reorder(union(original, patch), patch, original, undefined);
  if (key === undefined) throw new StrategicMergePatchError("cannot merge lists without merge key");

  const items = patch.map((item) => itemOf(item, key));
  const plain = items.filter((item) => item[DIRECTIVE] === undefined || item[DIRECTIVE] === "merge");
  if (items.some((item) => item[DIRECTIVE] === "replace")) return plainItems(plain);
  const gone = new Set(items.filter((item) => item[DIRECTIVE] === "delete").map((item) => identityOf(item, key)));
  const merged = original.filter((item) => !gone.has(identityOf(item, key)));
  const places = new Map(merged.map((item, at): [string, number] => [identityOf(item, key), at]).reverse());
  for (const item of plain) {
    const at = places.get(identityOf(item, key)) ?? merged.length;
    const before = merged[at];
    merged[at] = isJsonObject(before) ? mergeObject(before, item, schema.items()) : withoutDirectives(item);
    places.set(identityOf(item, key), at);
  }
  return reorder(merged, plain, original, key);
}

/** Scalars of both lists, each once. */
function union(original: JsonArray, patch: JsonArray): JsonArray {
  return [...new Map([...original, ...patch].map((item) => [identityOf(item, undefined), item])).values()];
}

function itemOf(item: JsonValue, key: string): JsonObject {
  if (!isJsonObject(item)) throw new StrategicMergePatchError("a list of objects is patched by objects alone");
  const directive = item[DIRECTIVE];
  if (directive !== undefined && directive !== "replace" && directive !== "delete" && directive !== "merge")
    throw unknownDirective(directive);
  if (directive !== "replace" && item[key] === undefined)
    throw new StrategicMergePatchError(
      `map: ${JSON.stringify(Object.keys(item))} does not contain declared merge key: ${key}`,
    );
  return item;
}

const unknownDirective = (directive: JsonValue): StrategicMergePatchError =>
  new StrategicMergePatchError(`unknown patch type: ${JSON.stringify(directive)}`);

/** A value of a patch that meets nothing to merge with: directives and nulls are left out. */
function plainValue(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return plainItems(value);
  if (!isJsonObject(value)) return value;
  return value[DIRECTIVE] === "delete" ? undefined : withoutDirectives(value);
}

function plainItems(items: JsonArray): JsonArray {
  return items
    .filter((item) => !isJsonObject(item) || item[DIRECTIVE] !== "replace" || Object.keys(item).length > 1)
    .map(plainValue)
    .filter((item) => item !== undefined);
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(patch).flatMap(([name, value]): [string, JsonValue][] => {
      const plain = isDirective(name) || value === undefined || value === null ? undefined : plainValue(value);
      return plain === undefined ? [] : [[name, plain]];
    }),
  );
}
