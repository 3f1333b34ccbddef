/** Equality of JSON values: exact (`deepEqual`), and as a typed Kubernetes object would compare (`semanticEqual`). */
import { isJsonObject, type JsonArray, type JsonObject } from "./json.ts";
import { compareQuantities, parseQuantity, type Quantity } from "./quantity.ts";

/** A JSON value or a typed object that is one. */
type Member = unknown;

/** Equal as JSON: numbers and bigints by value, members in any order, a member that is `undefined` is absent. */
export function deepEqual(a: Member, b: Member): boolean {
  if (a === b) return true;
  if (typeof a === "bigint" || typeof b === "bigint") return sameInteger(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b, deepEqual);
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  return (
    Object.keys(a).every((name) => deepEqual(own(a, name), own(b, name))) &&
    Object.keys(b).every((name) => b[name] === undefined || own(a, name) !== undefined)
  );
}

function sameInteger(a: Member, b: Member): boolean {
  if (typeof a === "bigint") return typeof b === "number" && Number.isInteger(b) && BigInt(b) === a;
  return sameInteger(b, a);
}

function sameItems(a: JsonArray, b: JsonArray, equal: (a: Member, b: Member) => boolean): boolean {
  return a.length === b.length && a.every((item, position) => equal(item, b[position]));
}

/** Own members alone: a key such as `__proto__` or `constructor` reads nothing inherited. */
function own(object: JsonObject, name: string): Member {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Members whose value is a map with free keys: there a key counts, whatever its value. */
const MAPS = new Set([
  "labels",
  "annotations",
  "matchLabels",
  "nodeSelector",
  "limits",
  "requests",
  "overhead",
  "counters",
  "lists",
  "volumeAttributes",
  "options",
]);

/** The maps whose values are quantities. */
const QUANTITY_MAPS = new Set(["limits", "requests", "overhead"]);

/** Members that are a quantity each. Of a divisor Kubernetes does not tell absent from zero. */
const QUANTITIES: ReadonlyMap<string, { readonly absent?: string }> = new Map([
  ["sizeLimit", {}],
  ["divisor", { absent: "0" }],
]);

/** Optional scalars of the pod template for which Kubernetes tells zero from absent. */
const ZERO_IS_A_VALUE = new Set([
  "activeDeadlineSeconds",
  "allowPrivilegeEscalation",
  "automountServiceAccountToken",
  "defaultMode",
  "enableServiceLinks",
  "expirationSeconds",
  "fsGroup",
  "hostProcess",
  "hostUsers",
  "maxExpirationSeconds",
  "minDomains",
  "mode",
  "optional",
  "priority",
  "privileged",
  "readOnlyRootFilesystem",
  "runAsGroup",
  "runAsNonRoot",
  "runAsUser",
  "setHostnameAsFQDN",
  "shareProcessNamespace",
  "storageClassName",
  "terminationGracePeriodSeconds",
  "tolerationSeconds",
]);

/** Part of the schema, but not of the Go types that Agones compares. */
const IGNORED = new Set(["immutableReplicas"]);

/**
 * Equal as templates of GameServers are compared: quantities by value; null, absent and empty alike for lists, maps and
 * structures; an absent scalar equals its zero value, unless Kubernetes tells them apart (`terminationGracePeriodSeconds: 0`);
 * `immutableReplicas` is ignored. The keys of labels, limits and other maps do count, also when a value is empty.
 */
export function semanticEqual(a: Member, b: Member): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    const [left, right] = [a ?? [], b ?? []];
    return Array.isArray(left) && Array.isArray(right) && sameItems(left, right, semanticEqual);
  }
  if (isJsonObject(a) || isJsonObject(b)) {
    const [left, right] = [a ?? {}, b ?? {}];
    return isJsonObject(left) && isJsonObject(right) && sameMembers(left, right);
  }
  return deepEqual(zeroIsAbsent(a), zeroIsAbsent(b));
}

function zeroIsAbsent(value: Member): Member {
  return value === "" || value === 0 || value === 0n || value === false || value === null ? undefined : value;
}

function sameMembers(a: JsonObject, b: JsonObject): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => {
    const [left, right] = [own(a, name), own(b, name)];
    if (left === right || IGNORED.has(name)) return true;
    const { absent } = QUANTITIES.get(name) ?? {};
    if (QUANTITIES.has(name)) return sameQuantity(left ?? absent, right ?? absent);
    if (ZERO_IS_A_VALUE.has(name)) return deepEqual(left ?? undefined, right ?? undefined);
    const [leftMap, rightMap] = [left ?? {}, right ?? {}];
    if (MAPS.has(name) && isJsonObject(leftMap) && isJsonObject(rightMap))
      return sameMap(leftMap, rightMap, QUANTITY_MAPS.has(name) ? sameQuantity : semanticEqual);
    return semanticEqual(left, right);
  });
}

function sameMap(a: JsonObject, b: JsonObject, equal: (a: Member, b: Member) => boolean): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equal(a[name], own(b, name)))
  );
}

function sameQuantity(a: Member, b: Member): boolean {
  const [left, right] = [quantityOf(a), quantityOf(b)];
  return left && right ? compareQuantities(left, right) === 0 : deepEqual(a, b);
}

function quantityOf(value: Member): Quantity | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return undefined;
  try {
    return parseQuantity(value);
  } catch {
    return undefined;
  }
}
