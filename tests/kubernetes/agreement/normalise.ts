/** Takes out of an answer what differs between any two servers that do the same: identities and times. */
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";

/** Members whose values each server makes up, wherever they stand. */
const madeUp = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "continue",
  "lastTransitionTime",
]);

/** Which fields each client has set: kept for server-side apply, which the embedded server does not have. */
const leftOut = new Set(["managedFields", "selfLink"]);

/** `generated` are prefixes of names that the server completed. */
export function normalised(value: JsonValue, generated: readonly string[] = []): JsonValue {
  if (typeof value === "string") return generated.reduce(anonymous, value);
  if (Array.isArray(value)) return value.map((item) => normalised(item, generated));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value)
    .filter(([name]) => !leftOut.has(name))
    .map(([name, member]): [string, JsonValue] => [
      name,
      madeUp.has(name) && typeof member === "string" && member !== ""
        ? `(${name})`
        : normalised(member ?? null, generated),
    ]);
  return Object.fromEntries(members) as JsonObject;
}

/** Five characters of the alphabet that Kubernetes completes names with. */
const anonymous = (text: string, prefix: string): string =>
  text.replaceAll(
    new RegExp(`${prefix.replace(/[.\\]/g, "\\$&")}[bcdfghjklmnpqrstvwxz2456789]{5}\\b`, "g"),
    `${prefix}(suffix)`,
  );
