/** What an SDK server keeps on disk of the changes that wait, for its next life. */
import type { GameServerState } from "#api/agones/gameserver.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import type { Change, StateChange } from "./decide-write.ts";
import type { NotedChange } from "./pending-changes.ts";

export interface KeptChanges {
  /** Begins the marks of all lives of this SDK server, and of no other that writes to the same object. */
  readonly id: string;
  /** Of the newest change so far. */
  readonly serial: number;
  readonly changes: readonly NotedChange[];
}

/** Serials that an earlier life may have used without keeping them: they stand in marks, and are not used again. */
const UNKEPT_SERIALS = 2 ** 20;

const STATES: Readonly<Record<StateChange["state"], true>> = {
  RequestReady: true,
  Allocated: true,
  Reserved: true,
  Shutdown: true,
  Unhealthy: true,
};

/**
 * What the next life begins with. It must be kept before that life writes anything. Throws `TypeError` for what no earlier life can
 * have kept; without anything kept it is `firstLife`.
 */
export function nextLife(saved: JsonObject | undefined): KeptChanges {
  const { id, serial, changes } = saved ?? {};
  if (id === undefined) return firstLife();
  if (typeof id !== "string" || !isSerial(serial) || !Array.isArray(changes) || !changes.every(isNotedChange))
    throw new TypeError("not what an SDK server keeps");
  return { id, serial: serial + UNKEPT_SERIALS, changes: changes.map(toChange) };
}

export function firstLife(): KeptChanges {
  const id = Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
  return { id, serial: 0, changes: [] };
}

/** As JSON; `nextLife` reads it. */
export function keptAsJson({ id, serial, changes }: KeptChanges): JsonObject {
  return { id, serial, changes: changes as unknown as JsonValue };
}

function isNotedChange(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || !isSerial(value.serial)) return false;
  const { type, key } = value;
  switch (type as Change["type"]) {
    case "state":
      return (
        Object.hasOwn(STATES, String(value.state)) &&
        isTime(value.at) &&
        (value.reservedForMs === undefined || isTime(value.reservedForMs)) &&
        (value.onlyFrom === undefined || value.onlyFrom === ("Reserved" satisfies GameServerState))
      );
    case "label":
    case "annotation":
      return typeof key === "string" && typeof value.value === "string";
    case "counter":
      return (
        typeof key === "string" && value.diff !== undefined && INTEGERS.every((name) => isMaybeInteger(value[name]))
      );
    case "list":
      return typeof key === "string" && isValues(value);
    case "players":
      return isValues(value);
    default:
      return false;
  }
}

const INTEGERS = ["capacity", "count", "diff", "ceiling"] as const;

/** JSON has one sort of number; these are of 64 bits and more. */
function toChange(value: JsonObject): NotedChange {
  const exact = INTEGERS.flatMap((name) => {
    const number = value[name];
    return typeof number === "number" ? [[name, BigInt(number)] as const] : [];
  });
  return { ...value, ...Object.fromEntries(exact) } as unknown as NotedChange;
}

const isMaybeInteger = (value: JsonValue | undefined): boolean =>
  value === undefined || typeof value === "bigint" || Number.isInteger(value);

const isValues = ({ capacity, remove, add }: JsonObject): boolean =>
  isMaybeInteger(capacity) && isTexts(remove) && isTexts(add);

const isTexts = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const isSerial = (value: JsonValue | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Within what a date can hold, so that no later calculation fails. */
const isTime = (value: JsonValue | undefined): boolean =>
  typeof value === "number" && value >= 0 && value <= 8.64e15 / 2;
