/** The newest known version of one GameServer, out of the watch and the answers to our own writes. */
import type { GameServer } from "#api/agones/gameserver.ts";
import { isNewerVersion } from "#api/meta/resource-version.ts";
import type { GameServerListener } from "./game-server-source.ts";

export class NewestGameServer {
  #current: GameServer | undefined;
  #gone = false;
  #listeners: readonly GameServerListener[] = [];

  /** `undefined` before it was seen; the last version after it is gone. */
  get current(): GameServer | undefined {
    return this.#current;
  }

  get gone(): boolean {
    return this.#gone;
  }

  /**
   * Takes a version from either side; what is older than the present one is ignored. Another object under the same
   * name, or `undefined`, means that ours is gone.
   */
  offer(offered: GameServer | undefined): void {
    if (this.#gone) return;
    const current = this.#current;
    if (!offered || (current && offered.metadata.uid !== current.metadata.uid)) {
      this.lose();
      return;
    }
    if (current && isNewerVersion(current, offered)) return;
    this.#current = offered;
    // The same version again: the watch's copy takes the place of the write's answer, so that both share memory.
    if (offered.metadata.resourceVersion === current?.metadata.resourceVersion) return;
    this.#tell(offered);
  }

  /** The object does not exist any more. */
  lose(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#tell(undefined);
  }

  subscribe(listener: GameServerListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  #tell(value: GameServer | undefined): void {
    for (const listener of this.#listeners) listener(value);
  }
}
