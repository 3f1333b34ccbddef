import { FLEET_LABEL } from "#api/agones/constants.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { Bucket } from "./bucket.ts";

export type CandidateState = "Ready" | "Allocated";

/**
 * Where a request looks for its server: the Ready and the Allocated servers of a namespace, by fleet.
 * A server is in one bucket at most; moving it costs a binary search in its node's list.
 */
export class CandidateIndex {
  /** `namespace`, `state`, `fleet` (empty for none), joined by a slash, to the servers. */
  readonly #buckets = new Map<string, Bucket>();
  /** Fleets seen in a namespace and state. */
  readonly #fleets = new Map<string, Set<string>>();

  add(server: GameServer): void {
    const place = placeOf(server);
    if (!place) return;
    const name = `${place.scope}/${place.fleet}`;
    let bucket = this.#buckets.get(name);
    if (!bucket) {
      bucket = new Bucket();
      this.#buckets.set(name, bucket);
      const fleets = this.#fleets.get(place.scope) ?? new Set();
      this.#fleets.set(place.scope, fleets.add(place.fleet));
    }
    bucket.add(server);
  }

  /** `server` must be the very version that was added. */
  remove(server: GameServer): void {
    const place = placeOf(server);
    if (!place) return;
    const name = `${place.scope}/${place.fleet}`;
    const bucket = this.#buckets.get(name);
    bucket?.remove(server);
    if (bucket?.size !== 0) return;
    this.#buckets.delete(name);
    this.#fleets.get(place.scope)?.delete(place.fleet);
  }

  /** The buckets that can hold a match: one when the selector names its fleet, else all of the namespace. */
  buckets(namespace: string, state: CandidateState, fleet: string | undefined): readonly Bucket[] {
    const scope = `${namespace}/${state}`;
    const fleets = fleet === undefined ? (this.#fleets.get(scope) ?? []) : [fleet];
    return [...fleets].flatMap((each) => this.#buckets.get(`${scope}/${each}`) ?? []);
  }
}

function placeOf({ metadata, status }: GameServer): { readonly scope: string; readonly fleet: string } | undefined {
  const state = status?.state;
  if (metadata.deletionTimestamp || (state !== "Ready" && state !== "Allocated")) return undefined;
  return { scope: `${metadata.namespace}/${state}`, fleet: metadata.labels?.[FLEET_LABEL] ?? "" };
}
