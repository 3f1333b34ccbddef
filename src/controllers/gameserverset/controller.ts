import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import type { Pod } from "#api/core/pod.ts";
import { deepEqual } from "#api/meta/equality.ts";
import { controllerOf, objectKey } from "#api/meta/object.ts";
import { isForbidden, isInvalid } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { type Controller, createController, type Outcome } from "#kube/controller.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import { fastLimiter } from "#kube/rate-limiter.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { CreationMetrics, WorkQueueMetrics } from "#runtime/metrics.ts";
import type { NodeCounts } from "#views/node-counts.ts";
import { withoutPause } from "../decide-pause.ts";
import { BY_OWNER, type ControllerInformers } from "../informers.ts";
import { inLanes } from "../lanes.ts";
import { OwnWrites } from "../own-writes.ts";
import { turned } from "../turned.ts";
import { type BackOff, type ConditionsSnapshot, decideConditions, stuckAfter } from "./decide-conditions.ts";
import { decideOverflow } from "./decide-overflow.ts";
import { decideScale } from "./decide-scale.ts";
import { decideStatus } from "./decide-status.ts";
import { ServerRequests } from "./server-requests.ts";
import { StartFailures } from "./start-failures.ts";
import { endedWithNode, heldUpBy, obstacleOf, whyNotReady } from "./why-not-ready.ts";

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
  readonly creationMetrics?: CreationMetrics;
  readonly workers: number;
  readonly limits?: GameServerSetLimits;
  /** What host ports are set by, as people know it. */
  readonly portSetting?: string;
  readonly random?: () => number;
}

type Why = Pick<ConditionsSnapshot, "why" | "obstacleOf">;

/** What the controller remembers of a set between passes. Lost at a restart without harm. */
interface Memory {
  readonly requests: ServerRequests;
  readonly failures: StartFailures;
  /** How a server failed to start last. */
  failure?: Pick<BackOff, "cause" | "afterReady">;
}

/** Reasons of conditions that people should hear of. */
const WARNINGS: ReadonlySet<string> = new Set(["CreationRefused", "FailsAfterReady", "ServersStuck", "StartsFail"]);

/** Keeps each GameServerSet at its number of servers, and its status true. */
export function createGameServerSetController(options: GameServerSetOptions): Controller {
  const sets = new SetReconciler(options);
  const { clock, log, metrics, workers, informers } = options;
  const controller = createController({
    name: "agones.dev.GameServerSetController",
    logKey: "gssKey",
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
    // Also when its status alone changed: whatever it says now, the next pass makes it true.
    update: (set) => controller.enqueue(objectKey(set)),
    delete: (set) => sets.forget(objectKey(set)),
  });
  informers.gameServers.addHandler({
    add: enqueueOwner,
    update: (server) => {
      sets.serverChanged(server);
      enqueueOwner(server);
    },
    delete: (server) => {
      sets.serverGone(server);
      enqueueOwner(server);
    },
  });
  // What no node takes, and what cannot be made there, is said at once: nothing of the server itself changes.
  const seePod = (pod: Pod, old?: Pod): void => {
    if (heldUpBy(pod) === heldUpBy(old)) return;
    const server = informers.gameServers.lister.get(objectKey(pod));
    if (server) enqueueOwner(server);
  };
  informers.pods.addHandler({ add: (pod) => seePod(pod), update: seePod });
  return controller;
}

class SetReconciler {
  readonly #options: GameServerSetOptions;
  readonly #own: OwnWrites<GameServerSet>;
  readonly #memory = new Map<string, Memory>();

  constructor(options: GameServerSetOptions) {
    this.#options = options;
    this.#own = new OwnWrites(options.informers.gameServerSets);
  }

  forget(key: string): void {
    this.#memory.delete(key);
  }

  serverChanged(server: GameServer): void {
    this.#memoryOfOwner(server)?.failures.changed(server);
  }

  serverGone(server: GameServer): void {
    const memory = this.#memoryOfOwner(server);
    memory?.requests.inFlight.gone(server);
    memory?.failures.gone(server);
  }

