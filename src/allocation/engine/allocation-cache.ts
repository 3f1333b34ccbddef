import type { GameServer } from "#api/agones/gameserver.ts";
import { isNewerVersion } from "#api/meta/resource-version.ts";
import type { InformerHandler } from "#kube/informer.ts";
import { CandidateIndex } from "./candidate-index.ts";

interface Entry {
  /** The newest version known. */
  server: GameServer;
  /** What a request is making of it: out of the index until that is over. */
  claimed: GameServer | undefined;
  /** Nobody knows what became of the write of this version: out of the index until the API says, or a newer one is seen. */
  distrusted: boolean;
}

/**
 * The servers as allocation sees them: what the watch showed, and at once what allocation itself wrote. Versions only go forward.
 * It is the only one to change the index.
 */
export class AllocationCache implements InformerHandler<GameServer> {
  readonly index = new CandidateIndex();
  readonly #entries = new Map<string, Entry>();
  /** By namespace: the claimed servers, and who waits for one to come free. */
  readonly #claims = new Map<string, { readonly entries: Set<Entry>; waiting: (() => void)[] }>();

  add(server: GameServer): void {
    this.#see(server);
  }

  update(server: GameServer): void {
    this.#see(server);
  }

  delete(old: GameServer): void {
    const uid = uidOf(old);
    const entry = this.#entries.get(uid);
    if (!entry) return;
    if (isListed(entry)) this.index.remove(entry.server);
    this.#entries.delete(uid);
    this.#unclaim(entry);
  }

  /** Takes a server out of the index while `wanted` is committed. */
  claim(server: GameServer, wanted: GameServer): void {
    const entry = this.#entries.get(uidOf(server));
    if (!entry) return;
    this.index.remove(entry.server);
    entry.claimed = wanted;
    const namespace = server.metadata.namespace ?? "";
    const claims = this.#claims.get(namespace) ?? { entries: new Set(), waiting: [] };
    claims.entries.add(entry);
    this.#claims.set(namespace, claims);
  }

  /** What the claimed servers of a namespace will be. */
  pending(namespace: string): readonly GameServer[] {
    return [...(this.#claims.get(namespace)?.entries ?? [])].flatMap(({ claimed }) => claimed ?? []);
  }

  /** The commit is over. `there` is the server as the API has it; undefined when nobody knows. */
  release(claimed: GameServer, there: GameServer | undefined): void {
    const entry = this.#entries.get(uidOf(claimed));
    if (!entry?.claimed) return;
    if (there && isNewerVersion(there, entry.server)) entry.server = there;
    entry.distrusted = !there && !isNewerVersion(entry.server, claimed);
    this.#unclaim(entry);
    if (isListed(entry)) this.index.add(entry.server);
  }

  /** The API was asked about a server after its write was lost: it is offered again as it is. */
  confirm(there: GameServer): void {
    const entry = this.#entries.get(uidOf(there));
    if (!entry?.distrusted || isNewerVersion(entry.server, there)) return;
    entry.server = there;
    entry.distrusted = false;
    this.index.add(there);
  }

  /** Resolves when a claimed server of the namespace comes free; at once when none is claimed. */
  nextRelease(namespace: string): Promise<void> {
    const claims = this.#claims.get(namespace);
    if (!claims?.entries.size) return Promise.resolve();
    return new Promise((resolve) => claims.waiting.push(resolve));
  }

  #see(server: GameServer): void {
    const uid = uidOf(server);
    const entry = this.#entries.get(uid);
    if (!entry) {
      this.#entries.set(uid, { server, claimed: undefined, distrusted: false });
      this.index.add(server);
      return;
    }
    if (!isNewerVersion(server, entry.server)) return;
    if (isListed(entry)) this.index.remove(entry.server);
    entry.server = server;
    entry.distrusted = false;
    if (isListed(entry)) this.index.add(server);
  }

  #unclaim(entry: Entry): void {
    if (!entry.claimed) return;
    entry.claimed = undefined;
    const claims = this.#claims.get(entry.server.metadata.namespace ?? "");
    claims?.entries.delete(entry);
    for (const wake of claims?.waiting.splice(0) ?? []) wake();
  }
}

const uidOf = ({ metadata }: GameServer): string => metadata.uid ?? "";
const isListed = ({ claimed, distrusted }: Entry): boolean => !claimed && !distrusted;
