/**
 * The one GameServer of local mode, with what stands around it in a cluster: the API that patches it, and the controller that makes a
 * server that says so Ready.
 */
import type { GameServer } from "#api/agones/gameserver.ts";
import type { JsonValue } from "#api/meta/json.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { applyJsonPatch, JsonPatchError } from "#api/meta/patch/json-patch.ts";
import type { ResourceType } from "#api/meta/resource-type.ts";
import { statusError } from "#api/meta/status.ts";
import type { Patch, Writer } from "#kube/client.ts";
import { SDK_WRITE_ANNOTATION } from "../decide-write.ts";
import type { GameServerListener, GameServerSource } from "../game-server-source.ts";

export class LocalGameServer implements GameServerSource, Pick<Writer, "patch"> {
  readonly synced = Promise.resolve();
  #version = 0;
  #current: GameServer;
  #listeners: readonly GameServerListener[] = [];

  constructor(first: GameServer) {
    this.#current = this.#numbered(first);
  }

  /** Versions are `v1`, `v2`, …; the generation grows with each change of the spec or the status. */
  get current(): GameServer {
    return this.#current;
  }

  /** There is but one, whatever name is asked for. */
  get(): GameServer {
    return this.#current;
  }

  subscribe(_namespace: string, _name: string, listener: GameServerListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** Takes effect at once. Rejects with Conflict when a `test` of the patch fails. */
  async patch<T extends KubeObject>(_type: ResourceType<T>, _namespace: string, _name: string, patch: Patch) {
    if (patch.type !== "json") throw new TypeError("only JSON patches are written here");
    this.#store(withController(patched(this.#current, patch.operations), this.#current));
    return this.#current as unknown as T;
  }

  /** Another object takes the place of this one, and of all that was changed in it. It keeps the UID: to the game it is the same server. */
  replace(other: GameServer): void {
    const { uid } = this.#current.metadata;
    this.#store({ ...other, metadata: { ...other.metadata, uid } });
  }

  #store(gameServer: GameServer): void {
    this.#current = this.#numbered(gameServer);
    for (const listener of this.#listeners) listener(this.#current);
  }

  #numbered(gameServer: GameServer): GameServer {
    this.#version++;
    return { ...gameServer, metadata: { ...gameServer.metadata, resourceVersion: `v${this.#version}` } };
  }
}

function patched(gameServer: GameServer, operations: Extract<Patch, { type: "json" }>["operations"]): GameServer {
  try {
    return applyJsonPatch(gameServer as unknown as JsonValue, operations) as unknown as GameServer;
  } catch (error) {
    if (error instanceof JsonPatchError) throw statusError("Conflict", error.message);
    throw error;
  }
}

/** What a cluster does with a write: here there is nobody else that might write, so that its mark says nothing. */
function withController(gameServer: GameServer, before: GameServer): GameServer {
  const { metadata, spec, status } = gameServer;
  const { [SDK_WRITE_ANNOTATION]: _, ...annotations } = metadata.annotations ?? {};
  const changed = spec !== before.spec || status !== before.status;
  return {
    ...gameServer,
    metadata: { ...metadata, annotations, generation: (metadata.generation ?? 0) + (changed ? 1 : 0) },
    ...(status && { status: status.state === "RequestReady" ? { ...status, state: "Ready" } : status }),
  };
}
