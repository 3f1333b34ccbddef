import type { GameServerState } from "#api/agones/gameserver.ts";
import type { Logger } from "#runtime/logger.ts";
import { aborted } from "#runtime/runnable.ts";
import { mayEnd } from "./decide-end.ts";
import type { GameServerSource } from "./game-server-source.ts";

/** Follows what decides whether a game may be left by its SDK server. */
export class SidecarEnd {
  readonly #of: { source: GameServerSource; namespace: string; name: string; log: Logger };
  #asked: GameServerState | undefined;
  #changed = (): void => {};

  /** `source` is synced before `reached` is called. */
  constructor(of: { source: GameServerSource; namespace: string; name: string; log: Logger }) {
    this.#of = of;
  }

  /** The game asked for a state. */
  ask(state: GameServerState): void {
    this.#asked = state;
    this.#changed();
  }

  /** Resolves once the game may be left, or `forced` aborts. */
  async reached(forced: AbortSignal): Promise<void> {
    const { source, namespace, name, log } = this.#of;
    if (this.#isReached()) return;
    log.info({}, "told to end; serving on until the game has asked for Shutdown");
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#changed = () => this.#isReached() && resolve();
    const leave = source.subscribe(namespace, name, () => this.#changed());
    await Promise.race([promise, aborted(forced)]);
    leave();
  }

  #isReached(): boolean {
    const { source, namespace, name } = this.#of;
    const gameServer = source.get(namespace, name);
    // It was there at the start: absent, it is gone.
    return mayEnd({ gameServer, gone: !gameServer, asked: this.#asked });
  }
}
