import { gameServerFromSet } from "#api/agones/children.ts";
import type { GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { generatedName, randomSuffix } from "#api/meta/names.ts";
import { isControlledBy } from "#api/meta/object.ts";
import { isAlreadyExists, isConflict, isNotFound, StatusError } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import type { Clock } from "#runtime/clock.ts";
import { InFlight } from "./in-flight.ts";

interface RequestOptions {
  readonly client: Pick<Client, "create" | "get" | "update">;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random?: () => number;
}

/** Makes and removes the servers of one set, and remembers what its cache cannot know yet. All reject with the API's error. */
export class ServerRequests {
  readonly #options: RequestOptions;
  readonly inFlight = new InFlight();

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** The name is chosen here, so that asking twice cannot make two servers. */
  async create(set: GameServerSet): Promise<void> {
    const name = generatedName(`${set.metadata.name}-`, randomSuffix(this.#options.random));
    await this.#create(set, gameServerFromSet(set, name));
  }

  /** A write of the listed version, not a deletion: an allocation that came first makes it fail. */
  async remove(set: GameServerSet, server: GameServer): Promise<void> {
    const { client, recorder } = this.#options;
    const again = this.inFlight.isRemoving(server);
    this.inFlight.removing(server);
    try {
      await client.update(GAMESERVERS, { ...server, status: { ...server.status, state: "Shutdown" } });
    } catch (error) {
      if (isNotFound(error) || (again && isConflict(error))) return this.inFlight.removed(server);
      if (isRefusal(error)) this.inFlight.notRemoved(server);
      throw error;
    }
    this.inFlight.removed(server);
    const state = server.status?.state ?? "";
    recorder.event(set, "Normal", "SuccessfulDelete", `Deleted gameserver in state ${state}: ${server.metadata.name}`);
  }

  /**
   * Asks for what is doubtful once more, the same, until the answer is definite: a request whose answer was lost may have been
   * done, or may still arrive.
   */
  async settle(set: GameServerSet): Promise<void> {
    for (const wanted of this.inFlight.doubtfulCreations(this.#options.clock.now())) await this.#create(set, wanted);
    for (const server of this.inFlight.doubtfulRemovals()) await this.remove(set, server);
  }

  async #create(set: GameServerSet, wanted: GameServer): Promise<void> {
    const { client, recorder, clock } = this.#options;
    this.inFlight.creating(wanted, clock.now());
    try {
      this.inFlight.created(await client.create(GAMESERVERS, wanted), clock.now());
    } catch (error) {
      if (isAlreadyExists(error) && (await this.#isThere(set, wanted))) return;
      if (isRefusal(error)) this.inFlight.notCreated(wanted);
      throw error;
    }
    recorder.event(set, "Normal", "SuccessfulCreate", `Created gameserver: ${wanted.metadata.name}`);
  }

  /** True when the server that has the name is one of this set. */
  async #isThere(set: GameServerSet, { metadata: { namespace = "", name = "" } }: GameServer): Promise<boolean> {
    const { client, clock } = this.#options;
    const there = await client.get(GAMESERVERS, namespace, name);
    if (!isControlledBy(there, set)) return false;
    this.inFlight.created(there, clock.now());
    return true;
  }
}

/** A definite no: nothing was written, nor will be. */
const isRefusal = (error: unknown): boolean => error instanceof StatusError && error.status.code < 500;
