import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { isBeingDeleted, isGameServerPod } from "#api/agones/predicates.ts";
import type { Pod } from "#api/core/pod.ts";
import { deepEqual } from "#api/meta/equality.ts";
import { controllerOf, objectKey } from "#api/meta/object.ts";
import { type Controller, createController } from "#kube/controller.ts";
import { gameServerLimiter } from "#kube/rate-limiter.ts";
import { type GameServerOptions, GameServerReconciler } from "./reconciler.ts";

/**
 * The controllers that walk GameServers through their states. Three queues with workers of their own, so that neither a thousand new
 * servers nor a thousand that go keep the others waiting; all do the same work.
 */
export function createGameServerControllers(options: GameServerOptions): readonly Controller[] {
  const { clock, log, metrics, workers, informers } = options;
  const servers = new GameServerReconciler(options);
  const queue = (name: string): Controller =>
    createController({
      name,
      logKey: "gsKey",
      reconcile: (key) => servers.reconcile(key),
      workers,
      limiter: gameServerLimiter(),
      clock,
      log,
      ...(metrics && { metrics }),
    });
  const main = queue("agones.dev.GameServerController");
  const creation = queue("agones.dev.GameServerControllerCreation");
  const deletion = queue("agones.dev.GameServerControllerDeletion");

  const enqueue = (server: GameServer): void => {
    const { state } = server.status ?? {};
    const isNew = state === "PortAllocation" || state === "Creating";
    const chosen = isBeingDeleted(server) ? deletion : isNew ? creation : main;
    chosen.enqueue(objectKey(server));
  };
  const enqueueOwner = (pod: Pod): void => {
    if (isGameServerPod(pod)) main.enqueue(`${pod.metadata.namespace}/${controllerOf(pod)?.name}`);
  };
  informers.gameServers.addHandler({
    add: enqueue,
    update: (server, old) => {
      const changed = server.status?.state !== old.status?.state || server.metadata.deletionTimestamp;
      if (changed || ASKS.has(server.status?.state)) enqueue(server);
    },
  });
  informers.pods.addHandler({
    add: enqueueOwner,
    update: (pod, old) => {
      if (isNews(pod, old)) enqueueOwner(pod);
    },
    delete: enqueueOwner,
  });
  return [main, creation, deletion];
}

/** States that ask for something: between two words of a cache, one may have been left and come to again. */
const ASKS: ReadonlySet<GameServerState | undefined> = new Set([
  "PortAllocation",
  "Creating",
  "Starting",
  "RequestReady",
  "Shutdown",
]);

/** What a server may wait for: where its Pod is, and that its game runs. */
const isNews = (pod: Pod, old: Pod): boolean =>
  pod.spec.nodeName !== old.spec.nodeName ||
  pod.status?.podIPs?.length !== old.status?.podIPs?.length ||
  !deepEqual(pod.status?.containerStatuses, old.status?.containerStatuses);
