import { gameServerFromSet } from "#api/agones/children.ts";
import type { GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isBeingDeleted } from "#api/agones/predicates.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { generatedName, randomSuffix } from "#api/meta/names.ts";
import { isControlledBy } from "#api/meta/object.ts";
import { isAlreadyExists, isNotFound, isRefusal } from "#api/meta/status.ts";
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
  readonly #unused: string[] = [];

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** The name is chosen here, so that asking twice cannot make two servers. */
  async create(set: GameServerSet): Promise<void> {
    const { client, recorder, clock, random } = this.#options;
    const name = this.#unused.pop() ?? generatedName(`${set.metadata.name}-`, randomSuffix(random));
    const wanted = gameServerFromSet(set, name);
    this.inFlight.creating(wanted, clock.now());
    try {
      this.inFlight.created(await client.create(GAMESERVERS, wanted), clock.now());
    } catch (error) {
      if (isAlreadyExists(error)) return this.#settleCreation(set, name);
      if (isRefusal(error)) this.inFlight.notCreated(name);
      throw error;
    }
    recorder.event(set, "Normal", "SuccessfulCreate", `Created gameserver: ${name}`);
  }

  /** A write of the listed version, not a deletion: an allocation that came first makes it fail. */
  async remove(set: GameServerSet, server: GameServer): Promise<void> {
    const { client, recorder } = this.#options;
    this.inFlight.removing(server);
    try {
      await client.update(GAMESERVERS, { ...server, status: { ...server.status, state: "Shutdown" } });
    } catch (error) {
      if (isNotFound(error)) return this.inFlight.removed(server);
      if (isRefusal(error)) this.inFlight.notRemoved(server);
      throw error;
    }
    this.inFlight.removed(server);
    const state = server.status?.state ?? "";
    recorder.event(set, "Normal", "SuccessfulDelete", `Deleted gameserver in state ${state}: ${server.metadata.name}`);
  }

  /** Asks the API what became of requests whose answer was lost: nothing is decided before that is known. */
  async settle(set: GameServerSet): Promise<void> {
    for (const name of this.inFlight.doubtfulCreations(this.#options.clock.now()))
      await this.#settleCreation(set, name);
    for (const server of this.inFlight.doubtfulRemovals()) {
      const there = await this.#look(set, server.metadata.name ?? "");
      if (!there || there.metadata.uid !== server.metadata.uid || isBeingDeleted(there)) this.inFlight.removed(server);
      else this.inFlight.notRemoved(server);
    }
  }

  /** A server that does not exist may still come to be by the lost request: its name is the next that is asked for. */
  async #settleCreation(set: GameServerSet, name: string): Promise<void> {
    const there = await this.#look(set, name);
    if (there && isControlledBy(there, set)) return this.inFlight.created(there, this.#options.clock.now());
    if (!there && !this.inFlight.isAnswered(name)) this.#unused.push(name);
    this.inFlight.notCreated(name);
  }

  async #look(set: GameServerSet, name: string): Promise<GameServer | undefined> {
    return this.#options.client.get(GAMESERVERS, set.metadata.namespace ?? "", name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }
}
