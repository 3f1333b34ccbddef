/** The types of metadata's members, checked before anything reads them. */
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { badRequest } from "#api/meta/status.ts";
import type { ResourceDefinition } from "../resource-definition.ts";

type Check = (value: JsonValue) => string | undefined;

const text: Check = (value) => (typeof value === "string" ? undefined : "must be a string");
const time: Check = (value) =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) ? undefined : "must be an RFC 3339 time";
const whole: Check = (value) => (Number.isSafeInteger(value) ? undefined : "must be a whole number");
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false");
const texts: Check = (value) =>
  Array.isArray(value) && value.every((item: JsonValue) => typeof item === "string")
    ? undefined
    : "must be a list of strings";
const textMap: Check = (value) =>
  isJsonObject(value) && Object.values(value).every((member) => typeof member === "string")
    ? undefined
    : "must be an object whose members are strings";
const owners: Check = (value) =>
  Array.isArray(value) && value.every((item: JsonValue) => isJsonObject(item) && !firstFault(item, ownerMembers))
    ? undefined
    : "must be a list of owner references";

const ownerMembers: Readonly<Record<string, Check>> = {
  apiVersion: text,
  kind: text,
  name: text,
  uid: text,
  controller: flag,
  blockOwnerDeletion: flag,
};

const members: Readonly<Record<string, Check>> = {
  name: text,
  generateName: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  generation: whole,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: whole,
  labels: textMap,
  annotations: textMap,
  finalizers: texts,
  ownerReferences: owners,
};

function firstFault(object: JsonObject, checks: Readonly<Record<string, Check>>): string | undefined {
  for (const [name, check] of Object.entries(checks)) {
    const value = object[name];
    const fault = value === undefined || value === null ? undefined : check(value);
    if (fault) return `${name} ${fault}`;
  }
  return undefined;
}

/** The metadata without members that are null or empty, which mean the same as none. Throws BadRequest when one has the wrong type. */
export function shapedMetadata(
  { version, kind }: Pick<ResourceDefinition, "version" | "kind">,
  metadata: JsonObject,
): JsonObject {
  const fault = firstFault(metadata, members);
  if (fault)
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: metadata.${fault}`);
  const entries = Object.entries(metadata);
  return entries.some(([, value]) => isEmpty(value))
    ? Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)))
    : metadata;
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
