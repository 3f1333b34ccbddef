import { gameServerFromSet } from "#api/agones/children.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { deepEqual } from "#api/meta/equality.ts";
import { generatedName, randomSuffix } from "#api/meta/names.ts";
import { controllerOf, objectKey } from "#api/meta/object.ts";
import { isNotFound, StatusError } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { type Controller, createController, type Outcome } from "#kube/controller.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import { fastLimiter } from "#kube/rate-limiter.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { WorkQueueMetrics } from "#runtime/metrics.ts";
import type { NodeCounts } from "#views/node-counts.ts";
import { BY_OWNER, type ControllerInformers } from "../informers.ts";
import { inLanes } from "../lanes.ts";
import { decideOverflow } from "./decide-overflow.ts";
import { decideScale } from "./decide-scale.ts";
import { decideStatus } from "./decide-status.ts";
import { InFlight } from "./in-flight.ts";
import { StartFailures } from "./start-failures.ts";

export interface GameServerSetLimits {
  /** Servers made and removed in one pass. */
  readonly maxCreations: number;
  readonly maxDeletions: number;
  /** Requests in flight at once. */
  readonly creationParallelism: number;
  readonly deletionParallelism: number;
  /** Servers of one set on their way to Ready. */
  readonly maxPending: number;
}

/** The defaults of Agones. */
export const DEFAULT_LIMITS: GameServerSetLimits = {
  maxCreations: 64,
  maxDeletions: 64,
  creationParallelism: 16,
  deletionParallelism: 64,
  maxPending: 5000,
};

export interface GameServerSetOptions {
  readonly client: Client;
  readonly informers: ControllerInformers;
  readonly nodeCounts: NodeCounts;
  readonly gates: FeatureGates;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: WorkQueueMetrics;
  readonly workers: number;
  readonly limits?: GameServerSetLimits;
  readonly random?: () => number;
}

/** What the controller remembers of a set between passes. Lost at a restart without harm. */
interface Memory {
  readonly inFlight: InFlight;
  readonly failures: StartFailures;
}

/** Keeps each GameServerSet at its number of servers, and its status true. */
export function createGameServerSetController(options: GameServerSetOptions): Controller {
  const sets = new SetReconciler(options);
  const { clock, log, metrics, workers, informers } = options;
  const controller = createController({
    name: "agones.dev.GameServerSetController",
    reconcile: (key) => sets.reconcile(key),
    workers,
    limiter: fastLimiter(),
    clock,
    log,
    ...(metrics && { metrics }),
  });

  const ownerOf = (server: GameServer): GameServerSet | undefined => {
    const owner = controllerOf(server);
    const set = owner && informers.gameServerSets.lister.get(`${server.metadata.namespace}/${owner.name}`);
    return set?.metadata.uid === owner?.uid ? set : undefined;
  };
  const enqueueOwner = (server: GameServer): void => {
    const set = ownerOf(server);
    if (set) controller.enqueue(objectKey(set));
  };
  informers.gameServerSets.addHandler({
    add: (set) => controller.enqueue(objectKey(set)),
    update: (set, old) => {
      if (!deepEqual(set.spec, old.spec) || set.metadata.deletionTimestamp) controller.enqueue(objectKey(set));
    },
    delete: (set) => sets.forget(objectKey(set)),
  });
  informers.gameServers.addHandler({
    add: enqueueOwner,
    update: enqueueOwner,
    delete: (server) => {
      sets.serverGone(server);
      enqueueOwner(server);
    },
  });
  return controller;
}

class SetReconciler {
  readonly #options: GameServerSetOptions;
  readonly #memory = new Map<string, Memory>();

  constructor(options: GameServerSetOptions) {
    this.#options = options;
  }

  forget(key: string): void {
    this.#memory.delete(key);
  }

  serverGone(server: GameServer): void {
    const owner = controllerOf(server);
    if (owner) this.#memory.get(`${server.metadata.namespace}/${owner.name}`)?.inFlight.gone(server);
  }

