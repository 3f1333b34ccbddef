/** Equality of JSON values: exact (`deepEqual`), and as a typed Kubernetes object would compare (`semanticEqual`). */
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "./json.ts";

type Member = JsonValue | undefined;

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
