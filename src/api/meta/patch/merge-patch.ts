/** JSON Merge Patch (RFC 7386). */
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";

/**
 * `target` with the patch merged in: members of objects are merged, `null` removes one, anything else replaces.
 * What does not change is shared with `target`; nothing is mutated.
 */
export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const base: JsonObject = isJsonObject(target) ? target : {};
  const members = new Map(Object.entries(base));
  let changed = base !== target;
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const before = members.get(name);
    if (value === null) {
      changed = members.delete(name) || changed;
      continue;
    }
    const after = applyMergePatch(before, value);
    if (after === before) continue;
    members.set(name, after);
    changed = true;
  }
  // Unlike assignment, `fromEntries` makes a plain member even of `__proto__`.
  return changed ? Object.fromEntries(members) : base;
}
