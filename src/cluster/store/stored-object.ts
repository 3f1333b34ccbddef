import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "#api/meta/json.ts";
import type { StoredObject } from "./objects.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A version of `object` at `revision`: the object itself shares everything but its metadata. */
export function stamped(object: JsonObject, revision: number, freeze = false): StoredObject {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const copy = { ...object, metadata: { ...metadata, resourceVersion: String(revision) } };
  return version(freeze ? frozen(copy) : copy, revision);
}

/** A version read back from the disk; its bytes are kept. */
export function decoded(bytes: Uint8Array, revision: number, freeze = false): StoredObject {
  const object = parseJson(decoder.decode(bytes)) as JsonObject;
  return version(freeze ? frozen(object) : object, revision, bytes);
}

function version(object: JsonObject, revision: number, bytes?: Uint8Array): StoredObject {
  let encoded = bytes;
  return {
    object,
    revision,
    encoded: () => {
      encoded ??= encoder.encode(stringifyJson(object));
      return encoded;
    },
  };
}

/** Freezes all of `value`. What is frozen already is taken to be so throughout. */
function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === "object" && member !== null && !Object.isFrozen(member)) frozen(member);
  return Object.freeze(value);
}
