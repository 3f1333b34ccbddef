/** What a session writes next: everything a game asked for since the last write, as one guarded JSON patch. */
import { LAST_ALLOCATED_ANNOTATION } from "#api/agones/constants.ts";
import type { GameServer, GameServerState, GameServerStatus } from "#api/agones/gameserver.ts";
import { isBeingDeleted } from "#api/agones/predicates.ts";
import type { EventType } from "#api/core/event.ts";
import { formatDuration } from "#api/meta/duration.ts";
import type { JsonValue } from "#api/meta/json.ts";
import { diffJson, type JsonPatchOperation } from "#api/meta/patch/json-patch.ts";

export interface StateChange {
  readonly state: Extract<GameServerState, "RequestReady" | "Allocated" | "Reserved" | "Shutdown" | "Unhealthy">;
  /** When it was asked for: milliseconds since 1970. */
  readonly at: number;
  /** Of Reserved: how long, in milliseconds, counted from the write; absent for no end. */
  readonly reservedForMs?: number;
  /** Written only while this is the stored state. */
  readonly onlyFrom?: GameServerState;
}

/** Changes that wait to be written; keys carry their prefix. The newest value of each kind. */
export interface PendingChanges {
  readonly state?: StateChange;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export const NO_CHANGES: PendingChanges = { labels: {}, annotations: {} };

export interface Write {
  readonly operations: readonly JsonPatchOperation[];
  /** To be recorded once the write is known to have taken effect. */
  readonly event?: { readonly type: EventType; readonly reason: string; readonly message: string };
  /** When the reservation ends: milliseconds since 1970. */
  readonly reservedUntil?: number;
}

/**
 * Names the last SDK write that an object carries. After an answer that got lost it says whether the write took effect,
 * whatever others have written since: nothing is written twice over a newer state.
 */
export const SDK_WRITE_ANNOTATION = "stadion.dev/sdk-write";

/** `undefined` when the object already is as asked, or may not be changed any more. `mark` names this write. */
export function decideWrite(
  gameServer: GameServer,
  changes: PendingChanges,
  { mark, now }: { readonly mark: string; readonly now: number },
): Write | undefined {
  const change = changes.state && maySetState(gameServer, changes.state) ? changes.state : undefined;
  const reservedUntil = change?.reservedForMs === undefined ? undefined : now + change.reservedForMs;
  const annotations = {
    ...changes.annotations,
    ...(change?.state === "Allocated" && { [LAST_ALLOCATED_ANNOTATION]: new Date(change.at).toISOString() }),
  };
  const { metadata, status } = gameServer;
  const wanted: GameServer = {
    ...gameServer,
    metadata: {
      ...metadata,
      labels: merged(metadata.labels, changes.labels),
      annotations: merged(metadata.annotations, annotations),
    },
    status: change ? withState(status, change.state, reservedUntil) : status,
  };
  if (difference(gameServer, wanted).length === 0) return undefined;
  const marked: GameServer = {
    ...wanted,
    metadata: {
      ...wanted.metadata,
      annotations: merged(wanted.metadata.annotations, { [SDK_WRITE_ANNOTATION]: mark }),
    },
  };
  return {
    operations: [
      { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion ?? "" },
      ...difference(gameServer, marked),
    ],
    ...(change && { event: eventOf(change) }),
    ...(reservedUntil !== undefined && { reservedUntil }),
  };
}

/** Merges `newer` over `older`: the newest state, the newest value of every key. */
export function mergeChanges(older: PendingChanges, newer: Partial<PendingChanges>): PendingChanges {
  return {
    ...((newer.state ?? older.state) && { state: newer.state ?? older.state }),
    labels: { ...older.labels, ...newer.labels },
    annotations: { ...older.annotations, ...newer.annotations },
  };
}

/** What of `changes` is left when `written` is in the object: only what was asked for since. */
export function withoutChanges(changes: PendingChanges, written: PendingChanges): PendingChanges {
  return {
    ...(changes.state && changes.state !== written.state && { state: changes.state }),
    labels: withoutEntries(changes.labels, written.labels),
    annotations: withoutEntries(changes.annotations, written.annotations),
  };
}

export function isEmpty({ state, labels, annotations }: PendingChanges): boolean {
  return !state && Object.keys(labels).length === 0 && Object.keys(annotations).length === 0;
}

/** A server that is ending, or that was found unhealthy, keeps its state. */
function maySetState(gameServer: GameServer, { onlyFrom }: StateChange): boolean {
  const stored = gameServer.status?.state;
  return !isBeingDeleted(gameServer) && stored !== "Unhealthy" && (onlyFrom === undefined || onlyFrom === stored);
}

function withState(
  status: GameServerStatus | undefined,
  state: GameServerState,
  reservedUntil: number | undefined,
): GameServerStatus {
  if (reservedUntil !== undefined) return { ...status, state, reservedUntil: rfc3339(reservedUntil) };
  if (!status?.reservedUntil) return { ...status, state };
  const { reservedUntil: _, ...rest } = status;
  return { ...rest, state };
}

const rfc3339 = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

function eventOf({ state, reservedForMs }: StateChange): NonNullable<Write["event"]> {
  if (state === "Unhealthy") return { type: "Warning", reason: state, message: "Health check failure" };
  const duration = reservedForMs === undefined ? "" : `, for ${formatDuration(reservedForMs)}`;
  return { type: "Normal", reason: state, message: `SDK state change${duration}` };
}

type Entries = Readonly<Record<string, string>>;

const merged = (stored: Entries | undefined, changes: Entries): Entries | undefined =>
  Object.keys(changes).length ? { ...stored, ...changes } : stored;

const withoutEntries = (entries: Entries, written: Entries): Entries =>
  Object.fromEntries(Object.entries(entries).filter(([key, value]) => written[key] !== value));

const difference = (from: GameServer, to: GameServer): JsonPatchOperation[] =>
  diffJson(from as unknown as JsonValue, to as unknown as JsonValue);
