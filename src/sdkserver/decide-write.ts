/** What a session writes next: everything a game asked for since the last write, as one guarded JSON patch. */
import { LAST_ALLOCATED_ANNOTATION } from "#api/agones/constants.ts";
import type { GameServer, GameServerState, GameServerStatus } from "#api/agones/gameserver.ts";
import { isBeingDeleted } from "#api/agones/predicates.ts";
import type { EventType } from "#api/core/event.ts";
import { formatDuration } from "#api/meta/duration.ts";
import type { JsonValue } from "#api/meta/json.ts";
import { diffJson, type JsonPatchOperation } from "#api/meta/patch/json-patch.ts";
import { applyCounts, type CountsChange, countsEvents, isCountsChange } from "./decide-counts.ts";

export interface StateChange {
  readonly type: "state";
  readonly state: Extract<GameServerState, "RequestReady" | "Allocated" | "Reserved" | "Shutdown" | "Unhealthy">;
  /** When it was asked for, no earlier than any allocation that was known then: milliseconds since 1970. */
  readonly at: number;
  /** Of Reserved: how long, in milliseconds, counted from the write; absent for no end. */
  readonly reservedForMs?: number;
  /** Written only while this is the stored state. */
  readonly onlyFrom?: GameServerState;
}

/** A label or an annotation; the key carries its prefix. */
export interface EntryChange {
  readonly type: "label" | "annotation";
  readonly key: string;
  readonly value: string;
}

/** Something that a game asked for. */
export type Change = StateChange | EntryChange | CountsChange;

interface WriteEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

export interface Write {
  readonly operations: readonly JsonPatchOperation[];
  /** Of the state; to be recorded once the write is known to have taken effect. */
  readonly events: readonly WriteEvent[];
  /** Of counters, lists and players, which may change with every move of a game. */
  readonly countsEvents: readonly WriteEvent[];
  /** The state that it sets. */
  readonly state?: StateChange["state"];
  /** When the reservation ends: milliseconds since 1970. */
  readonly reservedUntil?: number;
}

/**
 * Names the last SDK write that an object carries. After an answer that got lost, or a life of the SDK server that ended, it says
 * how far the writes came, whatever others have written since: nothing is written twice over a newer state.
 */
export const SDK_WRITE_ANNOTATION = "stadion.dev/sdk-write";

export interface WriteContext {
  /** Names this write. */
  readonly mark: string;
  readonly now: number;
  /** Another write may be under way that this object does not show: whichever comes second must fail, so this one is sent in any case. */
  readonly unsure: boolean;
  /** No state is the last: nothing around this server ends it. */
  readonly endless?: boolean;
}

/** At most one state, and of each key at most one label and one annotation. `undefined` when the object already is as asked, or may not be changed any more. */
export function decideWrite(
  gameServer: GameServer,
  changes: readonly Change[],
  { mark, now, unsure, endless = false }: WriteContext,
): Write | undefined {
  const asked = changes.find((change) => change.type === "state");
  const state = asked && maySetState(gameServer, asked, endless) ? asked : undefined;
  const reservedUntil = state?.reservedForMs === undefined ? undefined : now + state.reservedForMs;
  const annotations = {
    ...entries(changes, "annotation"),
    ...(state?.state === "Allocated" && { [LAST_ALLOCATED_ANNOTATION]: new Date(state.at).toISOString() }),
  };
  const { metadata, status } = gameServer;
  const counts = changes.filter(isCountsChange);
  const wanted = applyCounts(
    {
      ...gameServer,
      metadata: {
        ...metadata,
        labels: merged(metadata.labels, entries(changes, "label")),
        annotations: merged(metadata.annotations, annotations),
      },
      status: state ? withState(status, state.state, reservedUntil) : status,
    },
    counts,
  );
  if (!unsure && difference(gameServer, wanted).length === 0) return undefined;
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
    events: state ? [eventOf(state)] : [],
    countsEvents: countsEvents(gameServer, wanted, counts),
    ...(state && { state: state.state }),
    ...(reservedUntil !== undefined && { reservedUntil }),
  };
}

/** When a server was last allocated, in milliseconds since 1970; `undefined` when it never was. */
export function lastAllocated({ metadata }: GameServer): number | undefined {
  return Date.parse(metadata.annotations?.[LAST_ALLOCATED_ANNOTATION] ?? "") || undefined;
}

/**
 * A server that is ending, or that was found unhealthy, keeps its state; one that was allocated after the change was asked for is in
 * a match that the asking game knew nothing of, and stays in it.
 */
function maySetState(gameServer: GameServer, { state, at, onlyFrom }: StateChange, endless: boolean): boolean {
  const stored = gameServer.status?.state;
  if (!endless && (isBeingDeleted(gameServer) || stored === "Unhealthy")) return false;
  if (stored === "Allocated" && FREEING.has(state) && (lastAllocated(gameServer) ?? 0) > at) return false;
  return onlyFrom === undefined || onlyFrom === stored;
}

/** States that take a server out of its match. */
const FREEING: ReadonlySet<GameServerState> = new Set(["RequestReady", "Reserved"]);

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

function eventOf({ state, reservedForMs }: StateChange): WriteEvent {
  if (state === "Unhealthy") return { type: "Warning", reason: state, message: "Health check failure" };
  const duration = reservedForMs === undefined ? "" : `, for ${formatDuration(reservedForMs)}`;
  return { type: "Normal", reason: state, message: `SDK state change${duration}` };
}

type Entries = Readonly<Record<string, string>>;

const merged = (stored: Entries | undefined, changes: Entries): Entries | undefined =>
  Object.keys(changes).length ? { ...stored, ...changes } : stored;

const entries = (changes: readonly Change[], type: EntryChange["type"]): Entries =>
  Object.fromEntries(changes.flatMap((change) => (change.type === type ? [[change.key, change.value]] : [])));

const difference = (from: GameServer, to: GameServer): JsonPatchOperation[] =>
  diffJson(from as unknown as JsonValue, to as unknown as JsonValue);
