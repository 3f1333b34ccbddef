/** Watch events as frames: made once for all watchers that see a change the same way. */
import type { WatchFrame } from "#api/meta/exchange.ts";
import { type JsonObject, stringifyJson } from "#api/meta/json.ts";
import type { WatchEvent, WatchEventType } from "#api/meta/object.ts";
import type { Change, StoredObject } from "../../store/objects.ts";
import { withMeta } from "../resources/object-fields.ts";
import type { Selection } from "./selection.ts";

const encoder = new TextEncoder();

/** A frame for one watcher alone. */
export function ownFrame(event: WatchEvent): WatchFrame {
  return { event, encoded: () => encoder.encode(`${stringifyJson(event)}\n`) };
}

/** A frame of a stored version; its line is put together from the version's kept text. */
function storedFrame(type: WatchEventType, stored: StoredObject): WatchFrame {
  let line: Uint8Array | undefined;
  return {
    event: { type, object: stored.object },
    encoded: () => {
      line ??= Buffer.concat([encoder.encode(`{"type":"${type}","object":`), stored.encoded(), encoder.encode("}\n")]);
      return line;
    },
  };
}

/** The frames of changes, kept as long as somebody keeps the change (the store's history does). */
export class FrameCache {
  readonly #frames = new WeakMap<Change, WatchFrame>();

  frameOf(change: Change): WatchFrame {
    let frame = this.#frames.get(change);
    if (!frame) {
      frame = storedFrame(change.type, change.stored);
      this.#frames.set(change, frame);
    }
    return frame;
  }
}

export const addedFrame = (stored: StoredObject): WatchFrame => storedFrame("ADDED", stored);

/**
 * What a change is to a watcher with a selection: an object that moves in is ADDED, one that moves out is DELETED
 * (as it last matched, with the version of the change). `undefined`: nothing.
 */
export function selectedEvent(
  change: Change,
  matches: NonNullable<Selection["matches"]>,
  read: (stored: JsonObject) => JsonObject,
): WatchEvent | undefined {
  const object = read(change.stored.object);
  if (change.type !== "MODIFIED") return matches(object) ? { type: change.type, object } : undefined;
  const before = change.previous && read(change.previous.object);
  const matched = before !== undefined && matches(before);
  if (matches(object)) return { type: matched ? "MODIFIED" : "ADDED", object };
  if (!matched) return undefined;
  return { type: "DELETED", object: withMeta(before, { resourceVersion: String(change.stored.revision) }) };
}
