/** The members of metadata that the server owns, at creation and at updates. */
import { type FieldError, forbidden, invalid } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import type { ObjectMeta } from "#api/meta/object.ts";
import { conflict, staleVersion } from "#api/meta/status.ts";
import { rfc3339 } from "#runtime/clock.ts";
import type { ResourceDefinition } from "../resource-definition.ts";
import { metaOf, withMeta } from "../resources/object-fields.ts";

/** The object as it begins: a fresh identity, no version, not being deleted. `now`: milliseconds since 1970. */
export function bornObject(
  object: JsonObject,
  birth: { readonly name: string; readonly uid: string; readonly now: number; readonly hasGeneration: boolean },
): JsonObject {
  return withMeta(object, {
    name: birth.name,
    uid: birth.uid,
    creationTimestamp: rfc3339(birth.now),
    generation: birth.hasGeneration ? 1 : undefined,
    resourceVersion: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
  });
}

/** Throws Conflict when the client means another version, or another object of the same name. */
export function checkPreconditions(
  { group, plural }: ResourceDefinition,
  current: ObjectMeta,
  wanted: { readonly uid?: string; readonly resourceVersion?: string },
): void {
  const name = current.name ?? "";
  if (wanted.uid && wanted.uid !== current.uid)
    throw conflict(
      group,
      plural,
      name,
      `Precondition failed: UID in precondition: ${wanted.uid}, UID in object meta: ${current.uid ?? ""}`,
    );
  if (wanted.resourceVersion && wanted.resourceVersion !== current.resourceVersion)
    throw conflict(group, plural, name, staleVersion);
}

/** A precondition of a deletion has a text of its own for versions. */
export function checkDeletePreconditions(
  definition: ResourceDefinition,
  current: ObjectMeta,
  wanted: { readonly uid?: string; readonly resourceVersion?: string } = {},
): void {
  checkPreconditions(definition, current, { uid: wanted.uid });
  if (wanted.resourceVersion && wanted.resourceVersion !== current.resourceVersion)
    throw conflict(
      definition.group,
      definition.plural,
      current.name ?? "",
      `Precondition failed: ResourceVersion in precondition: ${wanted.resourceVersion}, ResourceVersion in object meta: ${current.resourceVersion ?? ""}`,
    );
}

/** An update with what it left out of the server's members carried over from the object before. */
export function carriedOver(object: JsonObject, old: JsonObject): JsonObject {
  const before = metaOf(old);
  const now = metaOf(object);
  return withMeta(object, {
    uid: now.uid || before.uid,
    creationTimestamp: now.creationTimestamp || before.creationTimestamp,
    deletionTimestamp: now.deletionTimestamp || before.deletionTimestamp,
    deletionGracePeriodSeconds: now.deletionGracePeriodSeconds ?? before.deletionGracePeriodSeconds,
    generation: before.generation,
    resourceVersion: before.resourceVersion,
  });
}

const immutable = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** What an update may not do to metadata (apimachinery `ValidateObjectMetaUpdate`). */
export function metadataUpdateFaults(object: JsonObject, old: JsonObject): FieldError[] {
  const before = metaOf(old);
  const now = metaOf(object);
  const faults = immutable
    .filter((member) => now[member] !== before[member])
    .map((member) => invalid(`metadata.${member}`, now[member], "field is immutable"));
  const added = (now.finalizers ?? []).filter((each) => !before.finalizers?.includes(each));
  if (before.deletionTimestamp && added.length > 0)
    faults.push(
      forbidden(
        "metadata.finalizers",
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((each) => JSON.stringify(each)).join(", ")}}`,
      ),
    );
  return faults;
}

/** The object with its deletion begun, `seconds` from now; the same one when it was begun with no more grace than that. */
export function markedForDeletion(object: JsonObject, seconds: number, now: number): JsonObject {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation } = metaOf(object);
  if (deletionTimestamp && deletionGracePeriodSeconds <= seconds) return object;
  return withMeta(object, {
    deletionTimestamp: rfc3339(now + seconds * 1000),
    deletionGracePeriodSeconds: seconds,
    ...(generation !== undefined && !deletionTimestamp && { generation: generation + 1 }),
  });
}
