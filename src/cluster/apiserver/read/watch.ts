/** Watches: initial state, changes, bookmarks, and their end. */
import type { WatchFrame } from "#api/meta/exchange.ts";
import { forbidden, invalid } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import type { WatchEvent } from "#api/meta/object.ts";
import { invalidObject } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import { type Change, type Objects, RevisionExpired, type StoredObject } from "../../store/objects.ts";
import { booleanParameter, integerParameter } from "../request/options.ts";
import { keyOf, type ServedResource } from "../resources/served-resource.ts";
import { addedFrame, type FrameCache, ownFrame, selectedEvent } from "./frames.ts";
import { selectStored } from "./list.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { expired, wantedVersion } from "./versions.ts";
import { WatchInbox, type WatchInboxOptions } from "./watch-inbox.ts";

const BOOKMARK_EVERY_MS = 60_000;
/** A watch without a limit of its own ends after 30 to 60 minutes, at random, so that clients spread. */
const DEFAULT_SECONDS = 30 * 60;
/** As many initial objects as one batch holds: the event loop runs between batches. */
const INITIAL_BATCH = 250;

export interface Watching {
  readonly objects: Objects;
  readonly clock: Clock;
  readonly random: () => number;
  readonly frames: FrameCache;
}

/** How a watcher wants events: `event` for one that is already decided, `bookmark` for a version alone. */
export interface EventForm {
  /** Objects go out as they are stored, so frames can be shared. */
  readonly plain: boolean;
  readonly read: (stored: JsonObject) => JsonObject;
  readonly event: (event: WatchEvent) => WatchEvent;
  readonly bookmark: (revision: number, endsInitial: boolean) => JsonObject;
}

/** Opens a watch: from now on nothing is missed. Throws BadRequest or Invalid; a version that is too old is an ERROR event. */
export function openWatch(
  watching: Watching,
  resource: ServedResource,
  namespace: string | undefined,
  query: URLSearchParams,
  form: EventForm,
  signal: AbortSignal,
): AsyncIterable<readonly WatchFrame[]> {
  const { objects, clock, random } = watching;
  const selection = selectionOf(resource, query);
  const bookmarks = booleanParameter(query, "allowWatchBookmarks");
  const initial = wantsInitial(query, bookmarks);
  const wanted = wantedVersion(query);
  const seconds = integerParameter(query, "timeoutSeconds") || DEFAULT_SECONDS * (1 + random());
  const revision = objects.revision(resource.collection);
  const fromState = initial ?? !wanted?.revision;
  const place = resource.definition.namespaced ? (namespace ?? selection.namespace) : undefined;
  const pinned = selection.name !== undefined && (place !== undefined || !resource.definition.namespaced);

  let source: AsyncIterator<readonly Change[]>;
  try {
    const changes = objects.watch(resource.collection, {
      since: fromState ? revision : (wanted?.revision ?? revision),
      namespace: pinned ? undefined : place,
      key: pinned ? keyOf(place, selection.name as string) : undefined,
      signal,
    });
    source = changes[Symbol.asyncIterator]();
  } catch (error) {
    if (!(error instanceof RevisionExpired)) throw error;
    return tooOld(wanted?.revision ?? 0, revision);
  }
  return framesOf({
    state: fromState ? selectStored(objects, resource, namespace, selection) : [],
    endBookmark: initial === true ? form.bookmark(revision, true) : undefined,
    revision: fromState ? revision : (wanted?.revision ?? revision),
    toFrame: frameMaker(watching.frames, selection, form),
    form,
    inbox: {
      source,
      current: () => objects.revision(resource.collection),
      clock,
      timeoutMs: seconds * 1000,
      bookmarkEveryMs: bookmarks ? BOOKMARK_EVERY_MS : undefined,
    },
  });
}

/** `undefined`: the client did not say. */
function wantsInitial(query: URLSearchParams, bookmarks: boolean): boolean | undefined {
  if (!query.has("sendInitialEvents")) return undefined;
  const initial = booleanParameter(query, "sendInitialEvents");
  const refuse = (field: string, why: string) =>
    invalidObject("meta.k8s.io", "ListOptions", "", [forbidden(field, why)]);
  if (query.get("resourceVersionMatch") !== "NotOlderThan")
    throw refuse("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  if (initial && !bookmarks)
    throw invalidObject("meta.k8s.io", "ListOptions", "", [
      invalid("sendInitialEvents", true, "sendInitialEvents needs allowWatchBookmarks, which announce their end"),
    ]);
  return initial;
}

function frameMaker(frames: FrameCache, { matches }: Selection, form: EventForm) {
  const { plain, read, event } = form;
  return {
    ofState: (stored: StoredObject): WatchFrame =>
      plain ? addedFrame(stored) : ownFrame(event({ type: "ADDED", object: read(stored.object) })),
    ofChange: (change: Change): WatchFrame | undefined => {
      if (plain && !matches) return frames.frameOf(change);
      const seen = selectedEvent(change, matches ?? (() => true), read);
      if (!seen) return undefined;
      return plain && seen.type === change.type ? frames.frameOf(change) : ownFrame(event(seen));
    },
  };
}

interface Stream {
  readonly state: readonly StoredObject[];
  readonly endBookmark: JsonObject | undefined;
  /** Everything up to here is known to the client once `state` is sent. */
  readonly revision: number;
  readonly toFrame: ReturnType<typeof frameMaker>;
  readonly form: EventForm;
  readonly inbox: WatchInboxOptions;
}

async function* framesOf(stream: Stream): AsyncGenerator<readonly WatchFrame[]> {
  const { state, endBookmark, toFrame, form } = stream;
  const bookmark = (object: JsonObject) => [ownFrame({ type: "BOOKMARK", object })];
  const inbox = new WatchInbox(stream.inbox);
  let seen = stream.revision;
  try {
    for (let at = 0; at < state.length; at += INITIAL_BATCH)
      yield state.slice(at, at + INITIAL_BATCH).map(toFrame.ofState);
    if (endBookmark) yield bookmark(endBookmark);
    for (let item = await inbox.next(); item; item = await inbox.next()) {
      if (item.type === "bookmark") {
        seen = Math.max(seen, item.passed);
        yield bookmark(form.bookmark(seen, false));
        continue;
      }
      seen = item.changes.at(-1)?.stored.revision ?? seen;
      const frames = item.changes.flatMap((change) => toFrame.ofChange(change) ?? []);
      if (frames.length > 0) yield frames;
    }
  } catch (error) {
    if (!(error instanceof RevisionExpired)) throw error;
    yield [errorFrame(error.message)];
  } finally {
    inbox.close();
  }
}

async function* tooOld(wanted: number, current: number): AsyncGenerator<readonly WatchFrame[]> {
  yield [errorFrame(`too old resource version: ${wanted} (${current})`)];
}

function errorFrame(message: string): WatchFrame {
  return ownFrame({ type: "ERROR", object: expired(message).status as unknown as JsonObject });
}
