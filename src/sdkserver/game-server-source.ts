/** Where a session reads its GameServer: one watch of the agent, shared by all servers of the machine. */
import type { GameServer } from "#api/agones/gameserver.ts";
import { objectKey } from "#api/meta/object.ts";
import type { Informer } from "#kube/informer.ts";

/** Told of each new version, in order; `undefined` when the object is gone. */
export type GameServerListener = (gameServer: GameServer | undefined) => void;

export interface GameServerSource {
  /** The newest version known; `undefined` when there is none, or before `synced`. */
  get(namespace: string, name: string): GameServer | undefined;
  /** Calls `listener` for every version from now on, not for the present one; the returned function ends it. */
  subscribe(namespace: string, name: string, listener: GameServerListener): () => void;
  /** Resolves once `get` tells the truth about every server. */
  readonly synced: Promise<void>;
}

/** Of no use here, and the largest part of many a GameServer. */
const NO_TEMPLATE: GameServer["spec"]["template"] = { spec: { containers: [] } };

/** For the informer: keeps of a GameServer what its SDK server and its node need, so that a machine can hold many. */
export function trimGameServer(gameServer: GameServer): GameServer {
  const { health, container, ports } = gameServer.spec;
  return { ...gameServer, spec: { health, container, ports, template: NO_TEMPLATE } };
}

/** Serves any number of sessions from one informer with one handler. */
export function informerSource(informer: Informer<GameServer>): GameServerSource {
  const listeners = new Map<string, readonly GameServerListener[]>();
  const tell = (about: GameServer, value: GameServer | undefined): void => {
    for (const listener of listeners.get(objectKey(about)) ?? []) listener(value);
  };
  informer.addHandler({
    add: (gameServer) => tell(gameServer, gameServer),
    update: (gameServer) => tell(gameServer, gameServer),
    delete: (last) => tell(last, undefined),
  });
  return {
    synced: informer.ready(),
    get: (namespace, name) => informer.lister.get(`${namespace}/${name}`),
    subscribe: (namespace, name, listener) => {
      const key = `${namespace}/${name}`;
      listeners.set(key, [...(listeners.get(key) ?? []), listener]);
      return () => {
        const others = (listeners.get(key) ?? []).filter((other) => other !== listener);
        if (others.length) listeners.set(key, others);
        else listeners.delete(key);
      };
    },
  };
}
