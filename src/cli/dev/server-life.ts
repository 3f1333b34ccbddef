/** What becomes of one GameServer, from its creation to its end. */
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeforeReady } from "#api/agones/predicates.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { objectKey } from "#api/meta/object.ts";
import { isConflict, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";

export class ServerLife {
  readonly server: GameServer;
  readonly #stop = new AbortController();
  readonly #up = Promise.withResolvers<void>();
  readonly #going = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<void>();
  #state: string | undefined;

  /** `tell` hears every new state. */
  constructor(client: Client, server: GameServer, tell: (state: string) => void) {
    this.server = server;
    this.#state = server.status?.state;
    const { namespace, name, uid } = server.metadata;
    const informer = createInformer(client, GAMESERVERS, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      clock,
      log: silentLogger,
    });
    const see = (server: GameServer): void => {
      const { metadata, status } = server;
      if (metadata.uid !== uid) return;
      const state = status?.state;
      // On the way to Ready there is nothing to see.
      if (state !== undefined && state !== this.#state && state !== "RequestReady") tell(state);
      this.#state = state;
      if (!isBeforeReady(server)) this.#up.resolve();
      if (metadata.deletionTimestamp !== undefined || status?.state === "Shutdown") this.#going.resolve();
    };
    informer.addHandler({ add: see, update: see, delete: ({ metadata }) => metadata.uid === uid && this.#end() });
    informer.run(this.#stop.signal).catch(() => {});
    void informer.ready().then(() => {
      if (informer.lister.get(objectKey(server))?.metadata.uid !== uid) this.#end();
    });
  }

  /** Resolves once its game has called Ready. */
  get up(): Promise<void> {
    return this.#up.promise;
  }

  /** Resolves once it is to be deleted: the game asked for its Shutdown, or somebody deleted it. */
  get going(): Promise<void> {
    return this.#going.promise;
  }

  /** Resolves once there is no such object. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Aborted once it is followed no more. */
  get closed(): AbortSignal {
    return this.#stop.signal;
  }

  /** Follows it no more. */
  close(): void {
    this.#stop.abort();
  }

  #end(): void {
    this.#going.resolve();
    this.#gone.resolve();
  }
}

/** Deletes the object when it is still there. */
export async function removeServer(client: Client, { metadata }: GameServer): Promise<void> {
  const { namespace = "", name = "", uid } = metadata;
  await client.delete(GAMESERVERS, namespace, name, { preconditions: { uid } }).catch((error: unknown) => {
    // Gone, or another of its name.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}