  async reconcile(key: string): Promise<Outcome> {
    const { informers, nodeCounts, clock } = this.#options;
    const limits = this.#options.limits ?? DEFAULT_LIMITS;
    const set = this.#own.get(key);
    if (!set) return;
    const memory = this.#memoryOf(key);
    const { requests, failures } = memory;
    await requests.settle(set);
    const now = clock.now();
    const serversNow = (): readonly GameServer[] =>
      requests.inFlight.overlay(informers.gameServers.lister.byIndex(BY_OWNER, set.metadata.uid ?? ""), clock.now());
    const servers = serversNow();

    const { portSetting } = this.#options;
    const podOf = (server: GameServer): Pod | undefined => informers.pods.lister.get(objectKey(server));
    const why: Why = {
      why: (server) => whyNotReady(server, podOf(server), portSetting),
      obstacleOf: (server) => obstacleOf(server, podOf(server), portSetting),
    };
    const failure = failures.observe(servers, now, (server) => endedWithNode(podOf(server)));
    if (failure) memory.failure = { cause: why.why(failure.server), afterReady: failure.saidReady };
    const decision = decideScale({
      set,
      servers,
      nodes: nodeCounts.counts,
      limits,
      now,
      creationBudget: failures.budget(now),
    });
    failures.made(decision.create, now);

    const failed: unknown[] = [];
    const creations = Array.from({ length: decision.create });
    const began = clock.monotonic();
    await inLanes(limits.creationParallelism, creations, () => requests.create(set), failed);
    if (decision.create > 0) {
      failures.meet(serversNow());
      this.#options.creationMetrics?.batch(decision.create, failed.length > 0, (clock.monotonic() - began) / 1000);
    }
    const refusal = failed.find((error) => isForbidden(error) || isInvalid(error));
    if (refusal instanceof Error) failures.refused(refusal.message, now);
    else if (decision.create > 0 && failed.length === 0) failures.accepted();
    failures.removing(decision.remove);
    await inLanes(limits.deletionParallelism, decision.remove, (server) => requests.remove(set, server), failed);
    await inLanes(
      1,
      decideOverflow(set, servers, nodeCounts.counts),
      (server) => this.#options.client.update(GAMESERVERS, server),
      failed,
    );
    // With what was just made, and also when something failed: a set that cannot make servers must say how many it has. One whose
    // creation was not answered has no UID, and may not be there.
    const there = serversNow().filter(({ metadata }) => metadata.uid !== undefined);
    await this.#writeStatus(set, there, memory, why);
    if (failed.length > 0) throw failed[0];

    if (decision.again) return { requeueAfterMs: 0 };
    const waits = [
      decision.recheckAfterMs,
      failures.delay(now) || undefined,
      failures.recheckAfter(servers, now),
      stuckAfter(servers, now),
      requests.inFlight.recheckAfter(now),
    ];
    const known = waits.filter((ms) => ms !== undefined);
    if (known.length > 0) return { requeueAfterMs: Math.min(...known) };
  }

  #memoryOfOwner(server: GameServer): Memory | undefined {
    const owner = controllerOf(server);
    return owner && this.#memory.get(`${server.metadata.namespace}/${owner.name}`);
  }

  #memoryOf(key: string): Memory {
    let memory = this.#memory.get(key);
    if (!memory) {
      memory = { requests: new ServerRequests(this.#options), failures: new StartFailures() };
      this.#memory.set(key, memory);
    }
    return memory;
  }

  /** What turned bad is told once, as an event. */
  async #writeStatus(
    set: GameServerSet,
    servers: readonly GameServer[],
    { failures, failure = { cause: "events of the servers say why", afterReady: false } }: Memory,
    why: Why,
  ): Promise<void> {
    const { gates, clock, client, recorder } = this.#options;
    const { pauseMs, refusal } = failures;
    const backOff = pauseMs === undefined ? undefined : { pauseMs, ...failure };
    const conditions = decideConditions({ set, servers, refusal, backOff, ...why, now: clock.now() });
    const status = { ...decideStatus(set, servers, gates), conditions };
    if (set.status && deepEqual(set.status, status)) return;
    this.#own.wrote(await client.updateStatus(GAMESERVERSETS, { ...set, status }));
    for (const { type, reason, message } of turned(set.status?.conditions, conditions, WARNINGS))
      recorder.event(set, "Warning", type === "BackingOff" ? "BackOff" : reason, withoutPause(message));
  }
}
