import type { GameServer } from "#api/agones/gameserver.ts";
import { rfc3339 } from "#runtime/clock.ts";

/**
 * A set's own creations and deletions that its cache has not shown yet. Laid over the cached list, so that the next pass
 * neither makes a server twice nor removes one twice.
 *
 * A creation is remembered before the request leaves, by the name it will have: when the answer is lost, nobody knows whether
 * the server exists, and it counts until it is seen or `forget` is told that it does not.
 */
export class InFlight {
  readonly #created = new Map<string, GameServer>();
  /** Name to UID of the one removed. */
  readonly #removed = new Map<string, string>();

  creating(gameServer: GameServer): void {
    this.#created.set(gameServer.metadata.name ?? "", gameServer);
  }

  forget(name: string): void {
    this.#created.delete(name);
  }

  /** Names that were asked for and not seen yet. */
  get unseen(): readonly string[] {
    return [...this.#created.keys()];
  }

  removing(gameServer: GameServer): void {
    this.#removed.set(gameServer.metadata.name ?? "", gameServer.metadata.uid ?? "");
  }

  /** The cache showed the deletion of a server: it may have come and gone between two passes. */
  gone(gameServer: GameServer): void {
    this.#created.delete(gameServer.metadata.name ?? "");
    this.#removed.delete(gameServer.metadata.name ?? "");
  }

  /** The cached servers, those removed marked as being deleted, and those created but not seen yet. `now`: milliseconds since 1970. */
  overlay(cached: readonly GameServer[], now: number): readonly GameServer[] {
    const listed = new Set<string>();
    const servers = cached.map((server) => {
      const name = server.metadata.name ?? "";
      listed.add(name);
      this.#created.delete(name);
      if (this.#removed.get(name) !== server.metadata.uid) return server;
      if (!server.metadata.deletionTimestamp) return withDeletion(server, now);
      this.#removed.delete(name);
      return server;
    });
    for (const name of this.#removed.keys()) if (!listed.has(name)) this.#removed.delete(name);
    return [...servers, ...this.#created.values()];
  }
}

const withDeletion = (server: GameServer, now: number): GameServer => ({
  ...server,
  metadata: { ...server.metadata, deletionTimestamp: rfc3339(now) },
});
