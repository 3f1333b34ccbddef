/**
 * An API with one GameServer, for tests: applies patches as Kubernetes does, shows new versions to its subscribers when
 * told to, and fails as told. It never validates, and knows no other call.
 */
import type { GameServer, GameServerStatus } from "#api/agones/gameserver.ts";
import type { JsonValue } from "#api/meta/json.ts";
import { applyJsonPatch } from "#api/meta/patch/json-patch.ts";
import { notFound, statusError } from "#api/meta/status.ts";
import type { Patch, Writer } from "#kube/client.ts";
import { TransportError } from "#kube/transport.ts";
import type { GameServerListener, GameServerSource } from "./game-server-source.ts";

/**
 * What happens to the next patch. `lost-answer`: it takes effect and the answer is lost. `unreachable`: it never
 * arrives. `overtaken`: another writes just before it. `held`: it is under way until `arrive`. Any error: it is refused with that.
 */
export type Fault = "lost-answer" | "unreachable" | "overtaken" | "held" | Error;

export const NAMESPACE = "default";
export const NAME = "simple";

export function gameServer(status: GameServerStatus = { state: "Scheduled" }, spec: object = {}): GameServer {
  return {
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: { name: NAME, namespace: NAMESPACE, uid: "uid-1", resourceVersion: "100", generation: 1 },
    spec: { health: { periodSeconds: 5, failureThreshold: 3 }, template: {}, ...spec } as GameServer["spec"],
    status,
  };
}

export class FakeGameServerApi implements GameServerSource, Pick<Writer, "patch"> {
  readonly synced = Promise.resolve();
  /** Faults of the patches to come, first in, first out. */
  readonly faults: (Fault | undefined)[] = [];
  /** Every patch that arrived. */
  readonly patches: Patch[] = [];
  /** Every patch of the session that took effect. */
  readonly effects: { readonly before: GameServer; readonly after: GameServer }[] = [];
  /** While true, new versions reach subscribers at once; otherwise with `show`. */
  live = true;
  stored: GameServer | undefined;
  #shown: GameServer | undefined;
  #version = 100;
  #listeners: readonly GameServerListener[] = [];
  #held: (() => void)[] = [];

  constructor(stored: GameServer | undefined = gameServer()) {
    this.stored = stored;
    this.#shown = stored;
  }

  get(): GameServer | undefined {
    return this.#shown;
  }

  subscribe(_namespace: string, _name: string, listener: GameServerListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  get listeners(): number {
    return this.#listeners.length;
  }

  /** Another's write: merges into the object. `undefined` deletes it. */
  write(change: { metadata?: object; status?: GameServerStatus } | undefined): void {
    const { stored } = this;
    if (!change) this.#store(undefined);
    else if (stored)
      this.#store({
        ...stored,
        metadata: { ...stored.metadata, ...change.metadata },
        status: { ...stored.status, ...change.status },
      });
  }

  /** The object appears, whatever was there before. */
  create(object: GameServer): void {
    this.#store(object);
  }

  /** Subscribers learn of the newest version. */
  show(): void {
    if (this.#shown === this.stored) return;
    this.#shown = this.stored;
    for (const listener of this.#listeners) listener(this.stored);
  }

  /** What is under way reaches the API. */
  arrive(): void {
    for (const release of this.#held.splice(0)) release();
  }

  async patch<T>(_type: unknown, _namespace: string, _name: string, patch: Patch): Promise<T> {
    this.patches.push(patch);
    const fault = this.faults.shift();
    // As over a network: the answer comes later.
    await Promise.resolve();
    if (fault === "held") await new Promise<void>((resolve) => this.#held.push(resolve));
    if (fault instanceof Error) throw fault;
    if (fault === "unreachable") throw new TransportError("connect ECONNREFUSED");
    if (fault === "overtaken") this.write({ metadata: { generation: 2 } });
    const { stored } = this;
    if (!stored) throw notFound("agones.dev", "gameservers", NAME);
    const changed = apply(stored, patch);
    this.#store(changed);
    const after = this.stored as unknown as GameServer;
    this.effects.push({ before: stored, after });
    if (fault === "lost-answer") throw new TransportError("socket hang up");
    return after as T;
  }

  #store(object: GameServer | undefined): void {
    const resourceVersion = String(++this.#version);
    this.stored = object && { ...object, metadata: { ...object.metadata, resourceVersion } };
    if (this.live) this.show();
  }
}

function apply(stored: GameServer, patch: Patch): GameServer {
  if (patch.type !== "json") throw new TypeError("only JSON patches are understood");
  try {
    return applyJsonPatch(stored as unknown as JsonValue, patch.operations) as unknown as GameServer;
  } catch {
    // What a Kubernetes API server says to a patch whose `test` fails.
    throw statusError("Invalid", "the server rejected our request due to an error in our request");
  }
}
