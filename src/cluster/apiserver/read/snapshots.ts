/** Lists that are read in pages: what a continue token stands for. */
import { badRequest } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import type { StoredObject } from "../../store/objects.ts";
import { expired } from "./versions.ts";

/** A page that is asked for later than this finds its list gone, as in Kubernetes. */
const LIFETIME_MS = 5 * 60_000;
/** Lists that are kept for their next page; the least recently used goes first. Each is an array of shared objects. */
const MAX_SNAPSHOTS = 128;

/** The rest of a list as it was at its first page. */
export interface Snapshot {
  readonly items: readonly StoredObject[];
  readonly revision: number;
  /** What the list was of; the next page must ask for the same. */
  readonly scope: string;
}

interface Kept extends Snapshot {
  readonly deadline: number;
}

export class Snapshots {
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock, newId: () => string) {
    this.#clock = clock;
    this.#newId = newId;
  }

  /** Keeps a list and gives the token for the page that starts at `position`; `token` is that of the page before. */
  keep(snapshot: Snapshot, position: number, token?: string): string {
    const id = token ? idOf(token) : this.#newId();
    this.#kept.delete(id);
    this.#kept.set(id, { ...snapshot, deadline: this.#clock.monotonic() + LIFETIME_MS });
    for (const [oldest, { deadline }] of this.#kept) {
      if (this.#kept.size <= MAX_SNAPSHOTS && deadline > this.#clock.monotonic()) break;
      this.#kept.delete(oldest);
    }
    return Buffer.from(JSON.stringify([id, position])).toString("base64url");
  }

  /** The list a token continues, and where. Throws Expired when it is no longer kept, BadRequest when it is no token of this list. */
  resume(token: string, scope: string): { readonly snapshot: Snapshot; readonly position: number } {
    const [id, position] = parseToken(token);
    const kept = this.#kept.get(id);
    if (!kept || kept.deadline <= this.#clock.monotonic())
      throw expired(
        "The provided continue parameter is too old to display a consistent list result. Start a new list without the continue parameter.",
      );
    if (kept.scope !== scope || position > kept.items.length)
      throw badRequest("invalid continue token: it belongs to another list");
    return { snapshot: kept, position };
  }
}

const idOf = (token: string): string => parseToken(token)[0];

function parseToken(token: string): readonly [id: string, position: number] {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if (Array.isArray(value) && typeof value[0] === "string" && Number.isSafeInteger(value[1]) && value[1] >= 0)
      return [value[0], value[1]];
  } catch {
    // Falls through to the refusal.
  }
  throw badRequest("invalid continue token: continue key is not valid");
}
