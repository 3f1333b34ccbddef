import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeingDeleted } from "#api/agones/predicates.ts";
import { isNewerVersion } from "#api/meta/resource-version.ts";
import { rfc3339 } from "#runtime/clock.ts";

/** Whether the API answered: until then nobody knows what became of the request. */
interface Request {
  answered: boolean;
}
interface Creation extends Request {
  /** What was answered, or else what was asked for. */
  server: GameServer;
  since: number;
  /** UIDs of servers of its name that were seen to go since. */
  readonly gone: Set<string | undefined>;
}
interface Removal extends Request {
  /** The version that was to become Shutdown. */
  readonly server: GameServer;
}

/** How long a cache may take to show a server before the API is asked whether it is there. */
const UNSEEN_MS = 10_000;

/**
 * A set's own creations and removals that its cache has not shown yet. Laid over the cached list, so that the next pass
 * neither makes a server twice nor removes one too many. Each is remembered before its request leaves, by the name the server
 * has: when the answer is lost it counts as done, and is doubtful until somebody asks again. Times are milliseconds since 1970.
 */
export class InFlight {
  readonly #created = new Map<string, Creation>();
  readonly #removed = new Map<string, Removal>();

  creating(wanted: GameServer, now: number): void {
    this.#created.set(nameOf(wanted), { server: wanted, answered: false, since: now, gone: new Set() });
  }

  /** The server exists. One that has been seen already, or seen to go, is not remembered again. */
  created(server: GameServer, now: number): void {
    const creation = this.#created.get(nameOf(server));
    if (creation?.gone.has(server.metadata.uid)) this.notCreated(nameOf(server));
    else if (creation) Object.assign(creation, { server, answered: true, since: now });
  }

  isAnswered(name: string): boolean {
    return this.#created.get(name)?.answered === true;
  }

  notCreated(name: string): void {
    this.#created.delete(name);
  }

  removing(server: GameServer): void {
    this.#removed.set(nameOf(server), { server, answered: false });
  }

  /** The removal was made, or the cache is about to show a later version of the server. */
  removed(server: GameServer): void {
    this.#removed.set(nameOf(server), { server, answered: true });
  }

  notRemoved(server: GameServer): void {
    this.#removed.delete(nameOf(server));
  }

  /** The cache showed the deletion of a server: it may have come and gone between two passes, or be an earlier one of the name. */
  gone(server: GameServer): void {
    const creation = this.#created.get(nameOf(server));
    creation?.gone.add(server.metadata.uid);
    if (creation?.answered && isSame(creation.server, server)) this.notCreated(nameOf(server));
    const removal = this.#removed.get(nameOf(server));
    if (removal && isSame(removal.server, server)) this.notRemoved(server);
  }

  /** Names of creations to ask about: not answered, or answered and not seen for long. */
  doubtfulCreations(now: number): readonly string[] {
    return [...this.#created]
      .filter(([, { answered, since }]) => !answered || now - since >= UNSEEN_MS)
      .map(([name]) => name);
  }

  /** Removals to ask about. */
  doubtfulRemovals(): readonly GameServer[] {
    return [...this.#removed.values()].filter(({ answered }) => !answered).map(({ server }) => server);
  }

  /** Milliseconds until a creation will have become doubtful; undefined when none is unseen. */
  recheckAfter(now: number): number | undefined {
    const since = [...this.#created.values()].map((creation) => creation.since);
    return since.length === 0 ? undefined : Math.max(0, Math.min(...since) + UNSEEN_MS - now);
  }

  /** The cached servers and those created but not seen yet; those removed are marked as being deleted. */
  overlay(cached: readonly GameServer[], now: number): readonly GameServer[] {
    const shown = cached.filter((server) => this.#isPresent(server));
    const seen = new Set(shown.map(nameOf));
    const unseen = [...this.#created.values()]
      .map(({ server }) => server)
      .filter((server) => !seen.has(nameOf(server)));
    const all = [...shown, ...unseen];
    const names = new Set(all.map(nameOf));
    for (const name of this.#removed.keys()) if (!names.has(name)) this.#removed.delete(name);
    return all.map((server) => {
      const removal = this.#removed.get(nameOf(server));
      if (!removal) return server;
      if (isSame(removal.server, server) && !isNewerVersion(server, removal.server)) return withDeletion(server, now);
      this.notRemoved(server);
      return server;
    });
  }

  /** Not an earlier server of a name that was made anew: such a one has gone, though the cache shows it still. */
  #isPresent(server: GameServer): boolean {
    const creation = this.#created.get(nameOf(server));
    if (!creation) return true;
    if (!creation.answered) return !isBeingDeleted(server);
    const isEarlier = !isSame(creation.server, server) && !isNewerVersion(server, creation.server);
    if (!isEarlier) this.notCreated(nameOf(server));
    return !isEarlier;
  }
}

const isSame = (a: GameServer, b: GameServer): boolean => a.metadata.uid === b.metadata.uid;

const nameOf = ({ metadata }: GameServer): string => metadata.name ?? "";

const withDeletion = (server: GameServer, now: number): GameServer => ({
  ...server,
  metadata: { ...server.metadata, deletionTimestamp: rfc3339(now) },
});
