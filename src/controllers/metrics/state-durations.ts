import type { GameServer } from "#api/agones/gameserver.ts";

/** How old a GameServer was when it came into the state it is in. */
interface Entry {
  readonly state: string;
  readonly age: number;
}

/**
 * For how long GameServers were in the state they leave. What was before this process began is not known, except for a server's first
 * state, which began with the server.
 */
export class StateDurations {
  readonly #entries = new Map<string, Entry>();

  /** Seconds that `old` spent in its state, now that `server` has another; undefined when that is not known. `now` in ms. */
  left(old: GameServer, server: GameServer, now: number): number | undefined {
    const { uid = "", creationTimestamp = "" } = server.metadata;
    const state = server.status?.state ?? "";
    const age = (now - Date.parse(creationTimestamp ?? "")) / 1000;
    const entry = this.#entries.get(uid);
    if (state === "Shutdown" || Number.isNaN(age)) this.#entries.delete(uid);
    else this.#entries.set(uid, { state, age });
    const began = state === "Creating" || state === "PortAllocation" ? 0 : this.#began(entry, old);
    const seconds = age - began;
    return seconds >= 0 ? seconds : undefined;
  }

  forget({ metadata: { uid = "" } }: GameServer): void {
    this.#entries.delete(uid);
  }

  #began(entry: Entry | undefined, old: GameServer): number {
    return entry && entry.state === old.status?.state ? entry.age : Number.NaN;
  }
}
