/** Takes out of an answer what differs between any two servers that do the same: identities and times. */
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";

/** Members whose values each server makes up, wherever they stand. */
const madeUp = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "continue",
  "lastTransitionTime",
]);

/** `managedFields` are kept for server-side apply, which the embedded server does not have. */
const leftOut = new Set(["managedFields"]);

/** `generated` are prefixes of names that the server completed. */
export function normalised(value: JsonValue, generated: readonly string[] = []): JsonValue {
  return anonymised(withSortedCauses(value), generated);
}

function anonymised(value: JsonValue, generated: readonly string[]): JsonValue {
  if (typeof value === "string") return isAge(value) ? "(age)" : generated.reduce(anonymous, value);
  if (Array.isArray(value)) return value.map((item) => anonymised(item, generated));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value)
    .filter(([name]) => !leftOut.has(name))
    .map(([name, member]): [string, JsonValue] => [
      name,
      name === "columnDefinitions"
        ? undescribed(member ?? null)
        : madeUp.has(name) && typeof member === "string" && member !== ""
          ? `(${name})`
          : anonymised(member ?? null, generated),
    ]);
  return Object.fromEntries(members) as JsonObject;
}

/** Without members that are null or `""`, and without the type of items, which Kubernetes leaves out in lists of built-in kinds. */
export function withoutEmpty(value: JsonValue, inList = false): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item, inList));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => member !== null && member !== "" && !(inList && (name === "apiVersion" || name === "kind")),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member ?? null, name === "items")]));
}

/** The answer with only the kind of a refusal. */
export function withoutWords(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(value.body) || value.body.kind !== "Status") return value;
  const { status, contentType, body } = value;
  const { reason = null, code = null } = body;
  return { status: status ?? null, contentType: contentType ?? null, body: { reason, code } };
}

/**
 * Kubernetes goes through the members of an object in no fixed order, so faults come in any; in the message too, which lists them. After
 * an update it may tell a fault several times; here it counts once.
 * `value` is what was noted of an answer.
 */
function withSortedCauses(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(value.body)) return value;
  const { message, details } = value.body;
  if (!isJsonObject(details) || !Array.isArray(details.causes) || typeof message !== "string") return value;
  const causes = details.causes.filter((cause) => isJsonObject(cause));
  const listed = (all: readonly JsonObject[]): string =>
    `[${[...new Set(all.map(({ field, message }) => `${field}: ${message}`))].join(", ")}]`;
  const each = new Map(causes.map((cause) => [stringifyJson(cause), cause]));
  const sorted = [...each].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, cause]) => cause);
  return {
    ...value,
    body: {
      ...value.body,
      message: message.replace(listed(causes), () => listed(sorted)),
      details: { ...details, causes: sorted },
    },
  };
}

/** In the cells of a Table. */
const isAge = (text: string): boolean => /^\d+(s|m\d+s|m)$/.test(text);

/** Columns say the same of themselves in other words. */
const undescribed = (columns: JsonValue): JsonValue =>
  Array.isArray(columns)
    ? columns.map((column) => (isJsonObject(column) ? { ...column, description: "" } : column))
    : columns;

/** Five characters of the alphabet that Kubernetes completes names with. */
const anonymous = (text: string, prefix: string): string =>
  text.replaceAll(
    new RegExp(`${prefix.replace(/[.\\]/g, "\\$&")}[bcdfghjklmnpqrstvwxz2456789]{5}\\b`, "g"),
    `${prefix}(suffix)`,
  );