  async reconcile(key: string): Promise<Outcome> {
    const { informers, nodeCounts, gates, clock, recorder } = this.#options;
    const limits = this.#options.limits ?? DEFAULT_LIMITS;
    const set = informers.gameServerSets.lister.get(key);
    if (!set) return;
    const { inFlight, failures } = this.#memoryOf(key);
    const now = clock.now();
    const servers = inFlight.overlay(informers.gameServers.lister.byIndex(BY_OWNER, set.metadata.uid ?? ""), now);

    if (failures.observe(servers, now)) {
      const seconds = Math.ceil(failures.delay(now) / 1000);
      const message = `Servers of this set do not become Ready; the next one is made in ${seconds} s. kubectl describe of an Unhealthy GameServer or its Pod says why`;
      recorder.event(set, "Warning", "BackOff", message);
    }
    const decision = decideScale({
      set,
      servers,
      nodes: nodeCounts.counts,
      limits,
      now,
      creationBudget: failures.budget(now),
    });

    const failed: unknown[] = [];
    await inLanes(
      limits.creationParallelism,
      Array.from({ length: decision.create }),
      () => this.#create(set, inFlight),
      failed,
    );
    await inLanes(limits.deletionParallelism, decision.remove, (server) => this.#remove(set, server, inFlight), failed);
    await inLanes(
      1,
      decideOverflow(set, servers, nodeCounts.counts),
      (server) => this.#options.client.update(GAMESERVERS, server),
      failed,
    );
    if (failed.length > 0) throw failed[0];
    await this.#writeStatus(set, decideStatus(set, servers, gates));

    if (decision.again) return { requeueAfterMs: 0 };
    const waits = [decision.recheckAfterMs, failures.delay(now) || undefined].filter((ms) => ms !== undefined);
    if (waits.length > 0) return { requeueAfterMs: Math.min(...waits) };
  }

  #memoryOf(key: string): Memory {
    let memory = this.#memory.get(key);
    if (!memory) {
      memory = { inFlight: new InFlight(), failures: new StartFailures() };
      this.#memory.set(key, memory);
    }
    return memory;
  }

  /** The name is chosen here and remembered first: an answer that is lost cannot make a server uncounted, nor make it twice. */
  async #create(set: GameServerSet, inFlight: InFlight): Promise<void> {
    const { client, recorder, random } = this.#options;
    const name = generatedName(`${set.metadata.name}-`, randomSuffix(random));
    const wanted = gameServerFromSet(set, name);
    inFlight.creating(wanted);
    try {
      inFlight.creating(await client.create(GAMESERVERS, wanted));
    } catch (error) {
      if (error instanceof StatusError || (await this.#isAbsent(wanted))) inFlight.forget(name);
      throw error;
    }
    recorder.event(set, "Normal", "SuccessfulCreate", `Created gameserver: ${name}`);
  }

  /** After a lost answer: true when the server certainly does not exist. */
  async #isAbsent(server: GameServer): Promise<boolean> {
    const { namespace = "", name = "" } = server.metadata;
    return this.#options.client.get(GAMESERVERS, namespace, name).then(
      () => false,
      (error: unknown) => isNotFound(error),
    );
  }

  /** A write of the listed version, not a deletion: an allocation that came first makes it fail. */
  async #remove(set: GameServerSet, server: GameServer, inFlight: InFlight): Promise<void> {
    const { client, recorder } = this.#options;
    await client.update(GAMESERVERS, { ...server, status: { ...server.status, state: "Shutdown" } });
    inFlight.removing(server);
    const state = server.status?.state ?? "";
    recorder.event(set, "Normal", "SuccessfulDelete", `Deleted gameserver in state ${state}: ${server.metadata.name}`);
  }

  async #writeStatus(set: GameServerSet, status: GameServerSet["status"]): Promise<void> {
    if (set.status && deepEqual(set.status, { ...set.status, ...status })) return;
    await this.#options.client.updateStatus(GAMESERVERSETS, { ...set, status });
  }
}
