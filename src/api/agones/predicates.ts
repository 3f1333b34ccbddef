/** What a GameServer's state, marks and annotations say of it. */
import type { Pod } from "../core/pod.ts";
import { controllerOf } from "../meta/object.ts";
import { DEV_ADDRESS_ANNOTATION, GROUP, ROLE_GAMESERVER, ROLE_LABEL } from "./constants.ts";
import type { GameServer, GameServerState } from "./gameserver.ts";

type States = ReadonlySet<GameServerState | undefined>;

const beforePod: States = new Set(["PortAllocation", "Creating", "Starting"]);
const beforeReady: States = new Set([...beforePod, "Scheduled", "RequestReady"]);
const active: States = new Set(["Ready", "Reserved", "Allocated"]);
const terminal: States = new Set(["Shutdown", "Error", "Unhealthy"]);

/** Not Ready yet: PortAllocation, Creating, Starting, Scheduled or RequestReady. */
export const isBeforeReady = ({ status }: GameServer): boolean => beforeReady.has(status?.state);

/** Its Pod may not be seen yet: PortAllocation, Creating or Starting (the Pod exists, a cache may lag behind). */
export const isBeforePod = ({ status }: GameServer): boolean => beforePod.has(status?.state);

/** Ready, Reserved or Allocated. */
export const isActive = ({ status }: GameServer): boolean => active.has(status?.state);

/** Shutdown, Error or Unhealthy: it will not serve again. */
export const isTerminal = ({ status }: GameServer): boolean => terminal.has(status?.state);

/** Marked for deletion, or in state Shutdown. */
export const isBeingDeleted = ({ metadata, status }: GameServer): boolean =>
  isMarkedForDeletion(metadata) || status?.state === "Shutdown";

/** May be removed by a decision of ours: neither Allocated nor Reserved, unless somebody already asked for its deletion. */
export const isDeletable = ({ metadata, status }: GameServer): boolean =>
  isMarkedForDeletion(metadata) || (status?.state !== "Allocated" && status?.state !== "Reserved");

/** A development server: it runs on somebody's machine and has no Pod. The annotation's presence decides, whatever its value. */
export const isDevelopment = ({ metadata }: GameServer): boolean =>
  metadata.annotations?.[DEV_ADDRESS_ANNOTATION] !== undefined;

/** A Pod made for a GameServer, by its role label and the kind of its controller (the UID is not compared). */
export function isGameServerPod(pod: Pod): boolean {
  const owner = controllerOf(pod);
  return (
    pod.metadata.labels?.[ROLE_LABEL] === ROLE_GAMESERVER &&
    owner?.kind === "GameServer" &&
    owner.apiVersion.startsWith(`${GROUP}/`)
  );
}

const isMarkedForDeletion = ({ deletionTimestamp }: GameServer["metadata"]): boolean => !!deletionTimestamp;
