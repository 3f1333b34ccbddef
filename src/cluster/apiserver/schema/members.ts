/** Copying JSON objects member by member, where `__proto__` is a key like any other. */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";

export type MutableObject = { [key: string]: JsonValue | undefined };

/** Sets a member of an object that is still being built. */
export function setMember(target: MutableObject, key: string, value: JsonValue | undefined): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** A new object with the members of `source` that come before `key`, in order. */
export function copyBefore(source: JsonObject, key: string): MutableObject {
  const copy: MutableObject = {};
  for (const each in source) {
    if (each === key) break;
    setMember(copy, each, source[each]);
  }
  return copy;
}

/** A member's value; `undefined` when absent, also for names that every JavaScript object inherits. */
export function memberOf(source: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}
