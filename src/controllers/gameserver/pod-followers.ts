import type { GameServer } from "#api/agones/gameserver.ts";
import { isGameServerPod } from "#api/agones/predicates.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import type { Pod } from "#api/core/pod.ts";
import { PODS } from "#api/core/resources.ts";
import { controllerOf, objectKey, splitKey } from "#api/meta/object.ts";
import { isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { type Controller, createController } from "#kube/controller.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import { defaultLimiter } from "#kube/rate-limiter.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { WorkQueueMetrics } from "#runtime/metrics.ts";
import type { ControllerInformers } from "../informers.ts";
import {
  decideHealth,
  decideMigration,
  decideMissingPod,
  decideSucceeded,
  type PodSnapshot,
  type PodVerdict,
} from "./decide-pod-health.ts";

export interface PodFollowerOptions {
  readonly client: Client;
  readonly informers: ControllerInformers;
  /** Events name the follower as their source. */
  readonly recorderFor: (component: string) => EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: WorkQueueMetrics;
  readonly workers: number;
}

interface Follower {
  readonly name: string;
  readonly component: string;
  readonly decide: (snapshot: PodSnapshot) => PodVerdict;
  /** The absence of a Pod is believed only after the API was asked: a cache may lag. */
  readonly asksBeforeAbsence: boolean;
}

const FOLLOWERS: readonly Follower[] = [
  {
    name: "agones.dev.HealthController",
    component: "health-controller",
    decide: decideHealth,
    asksBeforeAbsence: false,
  },
  {
    name: "agones.dev.MigrationController",
    component: "migration-controller",
    decide: decideMigration,
    asksBeforeAbsence: false,
  },
  {
    name: "agones.dev.MissingPodController",
    component: "missing-pod-controller",
    decide: decideMissingPod,
    asksBeforeAbsence: true,
  },
  {
    name: "agones.dev.SucceededController",
    component: "succeeded-controller",
    decide: decideSucceeded,
    asksBeforeAbsence: false,
  },
];

/** The controllers that bring a GameServer's state after what became of its Pod: health, migration, missing Pod, success. */
export function createPodFollowers(options: PodFollowerOptions): readonly Controller[] {
  return FOLLOWERS.map((follower) => createFollower(follower, options));
}

function createFollower(
  { name, component, decide, asksBeforeAbsence }: Follower,
  options: PodFollowerOptions,
): Controller {
  const { client, informers, clock, log, metrics, workers } = options;
  const recorder = options.recorderFor(component);

  const snapshot = (gameServer: GameServer): PodSnapshot => {
    const pod = informers.pods.lister.get(objectKey(gameServer));
    const node = pod?.spec.nodeName ? informers.nodes.lister.get(pod.spec.nodeName) : undefined;
    return { gameServer, pod, node };
  };

  const controller = createController({
    name,
    workers,
    limiter: defaultLimiter(clock),
    clock,
    log,
    ...(metrics && { metrics }),
    reconcile: async (key) => {
      const gameServer = informers.gameServers.lister.get(key);
      if (!gameServer) return;
      const seen = snapshot(gameServer);
      let verdict = decide(seen);
      if (verdict && asksBeforeAbsence) verdict = decide({ ...seen, pod: await livePod(client, key) });
      if (!verdict) return;
      const written = await client.update(GAMESERVERS, verdict.gameServer);
      recorder.event(written, verdict.note.type, verdict.note.reason, verdict.note.message);
    },
  });

  // Decided once before queueing: nearly every Pod event concerns none of them.
  const consider = (gameServer: GameServer | undefined): void => {
    if (gameServer && decide(snapshot(gameServer))) controller.enqueue(objectKey(gameServer));
  };
  const considerOwner = (pod: Pod): void => {
    if (isGameServerPod(pod))
      consider(informers.gameServers.lister.get(`${pod.metadata.namespace}/${controllerOf(pod)?.name}`));
  };
  informers.pods.addHandler({ add: considerOwner, update: considerOwner, delete: considerOwner });
  informers.gameServers.addHandler({ add: consider, update: consider });
  informers.nodes.addHandler({
    update: (node, old) => {
      if (component !== "migration-controller" || node.status?.addresses === old.status?.addresses) return;
      for (const server of informers.gameServers.lister.list())
        if (server.status?.nodeName === node.metadata.name) consider(server);
    },
  });
  return controller;
}

async function livePod(client: Client, key: string): Promise<Pod | undefined> {
  const { namespace, name } = splitKey(key);
  return client.get(PODS, namespace, name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}
